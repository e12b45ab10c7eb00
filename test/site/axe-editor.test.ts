import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Page } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { faultsOn, looks, openersIn } from '../support/axe';
import { Editing, desk, phone } from '../support/editing';
import type { Made } from '../support/editing';
import { fakeHost } from '../support/host';

export const lab = script();

const dot = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const at = (left: number, top: number): object => ({ left, top, width: 100, height: 60 });

const things = [
    { type: 'text', attributes: { text: 'The cat sleeps' }, styles: { ...at(10, 10), fontSize: 20 } }, { type: 'image', attributes: { src: dot, alt: 'A dot' }, styles: at(120, 10) },
    { type: 'shape', attributes: { shape: 'ellipse' }, styles: at(10, 90) }, { type: 'link', attributes: { text: 'Out', href: 'https://example.org' }, styles: at(120, 90) },
    { type: 'button', attributes: { text: 'Press', reveals: 'Boo' }, styles: at(10, 170) }, { type: 'sound', attributes: { src: 'data:audio/wav;base64,UklGRg==', alt: 'A bell' }, styles: at(120, 170) }
];

/** The editor with all that can be opened. What opens without a look at it fails the last test. */
lab.experiment('axe finds nothing in the editor', () => {

    const editing = new Editing();
    const { windowOf, show, make, join, put } = editing;
    const opened: string[] = [];

    lab.before(editing.start);
    lab.after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const made = async (): Promise<Made> => {
        const book = await make();
        for (const each of things) {
            await put(book, each);
        }

        return book;
    };

    for (const { name, isNarrow, options, t } of looks) {
        const open = async (who: Made['owner'], id: string): Promise<Page> => {
            return await show(await windowOf(who, isNarrow ? phone : desk, options), id);
        };

        const faults: string[] = [];
        const look = async (page: Page, what: string, of?: string): Promise<void> => {
            if (of !== undefined) {
                await page.locator('dialog[open], details[open]').first().waitFor();
                opened.push(of);
            }

            faults.push(...(await faultsOn(page)).map((fault) => `${what}: ${fault}`));
        };

        const press = (page: Page, key: string): Promise<void> => page.getByRole('button', { name: t(key), exact: true }).first().click();
        const dialogReady = (page: Page): Promise<void> => page.getByRole('dialog').locator('[role="status"]:empty').first().waitFor({ state: 'attached' });

        lab.test(`with what is chosen, written and opened, ${name}`, async () => {
            const book = await made();
            const page = await open(book.owner, book.id);
            await look(page, 'nothing chosen');
            if (isNarrow) {
                await press(page, 'editor.this_page');
                await look(page, 'this page');
                await page.locator('.panel-head button').click();
            }

            await page.locator('.tool.file input').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
            await page.locator('.banner.problem').waitFor();
            await look(page, 'what failed');
            await page.locator('.banner.problem button').click();

            const all = page.locator('.stage [data-element]');
            for (const index of things.keys()) {
                await page.keyboard.press('Escape');
                await all.nth(index).focus();
                await page.keyboard.press('Space');
                await page.locator('.editor.has-chosen').waitFor();
                await look(page, `${things[index]?.type} chosen`);
                if (isNarrow) {
                    await press(page, 'editor.edit');
                }

                if (index === 0) {
                    await page.locator('.numbers summary').click();
                    await look(page, 'numbers', 'web/editor/panel.tsx');
                }

                if (isNarrow) {
                    await look(page, `panel of ${things[index]?.type}`);
                    await page.locator('.panel-head button').click();
                }
            }

            await page.keyboard.press('ControlOrMeta+a');
            await look(page, 'all chosen');
            await page.keyboard.press('Escape');
            await all.first().focus();
            await page.keyboard.press('Enter');
            await page.locator('.inline-text textarea:focus').waitFor();
            await look(page, 'writing');
            await page.keyboard.press('Escape');
            await page.keyboard.press('Delete');
            await page.locator('.status.saved').waitFor();
            await press(page, 'editor.shapes');
            await look(page, 'shapes');
            await page.keyboard.press('Escape');
            await press(page, 'editor.type_sound');
            await look(page, 'sounds');
            await page.keyboard.press('Escape');

            const more = page.locator('.top-actions summary');
            await more.click();
            await look(page, 'the menu', 'web/editor/top-bar.tsx');
            await press(page, 'editor.trash');
            await page.getByRole('dialog').getByRole('button', { name: t('editor.bring_back') }).first().waitFor();
            await look(page, 'the trash', 'web/editor/trash.tsx');
            await page.keyboard.press('Escape');

            await more.click();
            await press(page, 'comments.title');
            await page.getByRole('dialog').locator('.comments[aria-busy="false"]').waitFor();
            await look(page, 'comments', 'web/editor/comments.tsx');
            await page.keyboard.press('Escape');

            await press(page, 'editor.share');
            await dialogReady(page);
            await press(page, 'editor.make_code');
            await page.locator('.qr').last().waitFor();
            await page.locator('dialog .rows').last().waitFor();
            await look(page, 'sharing', 'web/editor/share.tsx');
            await page.keyboard.press('Escape');

            await press(page, 'editor.history');
            await dialogReady(page);
            await page.locator('.film-picture > *').first().waitFor();
            await look(page, 'the history', 'web/editor/film.tsx');
            await page.locator('.film-part').last().click();
            await press(page, 'editor.name_point');
            await look(page, 'naming a point');
            await page.keyboard.press('Escape');
            await press(page, 'editor.history');
            await page.locator('.film-part').last().click();
            await press(page, 'editor.look');
            await page.locator('.banner').waitFor();
            await look(page, 'looking back');
            expect(faults.splice(0)).to.equal([]);
        });

        lab.test(`with others, ${name}`, async () => {
            const book = await made();
            const { test } = editing;
            const friend = await join(book);
            const page = await open(book.owner, book.id);
            const theirs = await open(friend, book.id);
            await theirs.locator('.stage [data-element]').first().focus();
            await page.locator('.others .other').waitFor();
            await look(page, 'somebody is here');
            await theirs.close();

            await page.context().setOffline(true);
            await page.locator('.stage [data-element]').first().focus();
            await page.keyboard.press('Enter');
            await page.locator('.inline-text textarea:focus').waitFor();
            await page.keyboard.press('ControlOrMeta+a');
            await page.keyboard.type('The tiger');
            await page.keyboard.press('Escape');
            await page.locator('.status.offline').waitFor();
            await look(page, 'without a connection');
            const element = (await editing.pagesOf(book))[0]?.elements[0];
            expect((await test.call('PATCH', `/users/${book.owner.id}/projects/${book.id}/pages/${book.page}/elements/${element?.id}`, { attributes: { text: 'A dog' } }, { token: friend.token })).status).to.equal(200);
            await page.context().setOffline(false);
            await press(page, 'editor.decide');
            await look(page, 'a conflict', 'web/editor/conflict.tsx');
            await press(page, 'editor.take_theirs');
            await page.locator('.status.saved').waitFor();
            await page.locator('.top-actions summary').click();
            await press(page, 'editor.trash');
            await page.locator('dialog .rows li').first().waitFor();
            await look(page, 'what was given up');

            const { body: { project: remix } } = await test.call('POST', `/users/${book.owner.id}/projects/${book.id}/remixes`, {}, { token: friend.token });
            await put(book, things[0] ?? {});
            const source = await open(friend, remix.id);
            await source.locator('.top-actions summary').click();
            await press(source, 'editor.source');
            await source.getByRole('dialog').getByRole('button', { name: t('editor.pull'), exact: true }).waitFor();
            await look(source, 'changes of the source', 'web/editor/share.tsx');

            const { test: { dataDir } } = editing;
            expect(await run(['grant', book.owner.username, 'teacher'], fakeHost({ DATA_DIR: dataDir }))).to.equal(0);
            const { body: { class: { id }, code } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: book.owner.token });
            await test.call('POST', '/classes', { code }, { token: friend.token });
            const { body: { assignment } } = await test.call('POST', `/classes/${id}/assignments`, { title: 'A story', text: 'Three pages.' }, { token: book.owner.token });
            const { body: { work } } = await test.call('POST', `/classes/${id}/assignments/${assignment.id}/work`, {}, { token: friend.token });
            const pupil = await open(friend, work.project_id);
            await pupil.locator('.task summary').click();
            await look(pupil, 'a task', 'web/editor/task.tsx');
            await press(pupil, 'classes.hand_in');
            await look(pupil, 'handing in', 'web/editor/task.tsx');

            const viewer = await test.open();
            await test.call('PUT', `/users/me/projects/${book.id}/members/${viewer.username}`, { role: 'viewer' }, { token: book.owner.token });
            const seen = await open(viewer, book.id);
            await look(seen, 'somebody who may only look');
            await press(seen, 'editor.share');
            await dialogReady(seen);
            await look(seen, 'sharing, for somebody who may only look');
            expect(faults.splice(0)).to.equal([]);
        });
    }

    lab.test('and everything that opens has been looked at', () => {
        expect(opened.sort()).to.equal(looks.flatMap(() => openersIn('web/editor')).sort());
        expect(editing.test.errors()).to.equal([]);
    });
});
