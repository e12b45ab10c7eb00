import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { openStorage } from '../../src/files/assets/open-storage';
import { run } from '../../src/operations/cli/main';
import { fileOf } from '../../src/site/archive/names';
import { faultsOfLinks, filesIn } from '../support/archives';
import { openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { faultsOn, looks } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { hashOf, picture } from '../support/files';
import { fakeHost, listen, until } from '../support/host';
import { build, startProgram } from '../support/program';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const;
const types: Readonly<Record<string, string>> = { html: 'text/html; charset=utf-8', css: 'text/css', webp: 'image/webp' };

lab.experiment('An archive of a place, in a browser', () => {

    const wrong: string[] = [];
    let data: string;
    let folder: string;
    let test: TestServer;
    let web: Server;
    let addresses: string[];
    let browser: Browser;
    let ana: Author;
    let ben: Author;
    let garden: MadeProject;
    let remix: Made;

    const archive = async (to: string): Promise<void> => {
        const host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: data, SITE_NAME: 'The village', SITE_COLOR: '0b6e4f' });
        expect(await run(['archive', to], host), host.err).to.equal(0);
    };

    lab.before(async () => {
        await build();
        data = mkdtempSync(join(tmpdir(), 'pagewright-archive-'));
        folder = join(data, 'archive');
        test = await startTestServer({ assets: await openStorage({ assetsUrl: null, dataDir: data }) });
        ana = await openAuthor(test, 'ana');
        ben = await openAuthor(test, 'بن', { language: 'ar' });
        garden = await ana.project({ title: 'The garden', description: 'Grow #plants on a sill.', visibility: 'public' });
        const png = await picture('png', { width: 320, height: 480 });
        const sent = await test.call('PUT', `/users/me/projects/${garden.id}/thumbnail`, png, { token: ana.token, headers: { 'content-type': 'image/png' } });
        expect(sent.status, sent.text).to.equal(200);
        await ana.element(garden.page, { attributes: { text: 'Hello there' }, styles: { left: 20, top: 20, fontSize: 24 } });
        await ana.element(garden.page, { type: 'image', attributes: { src: `asset:${hashOf(png)}`, alt: 'A sill' }, styles: { left: 20, top: 80, width: 100, height: 150 } });
        const second = await ana.page(garden, { x: 1, y: 0 });
        await ana.element(second, { attributes: { text: 'The second page' }, styles: { left: 20, top: 20 } });
        remix = await ben.remix(garden);
        await ben.call('PATCH', remix.url, { title: 'حديقتي', visibility: 'public' });
        const story = await ana.project({ title: 'A story', visibility: 'public' });
        await ana.element(story.page, { type: 'link', attributes: { text: 'To the second page of the garden', targetProjectId: garden.id, targetPageId: second.id }, styles: { left: 20, top: 20 } });
        await ana.element(story.page, { type: 'link', attributes: { text: 'To nowhere', targetProjectId: '999999' }, styles: { left: 20, top: 100 } });
        await test.database.db.raw('update projects set featured = true where id = ?', [garden.id]);
        await archive(folder);
        web = createServer(({ url = '' }, response) => {
            try {
                const name = url === '/' ? 'index.html' : url.slice(1);
                response.writeHead(200, { 'content-type': types[name.split('.').at(-1) ?? ''] }).end(readFileSync(join(folder, name)));
            }
            catch {
                wrong.push(`404 ${url}`);
                response.writeHead(404).end();
            }
        });
        addresses = [`${pathToFileURL(folder).href}/index.html`, `http://127.0.0.1:${await listen(web)}/index.html`];
        browser = await launchChromium();
    });

    lab.after(async () => {
        await browser?.close();
        web?.close();
        expect(test.faults).to.equal([]);
        await test.stop();
        rmSync(data, { recursive: true });
    });

    const open = async (address: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
        const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce', ...options });
        const page = await context.newPage();
        const inside = address.replace(/index\.html$/, '');
        page.on('request', (request) => {
            if (!request.url().startsWith('data:') && !request.url().startsWith(inside)) {
                wrong.push(`asks ${request.url()}`);
            }
        });
        page.on('requestfailed', (request) => {
            // A page that is left does not wait for its pictures.
            if (request.failure()?.errorText !== 'net::ERR_ABORTED') {
                wrong.push(`did not get ${request.url()}`);
            }
        });
        page.on('console', (message) => wrong.push(message.text()));
        page.on('pageerror', (error) => wrong.push(String(error)));
        await page.goto(address);
        return page;
    };

    for (const viewport of sizes) {
        lab.test(`is played from a disk and from a web server, ${viewport.width} pixels wide, and asks nobody else for anything`, async () => {
            for (const address of addresses) {
                const page = await open(address, { viewport });
                expect(await page.title()).to.equal('The village');
                expect(await page.locator('.top').evaluate((top) => getComputedStyle(top).display)).to.equal('flex');
                await page.waitForFunction(() => [...document.images].some((image) => image.naturalWidth === 320));
                await page.locator('.cards').first().getByRole('link', { name: 'The garden' }).click();
                await page.getByText('Hello there').waitFor();
                await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.pagewright-page img')?.naturalWidth === 320);
                expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('The garden');
                expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).to.be.true();
                await page.keyboard.press('ArrowRight');
                await page.getByText('The second page').waitFor();
                await page.getByRole('link', { name: 'ana' }).click();
                await page.getByRole('heading', { name: 'Projects' }).waitFor();
                await page.getByRole('link', { name: 'A story' }).click();
                await page.getByRole('link', { name: 'To the second page of the garden' }).click();
                await page.getByText('The second page').waitFor();
                await page.goBack();
                await page.getByRole('link', { name: 'To nowhere' }).click();
                await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
                await page.getByRole('link', { name: 'Languages' }).click();
                await page.getByRole('link', { name: 'Arabic' }).click();
                await page.getByRole('link', { name: 'حديقتي' }).click();
                await page.getByRole('link', { name: 'The garden' }).click();
                await page.getByText('Hello there').waitFor();
                await page.getByRole('link', { name: 'The village' }).click();
                await page.getByRole('heading', { name: 'New' }).waitFor();
                await page.context().close();
            }

            expect(wrong.splice(0)).to.equal([]);
        });
    }

    for (const { name, options } of looks) {
        lab.test(`has nothing that axe finds, ${name}`, async () => {
            // The policy of the pages lets no script in. From a disk, axe could not read the styles.
            const page = await open(String(addresses[1]), { ...options, bypassCSP: true });
            for (const file of [...['/', '/browse/new', '/tags', '/tags/plants', '/people', '/u/ana', '/languages', '/collections', '/missing'].map(fileOf), fileOf(`/p/${garden.id}`), fileOf(`/p/${remix.id}`)]) {
                await page.goto(new URL(file, addresses[1]).href);
                await page.waitForFunction(() => document.querySelector('.loading') === null);
                expect(await faultsOn(page, ['.pagewright-page']), file).to.equal([]);
            }

            await page.context().close();
            expect(wrong.splice(0)).to.equal([]);
        });
    }

    lab.test('is whole again after it was killed, however often', async () => {
        const made = await ana.bulk(Array.from({ length: 60 }, (_each, n) => ({ method: 'create', type: 'projects', data: { title: `Many ${n}`, visibility: 'public' } })));
        expect(made.status, made.text.slice(0, 300)).to.equal(200);
        const to = join(data, 'killed');
        const projects = (): string[] => filesIn(to).filter((name) => /^p\/.*\.html$/.test(name));
        for (const most of [1, 20, 40]) {
            const program = startProgram('admin', { DATABASE_URL: test.database.url, DATA_DIR: data, SITE_NAME: 'The village', SITE_COLOR: '0b6e4f' }, { args: ['archive', to] });
            await until(() => {
                try {
                    return projects().length >= most || program.child.exitCode !== null;
                }
                catch {
                    // It has just begun, or a file has just got its name.
                    return false;
                }
            });
            program.child.kill('SIGKILL');
            await program.ended;
            expect(projects().filter((name) => !readFileSync(join(to, name), 'utf8').endsWith('-->\n'))).to.equal([]);
        }

        expect(projects().length).to.be.between(39, 63);
        await archive(to);
        expect(projects().length).to.equal(63);
        expect(filesIn(to).filter((name) => name.endsWith('.part'))).to.equal([]);
        expect(faultsOfLinks(to)).to.equal([]);
    });
});
