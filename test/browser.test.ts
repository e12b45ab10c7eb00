import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { launchChromium } from './support/chromium';
import { checkBuilt } from './support/client';
import { listen } from './support/host';
import { startProduct } from './support/product';
import type { Product } from './support/product';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const PASSWORD = 'correct horse battery';

/** The editor of `examples/`, on another origin than the API: this tests what browsers allow. */
describe('an editor in a browser', { timeout: 180_000 }, () => {
    const files = createServer(({ url = '' }, response) => {
        const isScript = url.endsWith('.js');
        response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' });
        response.end(readFileSync(join(__dirname, '..', isScript ? 'client/dist/pagewright.js' : 'examples/editor.html')));
    });
    let test: Product;
    let browser: Browser;
    let editor: string;
    const wrong: string[] = [];

    before(async () => {
        await checkBuilt();
        test = await startProduct();
        editor = `http://127.0.0.1:${await listen(files)}/examples/editor.html?api=${test.url}`;
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        files.close();
        await test?.stop();
    });

    /** A separate browser window, like another person's computer. */
    const openEditor = async (): Promise<Page> => {
        const context = await browser.newContext({ locale: 'pt-BR' });
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', (error) => void wrong.push(error.message));
        await page.goto(editor);
        return page;
    };

    const told = (page: Page, words: string): Promise<void> => page.locator('#message', { hasText: words }).waitFor();

    const enter = async (page: Page, button: string, username: string): Promise<void> => {
        await page.fill('#username', username);
        await page.fill('#password', PASSWORD);
        await page.click(button);
    };

    const select = async (page: Page, text: string): Promise<void> => {
        await page.locator('#stage > *', { hasText: text }).click();
    };

    it('opens an account, writes, resolves a conflict, saves everything at once, remixes and reads', async () => {
        const run = randomBytes(3).toString('hex');
        const ana = await openEditor();
        await enter(ana, '#open-account', `ana-${run}`);
        await told(ana, 'Welcome!');
        await ana.fill('#new-title', 'Um dia');
        await ana.click('#create-project');
        await told(ana, 'Created.');
        await ana.fill('#page-x', '1');
        await ana.fill('#page-y', '-1');
        await ana.click('#add-page');
        await told(ana, 'Added the page.');
        await ana.fill('#new-text', 'Bom dia 🌅');
        await ana.click('#add-text');
        await told(ana, 'Added the text.');
        await ana.fill('#element-text', 'Boa noite 🌙');
        await ana.click('#save-element');
        await told(ana, 'Saved.');

        // The same author at another computer.
        const there = await openEditor();
        await enter(there, '#sign-in', `ANA-${run}`);
        await told(there, 'Signed in.');
        await there.locator('#projects button', { hasText: 'Um dia' }).click();
        await there.locator('#grid button', { hasText: '1, -1' }).click();
        await select(there, 'Boa noite 🌙');

        // Both write: the slower one gets a conflict, and decides.
        await ana.fill('#element-text', 'Primeira');
        await ana.click('#save-element');
        await told(ana, 'Saved.');
        await there.fill('#element-text', 'Segunda');
        await there.click('#save-element');
        await told(there, 'Somebody else saved first: nothing was saved.');
        expect(await there.textContent('#conflict-theirs') ?? '').to.startWith('Primeira');
        await there.click('#keep-mine');
        await told(there, 'Saved your version.');

        await ana.click('#reload');
        await told(ana, 'This is the saved version.');
        expect(await ana.inputValue('#element-text')).to.equal('Segunda');
        await ana.fill('#element-left', '44');
        await ana.fill('#project-title', 'Um dia, e outro');
        await ana.click('#save-all');
        await told(ana, 'Saved 2 changes at once.');

        // Somebody else remixes it.
        const { body } = await test.call('GET', '/projects?count=100');
        const project = body.projects.find(({ author }: { author: { username: string } }) => author.username === `ana-${run}`);
        expect(project).to.include({ title: 'Um dia, e outro' });
        expect(project.author.locale.language).to.equal('pt-BR');
        const ben = await openEditor();
        await enter(ben, '#open-account', `ben-${run}`);
        await told(ben, 'Welcome!');
        await ben.fill('#remix-id', project.id);
        await ben.click('#remix');
        await told(ben, 'Remixed “Um dia, e outro”');
        await ben.locator('#grid button', { hasText: '1, -1' }).click();
        await select(ben, 'Segunda');
        expect(await ben.inputValue('#element-left')).to.equal('44');
        await ben.click('#delete-element');
        await told(ben, 'Deleted.');
        expect(await ben.locator('#stage > *').count()).to.equal(0);

        const remix = await test.call('GET', `/projects/${project.id}`);
        expect(remix.body.project.stats).to.include({ remixes: 1 });
        expect(wrong).to.equal([]);
        expect(test.errors()).to.equal([]);
    });

    it('lets a script read the headers that each row exposes, and no others', async () => {
        const author = await test.open();
        await Promise.all([1, 2].map((n) => test.call('POST', `/users/${author.id}/projects`, { title: `${n}` }, { token: author.token })));
        const page = await openEditor();
        const read = (method: string, path: string, headers: Record<string, string> = {}): Promise<{ status: number; etag: string | null; link: string | null; challenge: string | null }> => {
            return page.evaluate(async ([target = '', verb = '', more = '']) => {
                const response = await fetch(target, { method: verb, headers: JSON.parse(more) });
                const { status, headers: got } = response;
                return { status, etag: got.get('ETag'), link: got.get('Link'), challenge: got.get('WWW-Authenticate') };
            }, [`${test.url}${path}`, method, JSON.stringify(headers)]);
        };

        // An open row: a list.
        const list = await read('GET', `/users/${author.id}/projects?count=1`);
        expect(list.status).to.equal(200);
        expect(list.etag).to.be.a.string();
        expect(list.link).to.contain('rel="next"');

        // A fixed row has the tag, but does not show it to scripts of other origins; a preflight lets If-None-Match through.
        const { body } = await test.call('GET', `/users/${author.id}/projects`);
        const path = `/users/${author.id}/projects/${body.projects[0].id}`;
        const answer = await test.call('GET', path);
        expect(answer.headers.etag).to.be.a.string();
        expect(await read('GET', path)).to.equal({ status: 200, etag: null, link: null, challenge: null });
        expect(await read('GET', path, { 'If-None-Match': String(answer.headers.etag) })).to.include({ status: 304 });

        // Errors can be read as well, with the challenge.
        const refused = await read('DELETE', path, { Authorization: 'Bearer no' });
        expect(refused.status).to.equal(401);
        expect(refused.challenge).to.contain('invalid_token');

        // A header outside the allowed ones does not get past the preflight.
        await expect(read('GET', path, { 'If-Match': '"1"' })).to.reject(/Failed to fetch/);
    });
});
