import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { launchChromium } from './support/chromium';
import { checkBuilt } from './support/client';
import { listen } from './support/host';
import { startProduct } from './support/product';
import { hashOf, picture } from './support/files';
import type { Product } from './support/product';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8' };

/** Seconds for which a tab has no network: `OFFLINE_SECONDS=60 npx lab test/browser.test.ts` waits longer. */
const OFFLINE = Number(process.env.OFFLINE_SECONDS ?? 3);

const PASSWORD = 'correct horse battery';

/** The editor of `examples/`, on another origin than the API: this tests what browsers allow. */
describe('an editor in a browser', () => {
    const files = createServer(({ url = '' }, response) => {
        const { pathname } = new URL(url, 'http://127.0.0.1');
        const type = types[extname(pathname)];
        response.writeHead(type === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' });
        response.end(type === undefined ? '' : readFileSync(join(__dirname, '..', pathname)));
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

    /** A separate browser window, like another person's computer; or a further tab of a window. */
    const openEditor = async (window?: BrowserContext): Promise<Page> => {
        const context = window ?? await browser.newContext({ locale: 'pt-BR' });
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
        await there.fill('#element-text', 'Segunda');
        await ana.fill('#element-text', 'Primeira');
        await ana.click('#save-element');
        await told(ana, 'Saved.');
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

    /** An author with a project of two texts on its page, in two tabs. */
    const openTwoTabs = async (): Promise<{ tabs: [Page, Page]; pages: () => Promise<{ id: string; elements: { attributes: { text?: string; targetPageId?: string }; styles: { left: number } }[] }[]>; id: string }> => {
        const name = `eva-${randomBytes(3).toString('hex')}`;
        const first = await openEditor();
        await enter(first, '#open-account', name);
        await told(first, 'Welcome!');
        await first.fill('#new-title', 'Hortas');
        await first.click('#create-project');
        await told(first, 'Created.');
        for (const text of ['Tomates', 'Feijão']) {
            await first.fill('#new-text', text);
            await first.click('#add-text');
            await first.locator('#stage > *', { hasText: text }).waitFor();
            await told(first, 'Added the text.');
        }

        const second = await openEditor(first.context());
        await told(second, 'Signed in.');
        await second.locator('#projects button', { hasText: 'Hortas' }).click();
        await told(second, 'Opened.');
        const id = String(await second.getAttribute('#projects button', 'data-project-id'));
        const { user_id: user } = (await test.call('GET', `/projects/${id}`)).body.project;
        return { tabs: [first, second], id, pages: async () => (await test.call('GET', `/users/${user}/projects/${id}/pages`)).body.pages };
    };

    const idle = (page: Page): Promise<void> => page.locator('#queue', { hasText: 'All saved.' }).waitFor();

    it('keeps the edits of two tabs of one page, and shows each what the other does', async () => {
        const { tabs: [first, second], pages } = await openTwoTabs();
        await select(first, 'Tomates');
        await select(second, 'Tomates');
        await first.fill('#element-text', 'Tomates e manjericão');
        await second.fill('#element-left', '77');
        await Promise.all([first.click('#save-element'), second.click('#save-element')]);
        await Promise.all([first, second].map((page) => page.locator('#stage > [style*="left: 77px"]', { hasText: 'Tomates e manjericão' }).waitFor()));
        await Promise.all([first, second].map(idle));
        const [page] = await pages();
        expect(page?.elements.map(({ attributes: { text }, styles: { left } }) => [text, left])).to.equal([['Tomates e manjericão', 77], ['Feijão', 20]]);

        // Undo takes back one change, and keeps the other.
        await first.locator('#undo:not([disabled])').click();
        await told(first, 'Undone.');
        await first.locator('#redo:not([disabled])').click();
        await told(first, 'Done again.');
        await second.locator('#stage > [style*="left: 77px"]', { hasText: 'Tomates e manjericão' }).waitFor();
        expect(wrong).to.equal([]);
    });

    it('loses nothing of a tab without a network, and looks back at the history', async () => {
        const { tabs: [first, second], pages } = await openTwoTabs();
        const context = first.context();
        await context.setOffline(true);
        await select(first, 'Tomates');
        await first.fill('#element-text', 'Tomates sem rede');
        await first.click('#save-element');
        await told(first, 'Kept. It is sent as soon as there is a connection.');
        await first.fill('#new-text', 'Novo');
        await first.click('#add-text');
        await told(first, 'Kept.');
        await first.fill('#element-text', 'Novo e mudado');
        await first.click('#save-element');
        await told(first, 'Kept.');
        await first.locator('#queue', { hasText: 'No connection: 3 edits wait.' }).waitFor();

        await second.waitForTimeout(OFFLINE * 1000);
        await context.setOffline(false);
        await Promise.all([first, second].map(idle));
        await second.locator('#stage > *', { hasText: 'Novo e mudado' }).waitFor();
        expect((await pages())[0]?.elements.map(({ attributes: { text } }) => text)).to.equal(['Tomates sem rede', 'Feijão', 'Novo e mudado']);

        await second.click('#history summary');
        await second.locator('#changes button').last().click();
        await told(second, 'This is how it was');
        expect(await second.locator('#stage > *').count()).to.equal(0);
        await second.click('#back');
        await second.locator('#changes button').nth(3).click();
        await second.click('#restore');
        await told(second, 'Restored.');
        await first.locator('#stage > *', { hasText: 'Novo e mudado' }).waitFor({ state: 'detached' });
        expect((await pages())[0]?.elements.map(({ attributes: { text } }) => text)).to.equal(['Tomates', 'Feijão']);
        expect(wrong).to.equal([]);
    });

    it('brings a deleted project back from the trash, with links that work', async () => {
        const { tabs: [first, second], pages, id } = await openTwoTabs();
        await first.fill('#page-x', '1');
        await first.click('#add-page');
        await told(first, 'Added the page.');
        await idle(first);
        const [from, to] = await pages();
        const { user_id: user } = (await test.call('GET', `/projects/${id}`)).body.project;
        const token = JSON.parse(await first.evaluate('Object.values(localStorage)[0]')).token;
        await test.call('POST', `/users/${user}/projects/${id}/pages/${from?.id}/elements`, { type: 'link', attributes: { text: 'Mais', targetPageId: to?.id } }, { token });
        await first.click('#delete-project');
        await told(first, 'Deleted. It is in the trash.');
        await told(second, 'This project was deleted. It is in the trash.');
        expect((await test.call('GET', `/projects/${id}`)).status).to.equal(404);
        await first.click('#trash summary');
        await first.click(`#bring-back-project-${id}`);
        await told(first, 'Restored.');
        const again = await pages();
        expect(again.map((page) => page.id)).to.equal([from?.id, to?.id]);
        expect(again[0]?.elements.at(-1)?.attributes).to.equal({ text: 'Mais', targetPageId: again[1]?.id });
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

    it('places pictures by file picker, paste and drop, on a phone', async () => {
        const context = await browser.newContext({ viewport: { width: 390, height: 780 } });
        const page = await openEditor(context);
        await enter(page, '#open-account', `pia-${randomBytes(3).toString('hex')}`);
        await told(page, 'Welcome!');
        await page.fill('#new-title', 'Pictures');
        await page.click('#create-project');
        await told(page, 'Created.');
        const pictures = await Promise.all([1, 2, 3].map(() => picture()));
        await page.setInputFiles('#new-picture', { name: 'cat.png', mimeType: 'image/png', buffer: pictures[0] ?? Buffer.alloc(0) });
        await page.locator('#stage img').first().waitFor();
        await told(page, 'Added the picture.');
        for (const [n, way] of ['paste', 'drop'].entries()) {
            await page.evaluate(`{
                const transfer = new DataTransfer();
                transfer.items.add(new File([Uint8Array.from(atob('${(pictures[n + 1] ?? Buffer.alloc(0)).toString('base64')}'), (one) => one.charCodeAt(0))], 'dog.png', { type: 'image/png' }));
                const all = { bubbles: true, cancelable: true };
                const event = '${way}' === 'paste' ? new ClipboardEvent('paste', { clipboardData: transfer, ...all }) : new DragEvent('drop', { dataTransfer: transfer, clientX: 100, clientY: 300, ...all });
                document.querySelector('#stage').dispatchEvent(event);
            }`);
            await page.locator('#stage img').nth(n + 1).waitFor();
            await told(page, 'Added the picture.');
        }

        await page.waitForFunction(`[...document.querySelectorAll('#stage img')].every(({ complete, naturalWidth }) => complete && naturalWidth === 40)`);
        const sources = await page.locator('#stage img').evaluateAll((all) => all.map((one) => one.getAttribute('src')));
        expect(sources).to.equal(pictures.map((bytes) => `${test.url}/assets/${hashOf(bytes)}?width=640`));
        await context.close();
        expect(wrong).to.equal([]);
    });
});
