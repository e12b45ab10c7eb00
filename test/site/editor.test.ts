import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { BrowserContext, Page } from 'playwright-core';

import { Browser, registerApp, tokensFor } from '../support/apps';
import { Dice } from '../support/dice';
import { Editing, expectSoon, middleOf, phone, saved, shown, thing, told, tool, write } from '../support/editing';
import type { Made } from '../support/editing';
import { hashOf, picture, referenceTo } from '../support/files';
import type { Product } from '../support/product';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Seconds of random edits: `EDITOR_SECONDS=300 npm test -- test/site/editor.test.ts` edits longer. */
const RANDOM = Number(process.env.EDITOR_SECONDS ?? 3);

describe('the editor of the site', { timeout: 600_000 + 2000 * RANDOM }, () => {
    const editing = new Editing();
    const { windowOf, show, open, make, pagesOf, textsOf } = editing;
    let test: Product;

    before(async () => {
        await editing.start();
        ({ test } = editing);
    });

    after(editing.stop);

    lab.afterEach(editing.closeWindows);

    it('opens a project, adds a text, and saves it by itself', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        // The field has the focus before a next key can be pressed.
        expect(await page.evaluate(`(() => {
            [...document.querySelectorAll('button')].find(({ textContent, ariaLabel }) => [textContent, ariaLabel].includes('Text')).click();
            return Promise.resolve().then(() => Promise.resolve()).then(() => document.activeElement.matches('textarea'));
        })()`)).to.be.true();
        await page.keyboard.type('Hello from here');
        await saved(page);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Hello from here']));
        await page.reload();
        await thing(page, 'Hello from here').waitFor();
    });

    it('opens a private project without a request that fails', async () => {
        const made = await make(['Mine']);
        await test.call('PATCH', `/users/me/projects/${made.id}`, { visibility: 'private' }, { token: made.owner.token });
        const context = await windowOf(made.owner);
        const failed: string[] = [];
        context.on('response', (response) => void (response.ok() || failed.push(`${response.status()} ${response.url()}`)));
        context.on('console', (message) => void (message.type() === 'error' && failed.push(message.text())));
        const page = await show(context, made.id);
        await thing(page, 'Mine').click();
        await page.keyboard.press('ArrowRight');
        await saved(page);
        expect(failed).to.equal([]);
    });

    it('moves and resizes by mouse, undoes and redoes', async () => {
        const made = await make(['One', 'Two']);
        const page = await open(made.owner, made.id);
        const box = await thing(page, 'One').boundingBox();
        const at = { x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 10 };
        await page.mouse.move(at.x, at.y);
        await page.mouse.down();
        const { body: { project: { revision } } } = await test.call('GET', `/projects/${made.id}`);
        await page.mouse.move(at.x + 50, at.y + 150, { steps: 5 });
        // Where it is until it is dropped is nothing but a picture.
        expect(Number((await thing(page, 'One').boundingBox())?.y)).to.be.about((box?.y ?? 0) + 150, 2);
        expect(await page.evaluate('document.querySelector(".stage [data-element]").style.top')).to.equal('6.25cqw');
        await page.mouse.up();
        await saved(page);
        expect(Number((await thing(page, 'One').boundingBox())?.y)).to.be.about((box?.y ?? 0) + 150, 2);
        expect((await test.call('GET', `/projects/${made.id}`)).body.project.revision).to.equal(revision + 1);
        const [first] = (await pagesOf(made)).flatMap(({ elements }) => elements);
        expect(first?.styles.top ?? 0).to.be.above(80);
        const handle = await page.locator('.handle.se').boundingBox();
        await page.mouse.move((handle?.x ?? 0) + 22, (handle?.y ?? 0) + 22);
        await page.mouse.down();
        await page.mouse.move((handle?.x ?? 0) - 60, (handle?.y ?? 0) + 22, { steps: 5 });
        await page.mouse.up();
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements[0]?.styles.width ?? 999).to.be.below(190));

        await page.keyboard.press('Control+z');
        await told(page, 'Undone.');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements[0]?.styles).to.include({ width: 200, top: first?.styles.top }));
        await page.keyboard.press('Control+z');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements[0]?.styles.top).to.equal(20));
        await page.keyboard.press('Control+Shift+z');
        await told(page, 'Done again.');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements[0]?.styles.top).to.equal(first?.styles.top));
    });

    it('does an author\'s day by keyboard alone', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        const press = async (...keys: string[]): Promise<void> => {
            for (const key of keys) {
                await page.keyboard.press(key);
            }
        };

        /** Goes on with Tab to what has the name. */
        const reach = async (name: string, back = false): Promise<void> => {
            for (let step = 0; step < 90; ++step) {
                await press(back ? 'Shift+Tab' : 'Tab');
                const now = await page.evaluate('((one) => (one.getAttribute("aria-label") ?? one.closest("label")?.querySelector("span:not(:empty)")?.innerText ?? one.innerText ?? "").trim())(document.activeElement)');
                if (now === name) {
                    return;
                }
            }

            throw new Error(`Tab does not reach ${name}`);
        };

        await reach('Text');
        await press('Enter');
        await write(page, 'Chapter one');
        await reach('Chapter one', true);
        await press('ArrowRight', 'Shift+ArrowDown', 'Alt+ArrowLeft');
        await told(page, /wide/);
        await press('Control+c', 'Control+v');
        await told(page, 'Pasted 1 thing.');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Chapter one', 'Chapter one']));
        await press('Delete');
        await told(page, /Deleted 1 thing/);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Chapter one']));
        const [element] = (await pagesOf(made))[0]?.elements ?? [];
        expect(element?.styles).to.include({ left: 21, width: 279 });

        await reach('Shape');
        await press('Enter');
        await reach('Circle');
        await press('Enter');
        await reach('Add page', true);
        await press('Enter');
        await told(page, /Added page 2/);
        await reach('Button');
        await press('Enter');
        await reach('Go to a page');
        await press('Enter');
        await write(page, 'Back');
        await reach('Leads to');
        await page.keyboard.type('Page 1');
        await press('Control+a');
        await saved(page);
        await expectSoon(async () => {
            const [one, two] = await pagesOf(made);
            expect(one?.elements.map(({ type }) => type)).to.equal(['text', 'shape']);
            expect(two?.elements[0]?.attributes).to.include({ text: 'Back', targetPageId: one?.id });
        });

        await reach('History', true);
        await press('Enter');
        await page.getByRole('dialog').getByRole('slider').waitFor();
        await press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    it('chooses several, changes their looks and layers, and works with pages', async () => {
        const made = await make(['One', 'Two', 'Three']);
        const page = await open(made.owner, made.id);
        await thing(page, 'One').click();
        await thing(page, 'Three').click({ modifiers: ['Shift'] });
        await page.getByRole('heading', { name: '2 things chosen' }).waitFor();
        await page.getByRole('button', { name: 'Bold' }).click();
        await page.getByRole('button', { name: 'Larger letters' }).click();
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ styles: { fontWeight, fontSize } }) => `${fontWeight} ${fontSize}`)).to.equal(['bold 24', 'undefined 20', 'bold 24']));

        await thing(page, 'Two').click();
        await page.getByRole('button', { name: 'To the front' }).click();
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ styles: { zIndex } }) => zIndex ?? 0)).to.equal([0, 1, 0]));

        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Duplicate page' }).click();
        await page.getByRole('button', { name: 'Move the page to the left' }).click();
        await told(page, 'The page is number 1 now.');
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made)).map(({ x, elements }) => `${x}: ${elements.length}`).sort()).to.equal(['0: 3', '1: 3']));
        await page.getByRole('button', { name: 'Delete page' }).click();
        await expectSoon(async () => expect((await pagesOf(made)).map(({ id, x }) => `${id} ${x}`)).to.equal([`${made.page} 1`]));
        await page.locator('.menu summary').click();
        await page.getByRole('button', { name: 'Trash' }).click();
        await page.getByRole('button', { name: 'Bring back' }).first().click();
        await expectSoon(async () => expect((await pagesOf(made)).length).to.equal(2));
    });

    it('looks back, names a point and goes back', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id);
        await thing(page, 'One').click();
        await page.locator('.words').fill('Changed');
        await saved(page);
        await tool(page, 'History');
        const dialog = page.getByRole('dialog');
        const slider = dialog.getByRole('slider', { name: 'Look through the history' });
        await dialog.locator('.film-picture', { hasText: 'Changed' }).waitFor();
        // All of one author on one day is one part, with a picture.
        await dialog.locator('.film-part', { hasText: made.owner.username }).locator('.still-picture', { hasText: 'Changed' }).waitFor();
        expect(await dialog.locator('.film-part').count()).to.equal(1);
        await slider.focus();
        await page.keyboard.press('ArrowLeft');
        await dialog.locator('.film-picture', { hasText: 'One' }).waitFor();
        await dialog.getByRole('button', { name: 'Name' }).click();
        await dialog.getByLabel('Name of this point').fill('For the fair');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.locator('.film-part', { hasText: 'For the fair' }).waitFor();
        await dialog.getByRole('button', { name: 'Look', exact: true }).click();
        await page.locator('.stage.still', { hasText: 'One' }).waitFor();
        expect(await page.getByRole('button', { name: 'Text', exact: true }).count()).to.equal(0);
        await page.getByRole('button', { name: 'Restore all' }).click();
        await thing(page, 'One').waitFor();
        expect(await textsOf(made)).to.equal(['One']);

        // The same from the film, without looking first.
        await tool(page, 'History');
        await dialog.locator('.film-picture', { hasText: 'One' }).waitFor();
        await slider.focus();
        await page.keyboard.press('ArrowLeft');
        await dialog.locator('.film-picture', { hasText: 'Changed' }).waitFor();
        await dialog.getByRole('button', { name: 'Restore all' }).click();
        await dialog.waitFor({ state: 'detached' });
        expect(await textsOf(made)).to.equal(['Changed']);
    });

    it('tells what an app did from what its user did', async () => {
        const made = await make(['One']);
        const app = await registerApp(test, made.owner, { name: 'Garden bot' });
        const { access_token: token } = await tokensFor(test, app, new Browser(made.owner.token));
        expect((await test.call('PATCH', `/users/me/projects/${made.id}`, { title: 'By a bot' }, { token })).status).to.equal(200);
        const page = await open(made.owner, made.id);
        await tool(page, 'History');
        const dialog = page.getByRole('dialog');
        await dialog.locator('.film-words', { hasText: `${made.owner.username} with Garden bot` }).waitFor();
        expect(await dialog.locator('.film-part').count()).to.equal(2);
    });

    it('shares, and lets a stranger only remix', async () => {
        const made = await make(['Ours']);
        const [friend, stranger] = [await test.open(), await test.open()];
        const page = await open(made.owner, made.id);
        await tool(page, 'Share');
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel(/Everybody/).waitFor();
        await dialog.getByLabel(/Only you/).check();
        await dialog.getByText('Changed who can see it.').waitFor();
        await dialog.getByLabel('Username').fill(friend.username);
        await dialog.getByRole('button', { name: 'Let in' }).click();
        await dialog.getByLabel(`What ${friend.username} may do`).waitFor();
        await dialog.getByRole('button', { name: 'Make a code' }).click();
        expect((await dialog.getByLabel('Code').inputValue()).length).to.be.above(8);
        expect(await middleOf(dialog.locator('.qr').last()), 'nobody has to look for the new code').to.include({ width: 192 });
        const [box, code] = [await dialog.boundingBox(), await dialog.locator('.row-form.code').boundingBox()];
        expect(Number(code?.y) + Number(code?.height)).to.be.at.most(Number(box?.y) + Number(box?.height));
        expect((await test.call('GET', `/projects/${made.id}`)).status).to.equal(404);

        const theirs = await open(friend, made.id);
        await thing(theirs, 'Ours').click();
        await theirs.locator('.words').fill('All of us');
        await thing(page, 'All of us').waitFor();

        const window = await windowOf(stranger);
        const hidden = await window.newPage();
        await hidden.goto(`${test.url}/edit/${made.id}`);
        await hidden.getByRole('heading', { name: 'This page does not exist, or is not public.' }).waitFor();
        await dialog.getByLabel(/Everybody/).check();
        await expectSoon(async () => expect((await test.call('GET', `/projects/${made.id}`)).status).to.equal(200));
        await hidden.reload();
        await hidden.getByRole('button', { name: 'Remix' }).click();
        await hidden.locator('.stage', { hasText: 'All of us' }).waitFor();

        await thing(theirs, 'All of us').click();
        await theirs.locator('.words').fill('News');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['News']));
        await hidden.locator('.menu summary').click();
        await hidden.getByRole('button', { name: 'Changes of the source' }).click();
        await hidden.getByRole('button', { name: 'Take them over' }).click();
        await hidden.locator('.stage', { hasText: 'News' }).waitFor();
    });

    it('merges what two people do at once, and asks if they wrote the same text', async () => {
        const made = await make(['One', 'Two']);
        const friend = await test.open();
        await test.call('PUT', `/users/me/projects/${made.id}/members/${friend.username}`, { role: 'editor' }, { token: made.owner.token });
        const windows = [await windowOf(made.owner), await windowOf(friend)] as const;
        const [ana, ben] = await Promise.all(windows.map((window) => show(window, made.id)));
        if (ana === undefined || ben === undefined) {
            throw new Error('There are two');
        }

        // Neither hears of the other until both have edited.
        await Promise.all(windows.map((window) => window.setOffline(true)));
        await thing(ana, 'One').click();
        await ana.locator('.words').fill('One by Ana');
        await thing(ben, 'One').click();
        await ben.getByRole('button', { name: 'Bold' }).click();
        await Promise.all(windows.map((window) => window.setOffline(false)));
        await Promise.all([saved(ana), saved(ben)]);
        await thing(ben, 'One by Ana').waitFor();
        // Each is shown who else is at work.
        await ana.getByRole('list', { name: 'Also at work here' }).getByRole('button', { name: friend.username }).waitFor();
        await ben.getByRole('list', { name: 'Also at work here' }).getByRole('button', { name: made.owner.username }).waitFor();
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements[0]).to.include({ attributes: { text: 'One by Ana' } }));
        expect(String((await pagesOf(made))[0]?.elements[0]?.styles.fontWeight)).to.equal('bold');

        await windows[0].setOffline(true);
        await thing(ana, 'Two').click();
        await ana.locator('.words').fill('Three');
        await ana.locator('.status.offline').waitFor();
        await thing(ben, 'Two').click();
        await ben.locator('.words').fill('Four');
        await saved(ben);
        await expectSoon(async () => expect(await textsOf(made)).to.contain('Four'));
        await windows[0].setOffline(false);
        await ana.getByRole('button', { name: 'Decide' }).click();
        const dialog = ana.getByRole('dialog');
        await dialog.getByText('Four').waitFor();
        await dialog.getByText('Three').waitFor();
        await dialog.getByRole('button', { name: 'Keep mine' }).click();
        await thing(ben, 'Three').waitFor();
        await saved(ana);
        expect(await shown(ana)).to.equal(await shown(ben));
    });

    it('loses nothing without a connection, and says what was deleted meanwhile', async () => {
        const made = await make(['One', 'Two']);
        const window = await windowOf(made.owner);
        const page = await show(window, made.id);
        await window.setOffline(true);
        await tool(page, 'Text');
        await write(page, 'Written on a train');
        await tool(page, 'Add page');
        await tool(page, 'Button');
        await tool(page, 'Show something');
        await write(page, 'Press');
        await page.locator('.status.offline').waitFor();
        await window.setOffline(false);
        await saved(page);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['One', 'Two', 'Written on a train', 'Press']));

        await page.getByRole('navigation').getByRole('button').first().click();
        await window.setOffline(true);
        await thing(page, 'One').click();
        await page.locator('.words').fill('Still mine');
        await page.locator('.status.offline').waitFor();
        const [first] = (await pagesOf(made))[0]?.elements ?? [];
        await test.call('DELETE', `/users/me/projects/${made.id}/pages/${made.page}/elements/${first?.id}`, undefined, { token: made.owner.token });
        await window.setOffline(false);
        await page.getByRole('button', { name: 'Decide' }).click();
        await page.getByRole('button', { name: 'Add mine again' }).click();
        await saved(page);
        await expectSoon(async () => expect((await textsOf(made)).sort()).to.equal(['Press', 'Still mine', 'Two', 'Written on a train']));
    });

    it('shows a page and an element of it that have the same id as two things', async () => {
        /** Makes so many in a project. @returns their ids */
        const fill = async ({ id: projectId, page: pageId, owner: { id, token } }: Made, type: 'pages' | 'elements', count: number): Promise<number[]> => {
            const actions = Array.from({ length: count }, (_one, x) => ({ type, method: 'create', data: type === 'pages' ? { projectId, x, y: 1, styles: {} } : { pageId, type: 'text', attributes: { text: 'x' }, styles: {} } }));
            const { body, text } = await test.call('POST', `/users/${id}/bulk`, { actions }, { token });
            expect(text).to.contain('results');
            return body.results.map((result: { id: string }) => Number(result.id));
        };

        /** Uses up ids in other projects. @returns the last one */
        const useUp = async (type: 'pages' | 'elements', until: number): Promise<number> => {
            let [last = 0] = await fill(await make(), type, 1);
            while (last < until) {
                last = (await fill(await make(), type, Math.min(500, until - last))).at(-1) ?? 0;
            }

            return last;
        };

        // The next elements have ids of these pages.
        await useUp('pages', await useUp('elements', 0));
        const made = await make();
        const ids = await fill(made, 'pages', 50);
        await useUp('elements', (ids[0] ?? 0) + 5);
        const page = await open(made.owner, made.id);
        const sheets = page.locator('.pages .page-button');
        expect(await sheets.count()).to.equal(51);
        await tool(page, 'Text');
        await write(page, 'Hello');
        await saved(page);
        const stored = (await pagesOf(made)).flatMap((sheet) => sheet.elements.map(({ id, attributes: { text } }) => ({ id, text, sheet: sheet.id })));
        expect(stored.map(({ text, sheet }) => [text, sheet])).to.equal([['Hello', made.page]]);
        expect(ids).to.include(Number(stored[0]?.id));
        expect([await sheets.count(), await page.locator('.stage [data-element]').allTextContents()]).to.equal([51, ['Hello']]);
        await page.keyboard.press('Escape');
        await test.call('DELETE', `/users/me/projects/${made.id}/pages/${made.page}/elements/${stored[0]?.id}`, {}, { token: made.owner.token });
        await page.locator('.stage [data-element]').waitFor({ state: 'detached' });
        expect(await sheets.count()).to.equal(51);
    });

    it('keeps every letter of a new text while answers are late', async () => {
        const made = await make();
        const window = await windowOf(made.owner);
        const page = await show(window, made.id);
        const late: { creation: (() => void)[]; differences: (() => void)[] } = { creation: [], differences: [] };
        let isLate = true;
        await window.route('**/bulk', async (route) => {
            const response = await route.fetch();
            await (late.creation.length === 0 ? new Promise<void>((resolve) => void late.creation.push(resolve)) : undefined);
            await route.fulfill({ response });
        });
        await tool(page, 'Text');
        await page.keyboard.type('S');
        await expectSoon(() => Promise.resolve(expect(late.creation.length).to.equal(1)));
        await window.route('**/changes?**', async (route) => {
            const response = await route.fetch();
            await (isLate ? new Promise<void>((resolve) => void late.differences.push(resolve)) : undefined);
            await route.fulfill({ response });
        });
        await page.keyboard.type('t');
        late.creation[0]?.();
        // What is different once it is made arrives only when later letters are stored.
        await expectSoon(() => Promise.resolve(expect(late.differences.length).to.equal(1)));
        await page.keyboard.type('o');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Sto']));
        await saved(page);
        await page.keyboard.type('r');
        late.differences[0]?.();
        await expectSoon(() => Promise.resolve(expect(late.differences.length).to.equal(2)));
        const field = page.locator('.inline-text textarea');
        expect(await field.inputValue()).to.equal('Stor');
        await page.keyboard.type('y 9');
        expect(await field.inputValue()).to.equal('Story 9');
        await page.keyboard.press('Escape');
        await saved(page);
        expect(await page.locator('.stage [data-element]').allTextContents()).to.equal(['Story 9']);
        expect(await textsOf(made)).to.equal(['Story 9']);
        isLate = false;
        const asked = page.waitForResponse(/\/changes\?/);
        late.differences.forEach((answer) => answer());
        await asked;
        await expectSoon(async () => expect(await page.locator('.stage [data-element]').allTextContents()).to.equal(['Story 9']));
    });

    it('keeps every letter of a new text while something else is changed', async () => {
        const made = await make();
        const window = await windowOf(made.owner);
        const page = await show(window, made.id);
        const late: (() => void)[] = [];
        let isLate = true;
        await window.route('**/changes?**', async (route) => {
            const response = await route.fetch();
            await (isLate ? new Promise<void>((resolve) => void late.push(resolve)) : undefined);
            await route.fulfill({ response });
        });
        // What is different before the text is made arrives only after it is made, and some letters are typed.
        await test.call('PATCH', `/users/me/projects/${made.id}`, { title: 'Another book' }, { token: made.owner.token });
        await expectSoon(() => Promise.resolve(expect(late.length).to.equal(1)));
        const creation = page.waitForResponse('**/bulk');
        await tool(page, 'Text');
        await creation;
        await page.keyboard.type('St');
        late[0]?.();
        await expectSoon(() => Promise.resolve(expect(late.length).to.equal(2)));
        await page.keyboard.type('ory 9');
        await page.keyboard.press('Escape');
        await saved(page);
        isLate = false;
        late.forEach((answer) => answer());
        await expectSoon(async () => expect(await page.getByRole('textbox', { name: 'Title of the project' }).inputValue()).to.equal('Another book'));
        expect(await page.title()).to.startWith('Another book · ');
        expect(await page.locator('.stage [data-element]').allTextContents()).to.equal(['Story 9']);
        expect(await textsOf(made)).to.equal(['Story 9']);
    });

    it('takes a picture that is dropped on a phone, and one from the file picker', async () => {
        const made = await make();
        const page = await open(made.owner, made.id, phone);
        const bytes = [await picture('png'), await picture('png')];
        await page.evaluate(`((bytes) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'cat.png', { type: 'image/png' }));
            const stage = document.querySelector('.stage');
            const { left, top } = stage.getBoundingClientRect();
            stage.dispatchEvent(new DragEvent('drop', { dataTransfer: data, clientX: left + 40, clientY: top + 50, bubbles: true, cancelable: true }));
        })(${JSON.stringify([...bytes[0] ?? []])})`);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ type }) => type)).to.equal(['image']));
        // A second visitor, who looks for it with one reload after another.
        const dropped = Date.now();
        const visitor = await (await windowOf(await test.open())).newPage();
        const isShown = async (): Promise<boolean> => {
            await visitor.goto(`${test.url}/p/${made.id}`);
            return await visitor.locator('.sheet img[src*="/assets/"]').count() === 1;
        };

        while (!await isShown()) {
            expect(Date.now() - dropped).to.be.below(60_000);
        }

        console.log(`      in the player ${Date.now() - dropped} ms after it was saved`);
        await page.getByRole('button', { name: 'Done' }).click();
        await page.locator('.tool.file input').setInputFiles({ name: 'dog.png', mimeType: 'image/png', buffer: bytes[1] ?? Buffer.alloc(0) });
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ attributes: { src } }) => /^asset:\w{64}$/.test(String(src)))).to.equal([true, true]));
        expect(await page.evaluate('((image) => image.decode().then(() => image.naturalWidth > 0))(document.querySelector(".stage img"))')).to.be.true();
        await page.locator('.tool.file input').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
        await told(page, 'That is no picture, sound or video.');
    });

    it('shows a picture that waits for a scan to whoever has sent it, also after a reload', async () => {
        const made = await make();
        const bytes = await picture('png');
        const headers = { 'content-type': 'image/png' };
        expect((await test.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { token: made.owner.token, headers })).status).to.equal(201);
        await editing.put(made, { type: 'image', attributes: { src: referenceTo(bytes) }, styles: { left: 20, top: 20, width: 200 } });
        const context = await windowOf(made.owner, undefined, { serviceWorkers: 'block' });
        // The service answers so until a scanner has let it pass (test/files/scans).
        await context.route('**/assets/*', (route) => (route.request().headers().authorization === `token ${made.owner.token}` ? route.continue() : route.fulfill({ status: 404 })));
        const page = await show(context, made.id);
        await page.locator('.stage img[src^="blob:"]').waitFor();
        expect(await page.evaluate('((image) => image.decode().then(() => image.naturalWidth > 0))(document.querySelector(".stage img"))')).to.be.true();
    });

    it('is the same in two browsers after random edits, losses of network and reloads', async () => {
        const dice = new Dice(Number(process.env.SEED ?? 20261122));
        const made = await make(['One', 'Two', 'Three', 'Four']);
        const friend = await test.open();
        await test.call('PUT', `/users/me/projects/${made.id}/members/${friend.username}`, { role: 'editor' }, { token: made.owner.token });
        const windows = [await windowOf(made.owner), await windowOf(friend)];
        const pages = await Promise.all(windows.map((window) => show(window, made.id)));
        const written: string[] = [];
        const end = Date.now() + 1000 * RANDOM;

        const decide = async (page: Page): Promise<void> => {
            for (const name of ['Keep both', 'Keep mine', 'Add mine again', 'Let mine go', 'Decide']) {
                const button = page.getByRole('button', { name });
                if (await button.isVisible()) {
                    await button.click({ timeout: 2000 }).catch(() => undefined);
                    return;
                }
            }
        };

        const edit = async (page: Page, window: BrowserContext, who: number): Promise<void> => {
            await decide(page);
            const all = await page.locator('.stage [data-element]').all();
            const one = all.length === 0 ? undefined : dice.pick(all);
            switch (dice.pick(['move', 'move', 'write', 'add', 'add', 'offline', 'reload', 'page'])) {
                case 'move':
                    await one?.focus({ timeout: 1000 });
                    for (let step = dice.between(1, 6); step > 0; --step) {
                        await page.keyboard.press(dice.pick(['ArrowLeft', 'ArrowRight', 'Shift+ArrowDown', 'Shift+ArrowUp']) ?? '');
                    }

                    break;
                case 'write':
                    await one?.focus({ timeout: 1000 });
                    await page.keyboard.press('Enter');
                    await page.keyboard.type(`w${dice.below(1000)}`);
                    break;
                case 'add': {
                    await page.getByRole('button', { name: 'Text', exact: true }).click({ timeout: 1000 });
                    const text = `new ${who} ${written.length} ${randomBytes(3).toString('hex')}`;
                    await page.keyboard.type(text);
                    // It is there, however long the machine takes to save it.
                    written.push(text);
                    // What is not kept yet may be lost by a reload, of which the browser warns.
                    await page.locator('.status:not(.saving)').waitFor({ timeout: 5000 });
                    break;
                }

                case 'page':
                    await page.locator('.page-button').first().click({ timeout: 1000 });
                    break;
                case 'offline':
                    await window.setOffline(true);
                    await page.locator('.stage [data-element]').first().focus({ timeout: 1000 });
                    await page.keyboard.press('ArrowDown');
                    await page.waitForTimeout(dice.between(50, 1500));
                    await window.setOffline(false);
                    break;
                default:
                    await page.locator('.status:not(.saving)').waitFor({ timeout: 5000 });
                    await page.reload();
                    await page.locator('.stage').waitFor();
            }
        };

        await Promise.all(windows.map(async (window, who) => {
            const page = pages[who];
            page?.on('dialog', (dialog) => void dialog.accept());
            while (page !== undefined && Date.now() < end) {
                // A dialog may come between, or somebody takes away what is about to be edited.
                await edit(page, window, who).catch(() => undefined);
            }
        }));

        await Promise.all(pages.map(async (page) => {
            for (;;) {
                await decide(page);
                if (await page.locator('.status.saved').count() === 1) {
                    return;
                }

                await page.waitForTimeout(100);
            }
        }));
        const [ana, ben] = pages;
        await expectSoon(async () => expect(await shown(ana ?? failed())).to.equal(await shown(ben ?? failed())));
        const texts = await textsOf(made);
        await expectSoon(async () => expect((await shown(ana ?? failed())).split('\n').length).to.equal(texts.length));
        // Others may have written into what was added. What is added while the test believes that it could not press the button is not in the list.
        expect(texts.length).to.be.at.least(4 + written.length);
        const stored = texts.map(String);
        const twice = written.map((text) => text.slice(-6)).filter((mark) => stored.filter((text) => text.includes(mark)).length > 1);
        expect(twice).to.equal([]);
        console.log(`      ${written.length} texts added in ${RANDOM} s`);
    });
});

const failed = (): never => {
    throw new Error('There are two pages');
};
