import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { BrowserContext, Locator, Page } from 'playwright-core';

import { languageNames } from '../../src/site/languages';
import { faultsOn } from '../support/axe';
import { Editing, desk, expectSoon, phone } from '../support/editing';
import type { Made } from '../support/editing';
import type { Actor } from '../support/server';

export const lab = script();

/** What people say to each other: below the player, in the editor, and on the pages of people. */
lab.experiment('The conversation on the site', () => {

    const editing = new Editing();
    const wrong: string[] = [];

    lab.before(editing.start);
    lab.after(editing.stop);
    lab.afterEach(async () => {
        await editing.closeWindows();
        expect(wrong.splice(0)).to.equal([]);
    });

    const visit = async (context: BrowserContext, path: string): Promise<Page> => {
        const page = await context.newPage();
        page.on('pageerror', (error) => void wrong.push(String(error.stack)));
        page.on('console', (message) => void (/Content Security Policy/.test(message.text()) && wrong.push(message.text())));
        await page.goto(`${editing.test.url}${path}`);
        return page;
    };

    const comments = (page: Page): Locator => page.locator('#comments');

    /** Goes to the comments, which are loaded by that. */
    const read = async (page: Page): Promise<void> => {
        await comments(page).scrollIntoViewIfNeeded();
        await comments(page).locator('.comments[aria-busy="false"]').waitFor();
    };

    const button = (where: Page | Locator, name: string): Locator => where.getByRole('button', { name, exact: true });
    const said = (page: Page, text: string): Locator => page.locator('.comment', { hasText: text });

    const find = async (page: Page, but: readonly string[] = ['.pagewright-page']): Promise<void> => {
        expect(await faultsOn(page, but)).to.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
    };

    /** A book of two pages, and a comment on it. */
    const book = async (): Promise<Made & { second: string; element: string }> => {
        const made = await editing.make(['One cat']);
        const { test } = editing;
        const token = { token: made.owner.token };
        const { body: { page } } = await test.call('POST', `/users/me/projects/${made.id}/pages`, { x: 1, y: 0 }, token);
        const { body: { element } } = await test.call('POST', `/users/me/projects/${made.id}/pages/${page.id}/elements`, { type: 'text', attributes: { text: 'Two cats' }, styles: { left: 20, top: 20, width: 200 } }, token);
        return { ...made, second: page.id, element: element.id };
    };

    const write = async ({ id, owner }: Made, { token }: Actor, comment: object): Promise<string> => {
        const { status, body } = await editing.test.call('POST', `/users/${owner.id}/projects/${id}/comments`, comment, { token });
        expect(status).to.equal(201);
        return body.comment.id;
    };

    for (const viewport of [desk, phone]) {
        const isPhone = viewport === phone;
        const press = (target: Locator): Promise<void> => (isPhone ? target.tap() : target.click());
        const where = isPhone ? 'by touch at 390 pixels' : 'by mouse and keys at 1280 pixels';

        lab.test(`goes back and forth, ${where}`, async () => {
            const made = await book();
            const ben = await editing.test.open();
            const path = `/p/${made.id}/${made.second}`;

            const guest = await visit(await editing.guest(viewport), path);
            await read(guest);
            await comments(guest).getByText('There are no comments yet.').waitFor();
            expect(await comments(guest).getByRole('link', { name: 'Sign in to comment' }).getAttribute('href')).to.include(encodeURIComponent(`${path}#comments`));
            expect(await comments(guest).getByRole('textbox').count()).to.equal(0);
            await find(guest);

            const his = await visit(await editing.windowOf(ben, viewport), path);
            await read(his);
            const field = his.getByLabel('Write a comment');
            await press(button(his, 'Send'));
            await comments(his).getByText('Write something first.').waitFor();
            await field.fill('<b>Nice</b> https://away.example\nقصة جميلة\nThanks');
            await his.reload();
            await read(his);
            expect(await field.inputValue(), 'a draft survives a reload').to.startWith('<b>Nice</b>');
            await press(his.getByLabel('It is about page 2'));
            await (isPhone ? press(button(his, 'Send')) : field.press('Control+Enter'));
            const first = said(his, 'https://away.example');
            await first.locator('.chip', { hasText: 'about page 2' }).waitFor();
            await expectSoon(async () => expect(await his.evaluate('document.activeElement.textContent')).to.include('away.example'));
            expect(await field.inputValue()).to.equal('');
            expect(await first.locator('.words :is(a, b)').count(), 'text is text alone').to.equal(0);
            const lines = await first.locator('.words').evaluate((words) => {
                const range = document.createRange();
                const node = words.firstChild;
                const { left, right } = words.getBoundingClientRect();
                return String(node?.textContent).split('\n').map((line) => {
                    const start = String(node?.textContent).indexOf(line);
                    range.setStart(node ?? words, start);
                    range.setEnd(node ?? words, start + line.length);
                    const box = range.getBoundingClientRect();
                    return box.left - left < 2 ? 'left' : right - box.right < 2 ? 'right' : 'between';
                });
            });
            expect(lines, 'each line is in its own direction').to.equal(['left', 'right', 'left']);

            const hers = await visit(await editing.windowOf(made.owner, viewport), path);
            await read(hers);
            await press(button(said(hers, 'away.example'), 'Reply'));
            await hers.getByLabel(`Your reply to ${ben.username}`).fill(`Thank you, @${ben.username}!`);
            await press(button(hers.locator('.replies'), 'Reply'));
            expect(await said(hers, 'Thank you').locator('.words a').getAttribute('href')).to.equal(`/u/${ben.username}`);
            await find(hers);

            await his.clock.install();
            await his.reload();
            await read(his);
            await write(made, made.owner, { text: 'One more thing' });
            await his.clock.fastForward(60_000);
            await his.evaluate('void dispatchEvent(new Event("focus"))');
            await press(button(his, 'Show new comments'));
            await said(his, 'One more thing').waitFor();
            await press(button(said(his, 'away.example').first(), 'Edit'));
            await his.getByLabel('Change your comment').fill('Nicer');
            await press(button(his, 'Save'));
            await said(his, 'Nicer').first().getByText('edited').waitFor();
            await press(button(said(his, 'Nicer').first(), 'Remove'));
            await find(his);
            await press(button(his.getByRole('group', { name: 'Remove it for good?' }), 'Remove'));
            await said(his, 'Removed by whoever wrote it.').waitFor();
            await said(his, 'Thank you').waitFor();
        });

        lab.test(`reports in two taps, and blocks in two, which can be taken back, ${where}`, async () => {
            const made = await book();
            const { test } = editing;
            const [ben, zoe] = [await test.open(), await test.open()];
            await write(made, zoe, { text: 'You are bad at this' });
            const page = await visit(await editing.windowOf(ben, viewport), `/p/${made.id}`);
            await read(page);
            const theirs = page.locator('.comment').first();
            const toggle = button(theirs, 'Report or block');
            if (!isPhone) {
                await toggle.focus();
                await page.keyboard.press('Enter');
                await theirs.getByText('What is wrong?').waitFor();
                await find(page);
                await page.keyboard.press('Escape');
                expect(await theirs.locator('.concerns').isVisible()).to.be.false();
            }

            await press(toggle);
            await press(button(theirs, `Block ${zoe.username}`));
            await theirs.getByText('You have blocked whoever wrote this.').waitFor();
            expect(await theirs.getByText('You are bad at this').count()).to.equal(0);
            const blocked = async (): Promise<string[]> => (await test.call('GET', '/users/me/blocks', undefined, { token: ben.token })).body.blocks.map(({ user }: { user: Actor }) => user.username);
            expect(await blocked()).to.equal([zoe.username]);
            await find(page);
            await press(button(theirs, 'Undo'));
            await theirs.getByText('You are bad at this').waitFor();
            expect(await blocked()).to.equal([]);

            await press(toggle);
            const reported = page.waitForRequest((request) => request.method() === 'POST' && /\/comments\/\d+\/reports$/.test(request.url()));
            await press(button(theirs, 'It is hurtful'));
            expect((await reported).postDataJSON()).to.equal({ reason: 'hurtful' });
            await theirs.getByText('Thank you. The moderators will look at it.').waitFor();
        });

        lab.test(`is closed by the owner, ${where}`, async () => {
            const made = await book();
            const ben = await editing.test.open();
            const hers = await visit(await editing.windowOf(made.owner, viewport), `/p/${made.id}`);
            await read(hers);
            await hers.getByLabel('Who may comment').selectOption('nobody');
            await comments(hers).getByText('Saved.').waitFor();
            const his = await visit(await editing.windowOf(ben, viewport, { locale: 'ar', colorScheme: 'dark' }), `/p/${made.id}?lang=ar`);
            await read(his);
            await comments(his).getByText('التعليقات مغلقة هنا.').waitFor();
            expect(await comments(his).getByRole('textbox').count()).to.equal(0);
            expect(await his.getByLabel('من يمكنه التعليق').count()).to.equal(0);
            await find(his);
        });

        lab.test(`lets people follow and like, ${where}`, async () => {
            const made = await book();
            const { owner } = made;
            const ben = await editing.test.open();
            const context = await editing.windowOf(ben, viewport);
            const player = await visit(context, `/p/${made.id}`);
            const like = button(player, 'Like');
            await press(like);
            await player.locator('[data-action="like"][aria-pressed="true"]').waitFor();
            await expectSoon(async () => expect((await editing.test.call('GET', `/projects/${made.id}/like`, undefined, { token: ben.token })).body.like).to.equal({ liked: true }));
            expect(await player.locator('.likes').textContent()).to.equal('');
            const hers = await visit(await editing.windowOf(owner, viewport), `/p/${made.id}`);
            await hers.getByText('1 person likes it').waitFor();

            const person = await visit(context, `/u/${owner.username}`);
            await press(button(person, 'Follow'));
            await person.getByText(`You follow ${owner.username}.`).waitFor();
            await find(person);
            const feed = await visit(context, '/account');
            await (isPhone ? press(feed.locator('.account > nav [aria-expanded]')) : undefined);
            await press(feed.getByRole('link', { name: 'Feed', exact: true }).locator('visible=true').first());
            await feed.getByRole('link', { name: 'A small book' }).first().waitFor();
            await find(feed);
            await press(button(feed, `Do not follow ${owner.username} any more`));
            await feed.getByText('You follow nobody.').waitFor();
        });

        lab.test(`is about an element in the editor, ${where}`, async () => {
            const made = await book();
            const ben = await editing.test.open();
            await write(made, ben, { text: 'About the cats', page: made.second, element: made.element });
            await write(made, ben, { text: 'About the first page', page: made.page });
            const page = await editing.show(await editing.windowOf(made.owner, viewport), made.id);
            const dialog = page.getByRole('dialog');
            const open = async (): Promise<void> => {
                await press(page.locator('.top-actions summary'));
                await press(button(page, 'Comments somebody has written'));
                await dialog.locator('.comments[aria-busy="false"]').waitFor();
            };

            await open();
            await said(page, 'About the first page').waitFor();
            expect(await said(page, 'About the cats').count()).to.equal(0);
            await find(page);
            await page.keyboard.press('Escape');
            await press(page.getByRole('button', { name: /^Page 2,/ }));
            await press(page.locator('.stage [data-element]').first());
            await open();
            await dialog.getByRole('heading', { name: 'Comments on “Two cats”' }).waitFor();
            await press(button(said(page, 'About the cats'), 'Reply'));
            await dialog.getByLabel(`Your reply to ${ben.username}`).fill('There are two');
            await press(button(dialog.locator('.replies'), 'Reply'));
            await said(page, 'There are two').waitFor();
            await find(page);

            // In the player, the comment shows what it is about.
            const player = await visit(await editing.windowOf(ben, viewport), `/p/${made.id}/${made.second}`);
            await read(player);
            await press(button(player, 'about something on page 2'));
            await player.locator('.pointed-at').waitFor();
        });
    }

    lab.test('has in one line what an owner can do with a comment, on a phone in each language', async () => {
        const made = await book();
        const ben = await editing.test.open();
        await write(made, ben, { text: 'Nice', reply_to: await write(made, ben, { text: 'Hello' }) });
        for (const lang of Object.keys(languageNames)) {
            const page = await visit(await editing.windowOf(made.owner, phone), `/p/${made.id}?lang=${lang}`);
            await read(page);
            await said(page, 'Nice').first().waitFor();
            for (const does of await page.locator('.comment > .does').all()) {
                const tops = await does.locator('button:visible').evaluateAll((buttons) => buttons.map((one) => one.getBoundingClientRect().top));
                expect(tops.length, lang).to.be.above(1);
                expect(new Set(tops).size, lang).to.equal(1);
            }
        }
    });

    lab.test('shows an error in words, and what was written stays', async () => {
        const made = await book();
        const page = await visit(await editing.windowOf(made.owner), `/p/${made.id}`);
        await read(page);
        await page.getByLabel('Write a comment').fill('Hello');
        await page.context().setOffline(true);
        await button(page, 'Send').click();
        await comments(page).getByText('There is no connection. Check it, then try again.').waitFor();
        await page.context().setOffline(false);
        await button(page, 'Send').click();
        await said(page, 'Hello').waitFor();
        await page.reload();
        await read(page);
        expect(await page.locator('.comment').count()).to.equal(1);
    });

    lab.test('shows further threads and replies when they are asked for, and the one of an address', async () => {
        const made = await book();
        const { owner } = made;
        const first = await write(made, owner, { text: 'The oldest' });
        for (let n = 1; n <= 12; n++) {
            await write(made, owner, { text: `Reply ${n}.`, reply_to: first });
        }

        const page = await visit(await editing.guest(), `/p/${made.id}#comment-${first}`);
        await expectSoon(async () => expect(await page.evaluate('document.activeElement.id')).to.equal(`comment-${first}`));
        await page.getByRole('button', { name: /^Show \d+ more repl/ }).click();
        await said(page, 'Reply 12.').waitFor();
        expect(await page.locator('.replies .comment').count()).to.equal(12);
    });
});
