import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { launchChromium } from '../support/chromium';
import { fakeHost } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

export const lab = script();

/** The size of a window of 1280 by 800 pixels at 200 %, and the narrowest one in which nothing may have to be scrolled sideways (WCAG 2.2, 1.4.10). */
const sizes: Readonly<Record<string, ViewportSize>> = { 'at 200 %': { width: 640, height: 400 }, 'at a width of 320 pixels': { width: 320, height: 568 } };
const enlarged: BrowserContextOptions = { viewport: sizes['at 200 %'], deviceScaleFactor: 2 };

/** From right to left; the others too with `LOOKS=all`, as each night. */
const languages = process.env.LOOKS === 'all' ? ['en', 'ar', 'ru'] : ['ar'];

lab.experiment('The site, enlarged and from right to left', () => {

    let test: Product;
    let browser: Browser;
    let ana: Actor;
    let project: { id: string };

    lab.before(async () => {
        test = await startProduct();
        browser = await launchChromium();
        // As long as a name may be.
        ana = await test.open(`ana-${randomBytes(8).toString('hex')}`);
        const { body } = await test.call('POST', '/users/me/projects', { title: 'Lighthouses, weather and boats of all the harbours that we know', description: `A ${'w'.repeat(200)} #${'tag'.repeat(15)}` }, { token: ana.token });
        ({ project } = body);
        const element = { type: 'text', attributes: { text: 'One' }, styles: { left: 100, top: 40, width: 100, fontSize: 20 } };
        await test.call('POST', `/users/me/projects/${project.id}/pages/${body.page.id}/elements`, element, { token: ana.token });
        await test.call('POST', `/users/me/projects/${project.id}/pages`, { x: 1, y: 0 }, { token: ana.token });
    });

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
    });

    /** A browser of its own, in which somebody may be signed in. */
    const windowIn = async (lang: string, options: BrowserContextOptions, session?: Actor): Promise<Page> => {
        const context = await browser.newContext({ locale: lang, ...options });
        context.setDefaultTimeout(120_000);
        if (session !== undefined) {
            const { id, username, token } = session;
            await context.addInitScript(`localStorage.setItem(${JSON.stringify(`pagewright ${test.url}`)}, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
        }

        return context.newPage();
    };

    const open = async (path: string, lang: string, session?: Actor): Promise<Page> => {
        const page = await windowIn(lang, { viewport: { width: 1280, height: 800 } }, session);
        await page.goto(test.url + path);
        return page;
    };

    /** What is wrong with a page: whether it has to be scrolled sideways, and which of its controls lie outside of the window, or under something else, wherever one scrolls. */
    const faultsOf = (page: Page): Promise<string[]> => page.evaluate(() => {
        const controls = [...document.querySelectorAll('a[href], button, input:not([type="hidden"]), select, textarea, summary')].filter((one) => !one.matches('.skip, .pagewright-page *') && one.checkVisibility());
        const lost = controls.filter((one) => {
            one.scrollIntoView({ block: 'center', inline: 'center' });
            const { left, top, width, height } = one.getBoundingClientRect();
            const above = document.elementFromPoint(left + width / 2, top + height / 2);
            return above === null || !(one.contains(above) || above.contains(one) || one.closest('label')?.contains(above));
        });
        scrollTo(0, 0);
        const isTooWide = document.documentElement.scrollWidth > innerWidth;
        const beyond = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth || one.getBoundingClientRect().left < 0).at(-1);
        return [...isTooWide ? [`too wide: ${document.documentElement.scrollWidth} of ${innerWidth}, such as ${beyond?.outerHTML.slice(0, 200)}`] : [], ...controls.length === 0 ? ['no controls'] : [], ...lost.map((one) => `out of reach: ${one.outerHTML.slice(0, 200)}`)];
    });

    /** Checks a page that is open, in each size. A new page for each would take most of the time of the test. */
    const expectInReach = async (page: Page, what: string): Promise<void> => {
        for (const [size, viewport] of Object.entries(sizes)) {
            await page.setViewportSize(viewport);
            expect(await faultsOf(page), `${what} ${size}`).to.equal([]);
        }
    };

    /** The page of a class of hers with a pupil. */
    const newClass = async (): Promise<string> => {
        expect(await run(['grant', ana.username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'W'.repeat(100) }, { token: ana.token });
        expect((await test.call('POST', `/classes/${id}/pupils`, { names: ['W'.repeat(60)] }, { token: ana.token })).status).to.equal(201);
        return `/class/${id}`;
    };

    for (const lang of languages) {
        lab.test(`needs no scrolling sideways, and has everything in reach, in ${lang}`, async () => {
            const page = await windowIn(lang, enlarged);
            for (const path of ['/', `/p/${project.id}`, `/p/${project.id}/embed`, `/u/${ana.username}`, '/find?q=harbour', '/browse/new', '/sign-in', '/sign-up', '/p/999999999']) {
                await page.goto(test.url + path);
                if (path.startsWith('/sign')) {
                    await page.locator('form input').nth(1).waitFor();
                }

                expect(await page.evaluate(() => document.documentElement.lang), path).to.equal(lang);
                await expectInReach(page, path);
            }

            await page.context().close();
            const own = await windowIn(lang, enlarged, ana);
            for (const part of ['projects', 'shared', 'collections', 'trash', 'files', 'sessions', 'tokens', 'passkeys', 'identities', 'profile']) {
                await own.goto(`${test.url}/account/${part}`);
                await own.locator('#root h1').waitFor();
                await own.locator('#root').locator('.loading, [aria-busy="true"]').first().waitFor({ state: 'detached' });
                await expectInReach(own, `/account/${part}`);
            }

            const newest = await newClass();
            for (const path of ['/classes', ...['wall', 'assignments', 'people', 'settings'].map((part) => `${newest}?part=${part}`)]) {
                await own.goto(test.url + path);
                await own.locator('#root h1').waitFor();
                await own.locator('#root').locator('.loading').first().waitFor({ state: 'detached' });
                await expectInReach(own, path);
            }

            await own.context().close();
        });

        lab.test(`has all controls of the editor in reach, in ${lang}`, async () => {
            const page = await windowIn(lang, enlarged, ana);
            await page.goto(`${test.url}/edit/${project.id}`);
            const element = page.locator('.stage [data-element]');
            await element.waitFor();
            await expectInReach(page, 'nothing chosen');
            await element.click();
            await page.locator('.chosen-bar').waitFor();
            await expectInReach(page, 'a text chosen');
            await page.locator('.chosen-bar button').first().click();
            await page.locator('.panel.open .words').waitFor();
            await expectInReach(page, 'its panel open');
            await page.context().close();
        });
    }

    lab.test('begins at the right in Arabic, but leaves the places of things as they are', async () => {
        const page = await open('/', 'ar');
        expect(await page.evaluate(() => document.documentElement.dir)).to.equal('rtl');
        const places = await page.evaluate(() => ['.brand', '.search', 'nav.session'].map((one) => document.querySelector(one)?.getBoundingClientRect().right ?? 0));
        expect(places).to.equal([...places].sort((a, b) => b - a));
        await page.context().close();

        const player = await open(`/p/${project.id}`, 'ar');
        const [one, all] = await player.locator('#page-number').evaluate(({ firstChild }) => [0, (firstChild?.textContent?.length ?? 1) - 1].map((at) => {
            const range = document.createRange();
            range.setStart(firstChild ?? document, at);
            range.setEnd(firstChild ?? document, at + 1);
            return range.getBoundingClientRect().x;
        }));
        expect(Number(one), 'the number of the page, at the right of how many there are').to.be.above(Number(all));
        await player.context().close();

        const editor = await open(`/edit/${project.id}`, 'ar', ana);
        const element = editor.locator('.stage [data-element]');
        const from = await element.boundingBox();
        const panel = await editor.locator('.panel').boundingBox();
        expect(panel?.x).to.equal(0);
        const [first, second] = [await editor.locator('.page-button').first().boundingBox(), await editor.locator('.page-button').nth(1).boundingBox()];
        expect(Number(second?.x)).to.be.above(first?.x ?? 0);
        await editor.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 10);
        await editor.mouse.down();
        await editor.mouse.move((from?.x ?? 0) + 80, (from?.y ?? 0) + 10, { steps: 4 });
        expect(Math.round((await element.boundingBox())?.x ?? 0)).to.be.within(Math.round(from?.x ?? 0) + 57, Math.round(from?.x ?? 0) + 63);
        await editor.mouse.up();
        await editor.locator('.status.saved').waitFor();
        expect(Math.round((await element.boundingBox())?.x ?? 0)).to.be.within(Math.round(from?.x ?? 0) + 57, Math.round(from?.x ?? 0) + 63);
        await editor.context().close();
    });
});
