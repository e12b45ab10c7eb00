import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Page } from 'playwright-core';

import { Editing, expectSoon, phone, saved, tool, write } from '../support/editing';

export const lab = script();

// The one test of pages in a browser that everybody runs. .ci/run and .ci/nightly have the others.
lab.experiment('the website in a browser', () => {

    const editing = new Editing();

    lab.before(editing.start);
    lab.after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const visit = async (path: string, viewport?: typeof phone): Promise<{ page: Page; wrong: string[] }> => {
        const wrong: string[] = [];
        const page = await (await editing.guest(viewport)).newPage();
        page.on('pageerror', (error) => void wrong.push(String(error.stack)));
        page.on('console', (message) => void (/Content Security Policy/.test(message.text()) && wrong.push(message.text())));
        await page.goto(`${editing.test.url}${path}`);
        return { page, wrong };
    };

    lab.test('writes in the editor, shows it in the gallery, and plays it on a phone', async () => {
        const made = await editing.make(['Once upon a time']);
        const editor = await editing.open(made.owner, made.id);
        await tool(editor, 'Text');
        await write(editor, 'The door opens');
        await editor.keyboard.press('Escape');
        await saved(editor);
        await expectSoon(async () => expect(await editing.textsOf(made)).to.equal(['Once upon a time', 'The door opens']));

        const gallery = await visit('/');
        const card = gallery.page.locator(`a[href="/p/${made.id}"]`).first();
        await card.waitFor();
        await card.click();
        await gallery.page.getByText('The door opens').first().waitFor();
        expect(gallery.wrong).to.equal([]);

        const { page, wrong } = await visit(`/p/${made.id}`, phone);
        await page.getByText('Once upon a time').first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(true);
        expect(wrong).to.equal([]);
    });
});
