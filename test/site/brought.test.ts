import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Page } from 'playwright-core';

import { Editing, expectSoon, told } from '../support/editing';
import { picture } from '../support/files';
import type { Product } from '../support/product';
import { zipBytes } from '../support/zips';

export const lab = script();
const { after, before, describe, it } = lab;

const file = async (name: string, mimeType: string): Promise<{ name: string; mimeType: string; buffer: Buffer }> => ({ name, mimeType, buffer: await readFile(join(__dirname, '../files/cases', name)) });

describe('what people bring to the site', { timeout: 300_000 }, () => {
    const editing = new Editing();
    let test: Product;

    before(async () => {
        await editing.start();
        ({ test } = editing);
    });

    after(editing.stop);

    lab.afterEach(editing.closeWindows);

    const chosen = (page: Page): ReturnType<Page['locator']> => page.locator('.tool.file input');

    it('is taken in the editor, or refused in words of the language that was chosen', async () => {
        const made = await editing.make();
        const page = await editing.open(made.owner, made.id);
        await chosen(page).setInputFiles(await file('voice.m4a', 'audio/x-m4a'));
        await expectSoon(async () => expect((await editing.pagesOf(made))[0]?.elements.map(({ type }) => type)).to.equal(['sound']));

        // Programs for messages and screenshots give files the wrong endings, and some systems none.
        for (const [name, mimeType, format] of [['photo.jpg', 'image/jpeg', 'png'], ['screen.png', 'image/png', 'webp'], ['picture', '', 'jpeg']] as const) {
            await chosen(page).setInputFiles({ name, mimeType, buffer: await picture(format) });
            await told(page, `Added: ${name}.`);
        }

        const typesOf = async (): Promise<(string | null)[]> => {
            const hashes = ((await editing.pagesOf(made))[0]?.elements ?? []).flatMap(({ type, attributes: { src } }) => (type === 'image' ? [String(src).replace('asset:', '')] : []));
            return Promise.all(hashes.map(async (hash) => (await fetch(`${test.url}/assets/${hash}`)).headers.get('content-type')));
        };

        await expectSoon(async () => expect(await typesOf()).to.equal(['image/png', 'image/webp', 'image/jpeg']));

        // The editor has no links to other languages, and goes on in the one that was chosen before.
        await page.goto(`${test.url}/?lang=es`);
        await page.goto(`${test.url}/edit/${made.id}`);
        await page.locator('html[lang=es] .stage').waitFor();
        // Each has bytes of its own: what is the same file is sent once, under its first name.
        const { buffer } = await file('phone.heic', '');
        for (const [name, mimeType] of [['phone.heic', 'image/heic'], ['tablet.heic', ''], ['cat.png', 'image/png']] as const) {
            await chosen(page).setInputFiles({ name, mimeType, buffer: Buffer.concat([buffer, Buffer.from(name)]) });
            await told(page, `«${name}» no se puede mostrar aquí`);
        }
    });

    it('is refused in the language of the page of files', async () => {
        const owner = await test.open();
        const page = await (await editing.windowOf(owner)).newPage();
        await page.goto(`${test.url}/account/files?lang=ar`);
        for (const [name, buffer, words] of [
            ['a.zip', Buffer.from('no zip'), 'هذا الملف المضغوط تالف'], ['a.zip', zipBytes([{ name: 'Plants/notes.txt', content: 'x' }]), 'ليس مشروعًا واحدًا'], ['a.zip', zipBytes([{ name: 'project.json', content: '{}' }]), 'project.json#/format'],
            ['a.html', Buffer.from('<p>'), 'ليست قصة من Twine'], ['a.md', Buffer.from([0xff]), 'لا يمكن قراءة هذا النص'], ['a.txt', Buffer.from([0xff]), 'لا يمكن قراءة هذا النص']
        ] as const) {
            await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer });
            await page.locator('form', { has: page.locator('input[type=file]') }).locator('button[type=submit]').click();
            await page.locator('[role=alert]', { hasText: words }).waitFor();
        }

        await page.locator('input[type=file]').setInputFiles(await file('zip-packed-again-mac.zip', 'application/zip'));
        await page.locator('form', { has: page.locator('input[type=file]') }).locator('button[type=submit]').click();
        await page.waitForURL(/\/edit\/\d+/);
    });

    it('may be a browser that keeps nothing: pages say so, and projects are played', async () => {
        const made = await editing.make();
        const context = await editing.guest(undefined, { locale: 'pt-BR' });
        await context.addInitScript(`for (const name of ['localStorage', 'sessionStorage']) {
            Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError'); } });
        }`);
        const page = await context.newPage();
        for (const path of ['/sign-in', '/account', `/edit/${made.id}`]) {
            await page.goto(`${test.url}${path}`);
            await page.getByText('o navegador não permite').waitFor();
        }

        const errors: string[] = [];
        page.on('pageerror', (error) => void errors.push(error.message));
        await page.goto(`${test.url}/p/${made.id}`);
        await page.locator('.sheet').waitFor();
        await page.goto(`${test.url}/`);
        await page.locator('h1').first().waitFor();
        expect(errors).to.equal([]);
    });
});
