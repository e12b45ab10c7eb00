import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Page } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { settled } from '../support/chromium';
import { Editing, desk, expectSoon, saved, thing, write } from '../support/editing';
import { fakeHost } from '../support/host';

export const lab = script();

const dot = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** What has the focus: its name, whether it can be seen, and whether it is seen to have the focus. */
const focused = `(() => {
    const one = document.activeElement;
    const { width, height, bottom, right } = one.getBoundingClientRect();
    const marked = [one, one.closest('label')].some((each) => each !== null && getComputedStyle(each).outlineStyle !== 'none' && getComputedStyle(each).outlineWidth !== '0px');
    const name = (one.getAttribute('aria-label') ?? one.closest('label')?.querySelector('span:not(:empty)')?.innerText ?? document.querySelector('label[for="' + one.id + '"]')?.innerText ?? one.innerText ?? '').trim();
    return { name, lost: one === document.body, seen: width > 0 && height > 0 && bottom > 0 && right > 0, marked: marked || one.matches('main, .sheet'), html: one.outerHTML.slice(0, 200) };
})()`;

interface Focused {
    name: string;
    lost: boolean;
    seen: boolean;
    marked: boolean;
    html: string;
}

/** Everything that issue 28 B asks for, with Tab, arrows, Enter, Space and Escape alone. Wherever the focus comes, it is seen. */
lab.experiment('By keyboard alone', () => {

    const editing = new Editing();
    const { guest, open, windowOf, make, pagesOf } = editing;

    lab.before(editing.start);
    lab.after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const focusOf = async (page: Page): Promise<string> => {
        // Where what had it is drawn anew, it comes back a moment later.
        await page.waitForFunction('document.activeElement !== document.body', undefined, { timeout: 10_000 }).catch(() => undefined);
        const { name, html, ...rest } = await page.evaluate<Focused>(focused);
        expect(rest, html).to.equal({ lost: false, seen: true, marked: true });
        return name;
    };

    /** Goes on with Tab to what has the name, and presses keys there. */
    const reach = async (page: Page, name: string | RegExp, ...keys: string[]): Promise<void> => {
        const passed: string[] = [];
        for (let step = 0; step < 120; ++step) {
            await page.keyboard.press('Tab');
            if (await page.evaluate<boolean>('document.activeElement === document.body || document.activeElement === document.documentElement')) {
                // Between the end of the page and its start.
                continue;
            }

            const now = await focusOf(page);
            if (typeof name === 'string' ? now === name : name.test(now)) {
                for (const key of keys) {
                    await page.keyboard.press(key);
                }

                return;
            }

            passed.push(now);
        }

        throw new Error(`Tab does not reach ${String(name)}, but ${passed.join(' | ')}`);
    };

    const closed = (page: Page): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' });

    lab.test('somebody opens an account, after mistakes, and begins a project', async () => {
        const { test } = editing;
        const username = `ana-${randomBytes(4).toString('hex')}`;
        const page = await (await guest()).newPage();
        await page.goto(`${test.url}/`);
        await reach(page, 'Sign in', 'Enter');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await reach(page, 'Open an account', 'Enter');
        await page.getByRole('heading', { name: 'Open an account' }).waitFor();
        expect(await focusOf(page)).to.equal('Username');
        await page.keyboard.type(username);
        await reach(page, 'Password');
        await page.keyboard.type('short');
        await page.keyboard.press('Enter');
        await page.locator('input[type="password"][aria-invalid="true"]:focus').waitFor();
        await focusOf(page);
        await page.keyboard.press('Control+a');
        await page.keyboard.type('correct horse battery');
        await reach(page, 'Open an account', 'Enter');

        await page.getByRole('heading', { name: `Welcome, ${username}!` }).waitFor();
        expect((await test.call('POST', '/tokens', { username, password: 'correct horse battery' })).status).to.equal(201);
        await page.locator('input[name="title"]:focus').waitFor();
        await page.keyboard.type('My garden');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/edit\/\d+$/);
        await page.locator('.stage').waitFor();
    });

    lab.test('somebody makes a page with a picture, turns, locks and orders things', async () => {
        const made = await make(['One', 'Two']);
        const page = await open(made.owner, made.id);
        const chooser = page.waitForEvent('filechooser');
        await reach(page, 'Picture', 'Enter');
        await (await chooser).setFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ type }) => type)).to.equal(['text', 'text', 'image']));
        await page.keyboard.press('Escape');
        await reach(page, 'One', 'Space');
        await page.keyboard.press('Shift+ArrowRight');
        await page.keyboard.press('Alt+ArrowRight');
        await page.keyboard.press('Control+]');
        await reach(page, 'Background');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await reach(page, 'Turn (degrees)', 'Control+a', '3', '0');
        await reach(page, 'Lock', 'Space');
        await saved(page);
        await expectSoon(async () => {
            const [one] = (await pagesOf(made))[0]?.elements ?? [];
            expect(one?.styles).to.include({ left: 30, width: 201, rotate: 30, zIndex: 1 });
            expect(one?.attributes.locked).to.be.true();
        });

        await page.keyboard.press('Escape');
        await reach(page, 'Add page', 'Enter');
        await expectSoon(async () => expect((await pagesOf(made)).length).to.equal(2));
        await reach(page, /^Page 2/, 'Alt+ArrowLeft');
        expect(await focusOf(page)).to.match(/^Page 1/);
        await reach(page, /^Page 2/, 'Enter');
        await thing(page, 'Two').waitFor();
        await reach(page, 'Two', 'Space', 'Delete');
        await focusOf(page);
        await saved(page);

        await reach(page, 'More', 'Enter');
        await reach(page, 'Trash', 'Enter');
        await page.getByRole('dialog').getByText('Two').first().waitFor();
        await reach(page, 'Bring back', 'Enter');
        await page.getByRole('dialog').getByText('Restored.').waitFor();
        await focusOf(page);
        await page.keyboard.press('Escape');
        await closed(page);
        expect(await focusOf(page)).to.equal('More');
        await thing(page, 'Two').waitFor();
    });

    lab.test('somebody looks through the history, names, restores and shares', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id);
        await reach(page, 'One', 'Enter');
        await write(page, 'Changed');
        await page.keyboard.press('Escape');
        await saved(page);
        const dialog = page.getByRole('dialog');
        await reach(page, 'History', 'Enter');
        await dialog.locator('.film-picture', { hasText: 'Changed' }).waitFor();
        await reach(page, 'Look through the history', 'ArrowLeft');
        await dialog.locator('.film-picture', { hasText: 'One' }).waitFor();
        await reach(page, 'Name', 'Enter');
        expect(await focusOf(page)).to.equal('Name of this point');
        await page.keyboard.type('For the fair');
        await page.keyboard.press('Enter');
        await dialog.locator('.film-part', { hasText: 'For the fair' }).waitFor();
        await focusOf(page);
        await reach(page, 'Look', 'Enter');
        await closed(page);
        expect(await focusOf(page)).to.equal('History');
        await reach(page, 'Back to now', 'Enter');
        await thing(page, 'Changed').waitFor();
        await focusOf(page);
        await reach(page, 'History', 'Enter');
        await dialog.locator('.film-picture', { hasText: 'Changed' }).waitFor();
        await reach(page, 'Look through the history', 'Home');
        await dialog.locator('.film-picture > *').first().waitFor();
        await page.keyboard.press('ArrowRight');
        await dialog.locator('.film-picture', { hasText: 'One' }).waitFor();
        await reach(page, 'Restore all', 'Enter');
        await closed(page);
        expect(await focusOf(page)).to.equal('History');
        await thing(page, 'One').waitFor();

        await reach(page, 'Share', 'Enter');
        await reach(page, 'Make a code', 'Enter');
        await page.locator('.row-form.code .qr').waitFor();
        await focusOf(page);
        await reach(page, 'Copy the address');
        await reach(page, 'Take it back', 'Enter');
        await page.locator('.row-form.code .qr').waitFor({ state: 'detached' });
        await focusOf(page);
        await page.keyboard.press('Escape');
        await closed(page);
        expect(await focusOf(page)).to.equal('Share');
    });

    lab.test('somebody publishes, another remixes, collects and reports, and a moderator decides', async () => {
        const { test } = editing;
        const made = await make(['One']);
        await test.call('PATCH', `/users/me/projects/${made.id}`, { visibility: 'private' }, { token: made.owner.token });
        const goTo = async (page: Page, path: string): Promise<void> => {
            await page.goto(`${test.url}${path}`);
            await page.locator('html:not(:has(#root)), #root h1').first().waitFor({ state: 'attached' });
        };

        const own = await (await windowOf(made.owner, desk)).newPage();
        await goTo(own, `/p/${made.id}`);
        await own.locator('details.publish').waitFor();
        await reach(own, 'Publish…', 'Enter');
        await reach(own, 'Publish it for everybody', 'Enter');
        await own.getByRole('status').filter({ hasText: 'It is published.' }).waitFor();
        await focusOf(own);
        expect((await test.call('GET', `/projects/${made.id}`)).status).to.equal(200);

        const mona = await test.open(`mona-${randomBytes(4).toString('hex')}`);
        expect(await run(['grant', mona.username, 'moderator'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        const page = await (await windowOf(mona, desk)).newPage();
        await goTo(page, `/p/${made.id}`);
        await settled(page);
        await reach(page, 'Report this project', 'Enter');
        // Nothing is chosen beforehand.
        await page.keyboard.press('Tab');
        await page.keyboard.press('ArrowDown');
        await reach(page, 'Send the report', 'Enter');
        await page.locator('.told', { hasText: /./ }).waitFor();
        await focusOf(page);
        await reach(page, 'Remix', 'Enter');
        await page.waitForURL(/\/edit\//);
        const remix = page.url().split('/').at(-1);

        await goTo(page, '/account/collections');
        await reach(page, 'New collection', 'Enter');
        await reach(page, 'Title');
        await page.keyboard.type('Green');
        await page.keyboard.press('Enter');
        await page.waitForURL(/id=/);
        for (const id of [made.id, remix]) {
            await page.locator('#root form').waitFor();
            await reach(page, /^Add a project/);
            await page.keyboard.type(String(id));
            await page.keyboard.press('Enter');
            await page.locator(`.row a[href^="/p/${id}"]`).first().waitFor();
            await focusOf(page);
        }

        await reach(page, /^Move up:/, 'Enter');
        await page.locator('.said', { hasText: /./ }).waitFor();
        await focusOf(page);

        await goTo(page, '/moderation');
        await reach(page, 'Hold “A small book”', 'Enter');
        await page.keyboard.type('Not nice');
        await reach(page, 'Hold', 'Enter');
        await closed(page);
        await page.locator('.said', { hasText: 'A small book' }).waitFor();
        await focusOf(page);
    });
});
