import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { BrowserContext, Page } from 'playwright-core';

import { Editing, expectSoon, holdBack, saved, thing, told, tool, write } from '../support/editing';
import type { Made } from '../support/editing';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('two people in one editor', () => {
    const editing = new Editing();
    const { windowOf, show, make, join, put, pagesOf, textsOf } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    interface Two {
        made: Made;
        windows: readonly [BrowserContext, BrowserContext];
        ana: Page;
        ben: Page;
    }

    const two = async (texts: readonly string[], ...others: object[]): Promise<Two> => {
        const made = await make(texts);
        for (const element of others) {
            await put(made, element);
        }

        const windows = [await windowOf(made.owner), await windowOf(await join(made))] as const;
        const [ana, ben] = [await show(windows[0], made.id), await show(windows[1], made.id)];
        return { made, windows, ana, ben };
    };

    const edit = async (page: Page, name: string): Promise<void> => {
        await thing(page, name).focus();
        await page.keyboard.press('Enter');
        while (!await page.evaluate('document.activeElement.matches("textarea")')) {
            await page.waitForTimeout(20);
        }
    };

    /** Both wrote something else in the place of the same word, and Ana is the later one. */
    const conflict = async (): Promise<Two> => {
        const both = await two(['The cat sleeps']);
        const { windows: [window], ana, ben, made } = both;
        await window.setOffline(true);
        await edit(ana, 'The cat sleeps');
        await ana.keyboard.type('The old tiger of Ana sleeps');
        await ana.locator('.status.offline').waitFor();
        await edit(ben, 'The cat sleeps');
        await ben.keyboard.type('The young dog of Ben sleeps');
        await saved(ben);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps']));
        await window.setOffline(false);
        return both;
    };

    const start = 'Once upon a time there was a house';

    /** Both write into the same text at once, Ana before it and Ben behind it. @returns what it has to be */
    const typeAtOnce = async ({ ana, ben }: Two): Promise<string> => {
        await edit(ana, start);
        await ana.keyboard.press('Control+Home');
        await edit(ben, start);
        await ben.keyboard.press('Control+End');
        const words = (who: string): string[] => Array.from({ length: 14 }, (_, index) => `${who}${index}`);
        await Promise.all([
            (async () => {
                for (const word of words('ana')) {
                    await ana.keyboard.type(`${word} `, { delay: 40 });
                }
            })(),
            (async () => {
                for (const word of words('ben')) {
                    await ben.keyboard.type(` ${word}`, { delay: 45 });
                }
            })()
        ]);
        await Promise.all([saved(ana), saved(ben)]);
        const whole = `${words('ana').join(' ')} ${start} ${words('ben').join(' ')}`;
        await Promise.all([ana, ben].map((page) => thing(page, whole.slice(0, 80)).waitFor()));
        expect(await ana.getByRole('dialog').count() + await ben.getByRole('dialog').count()).to.equal(0);
        return whole;
    };

    it('undoes what was last when that was asked for, and leaves what is made meanwhile', async () => {
        const { made, ana, ben } = await two(['One']);
        await thing(ana, 'One').focus();
        await ana.keyboard.press('Shift+ArrowRight');
        await saved(ana);
        const goOn = await holdBack(ana, '**/changes?*');
        await ana.keyboard.press('Control+z');
        await tool(ana, 'Text');
        await write(ana, 'New');
        await thing(ben, 'One').focus();
        await ben.keyboard.press('Shift+ArrowDown');
        await saved(ben);
        goOn();
        await told(ana, 'Undone.');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['One', 'New']));
        expect((await pagesOf(made))[0]?.elements[0]?.styles).to.include({ left: 20, top: 30 });
        expect(await ana.locator('.inline-text textarea:focus').inputValue()).to.equal('New');
    });

    it('keeps every word that two people type into one text at once', async () => {
        const both = await two([start]);
        const whole = await typeAtOnce(both);
        await expectSoon(async () => expect(await textsOf(both.made)).to.equal([whole]));
    });

    it('keeps what one types while the other changes something else', async () => {
        const { made, windows: [window], ana, ben } = await two(['The cat', 'The dog']);
        const late: (() => void)[] = [];
        await window.route('**/changes?**', async (route) => {
            const response = await route.fetch();
            await (late.length === 0 ? new Promise<void>((resolve) => void late.push(resolve)) : undefined);
            await route.fulfill({ response });
        });
        await edit(ana, 'The cat');
        await edit(ben, 'The dog');
        await ben.keyboard.type('The tiger');
        await saved(ben);
        await expectSoon(() => Promise.resolve(expect(late.length).to.equal(1)));
        await ana.keyboard.type('The lion');
        late[0]?.();
        await thing(ana, 'The tiger').waitFor();
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['The lion', 'The tiger']));
        expect(await ana.locator('.inline-text textarea').inputValue()).to.equal('The lion');
    });

    it('keeps them also in a text that Webmaker\'s client made, which stays one of its kind', async () => {
        const both = await two([], { type: 'text', attributes: { innerHTML: start }, styles: { x: 0, y: 0, scale: 1, angle: 0, zIndex: 1, fontSize: 20 } });
        const whole = await typeAtOnce(both);
        await expectSoon(async () => {
            const [element] = (await pagesOf(both.made))[0]?.elements ?? [];
            expect(element?.attributes).to.equal({ innerHTML: whole });
            expect(element?.styles).to.include({ x: 0, y: 0, scale: 1 });
        });
    });

    it('opens nothing over somebody who types, and no key decides by itself', async () => {
        const { made, ana } = await conflict();
        await ana.getByRole('region', { name: 'Both of you changed the same' }).waitFor();
        await ana.keyboard.type(' and dreams of mice');
        expect(await ana.evaluate('document.activeElement.value')).to.equal('The old tiger of Ana sleeps and dreams of mice');
        await ana.getByRole('button', { name: 'Decide' }).click();
        const dialog = ana.getByRole('dialog');
        await dialog.getByText('The young dog of Ben sleeps').waitFor();
        expect(await ana.evaluate('document.activeElement.matches("button")')).to.be.false();
        await ana.keyboard.press('Space');
        await ana.keyboard.press('Enter');
        await dialog.waitFor();
        await ana.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps']);
        await ana.getByRole('button', { name: 'Decide' }).click();
        await dialog.getByRole('button', { name: 'Keep both' }).click();
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps', 'The old tiger of Ana sleeps and dreams of mice']));
        const [one, other] = (await pagesOf(made))[0]?.elements ?? [];
        expect(Number(other?.styles.top)).to.be.above(Number(one?.styles.top));
    });

    it('saves all else while nobody decides, keeps both after a while, and takes mine back on demand', async () => {
        const both = await two(['The cat sleeps']);
        const { windows: [window], ana, ben, made } = both;
        const asked: string[] = [];
        ana.on('request', (request) => void (request.url().endsWith('/members') && asked.push(request.url())));
        await ana.clock.install();
        await window.setOffline(true);
        await edit(ana, 'The cat sleeps');
        await ana.keyboard.type('The old tiger of Ana sleeps');
        await ana.clock.runFor(3000);
        await edit(ben, 'The cat sleeps');
        await ben.keyboard.type('The young dog of Ben sleeps');
        await saved(ben);
        await window.setOffline(false);
        await ana.clock.runFor(3000);
        await ana.getByRole('region', { name: 'Both of you changed the same' }).waitFor();
        await ana.keyboard.press('Escape');
        await ana.getByRole('button', { name: 'Shape' }).click();
        await ana.getByRole('button', { name: 'Rectangle' }).click();
        await ana.getByRole('button', { name: 'Text', exact: true }).click();
        await write(ana, 'A whole chapter');
        await ana.clock.runFor(3000);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps', undefined, 'A whole chapter']));
        // Hers is still what she sees, also after the page was loaded again.
        await ana.reload();
        await thing(ana, 'The old tiger of Ana sleeps').waitFor();
        await ana.locator('.status.failed').waitFor();
        expect(asked.length).to.be.at.most(3);
        await ana.clock.runFor(70_000);
        const notice = ana.locator('.banner.notice');
        await notice.getByText(/Both are kept: yours is below theirs/).waitFor();
        await ana.clock.runFor(3000);
        await saved(ana);
        await expectSoon(async () => expect((await textsOf(made)).sort()).to.equal(['A whole chapter', 'The old tiger of Ana sleeps', 'The young dog of Ben sleeps', undefined]));
        await notice.getByRole('button', { name: 'Undo' }).click();
        await ana.clock.runFor(3000);
        await expectSoon(async () => expect((await textsOf(made)).sort()).to.equal(['A whole chapter', 'The young dog of Ben sleeps', undefined]));
        expect(await notice.count()).to.equal(0);
    });

    it('keeps both also while the cursor is left in the words', async () => {
        const { windows: [window], ana, ben, made } = await two(['The cat sleeps']);
        await ana.clock.install();
        await window.setOffline(true);
        await edit(ana, 'The cat sleeps');
        await ana.keyboard.type('The old tiger of Ana sleeps');
        await ana.clock.runFor(3000);
        await edit(ben, 'The cat sleeps');
        await ben.keyboard.type('The young dog of Ben sleeps');
        await saved(ben);
        await window.setOffline(false);
        await ana.clock.runFor(3000);
        await ana.getByRole('region', { name: 'Both of you changed the same' }).waitFor();
        await ana.clock.runFor(70_000);
        await ana.locator('.banner.notice').getByText(/Both are kept: yours is below theirs/).waitFor();
        await ana.clock.runFor(3000);
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps', 'The old tiger of Ana sleeps']));
    });

    it('saves what was edited on a page that was deleted, once it is brought back, and on a new page if it is not', async () => {
        const { made, ana } = await two(['Ours']);
        const { token } = made.owner;
        await editing.test.call('POST', `/users/me/projects/${made.id}/pages`, { x: 1, y: 0 }, { token });
        const page = `/users/me/projects/${made.id}/pages/${made.page}`;
        const removedWhile = async (text: string): Promise<void> => {
            await ana.getByRole('button', { name: /^Page 1,/ }).click();
            await edit(ana, text === 'Hers' ? 'Ours' : 'Hers');
            await ana.context().setOffline(true);
            await ana.keyboard.type(text);
            await ana.locator('.status.offline').waitFor();
            await editing.test.call('DELETE', page, undefined, { token });
            await ana.context().setOffline(false);
            await ana.getByRole('button', { name: 'Decide' }).waitFor();
        };

        await ana.clock.install();
        await removedWhile('Hers');
        const { body: { trash: [entry] } } = await editing.test.call('GET', '/users/me/trash', undefined, { token });
        await editing.test.call('POST', `/users/me/trash/${entry.id}/restore`, {}, { token });
        await ana.clock.runFor(3000);
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Hers']));
        await removedWhile('Hers again');
        await ana.clock.runFor(70_000);
        await ana.locator('.banner.notice').getByText(/on a new page at the end/).waitFor();
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Hers again']));
        expect((await pagesOf(made)).length).to.equal(2);
    });

    it('keeps what is given up where its author can fetch it', async () => {
        const { made, ana } = await conflict();
        await ana.getByRole('button', { name: 'Decide' }).click();
        await ana.getByRole('dialog').getByRole('button', { name: 'Take theirs' }).click();
        await saved(ana);
        expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps']);
        await ana.reload();
        await ana.locator('.menu summary').click();
        await ana.getByRole('button', { name: 'Trash' }).click();
        const row = ana.getByRole('dialog').getByRole('listitem').filter({ hasText: 'The old tiger of Ana sleeps' });
        await row.getByRole('button', { name: 'Bring back' }).click();
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['The young dog of Ben sleeps', 'The old tiger of Ana sleeps']));
        expect(await row.count()).to.equal(0);
    });

    it('offers to add again what somebody deleted while it was edited, though the page shows it no longer', async () => {
        const { made, ana, ben } = await two(['Ours']);
        const { id } = (await pagesOf(made))[0]?.elements[0] ?? {};
        await edit(ana, 'Ours');
        await ana.keyboard.type('Hers');
        // Ana is told before her edit is sent.
        await editing.test.call('DELETE', `/users/me/projects/${made.id}/pages/${made.page}/elements/${id}`, undefined, { token: made.owner.token });
        await thing(ana, 'Hers').waitFor({ state: 'detached' });
        await ana.getByRole('button', { name: 'Decide' }).click();
        await ana.getByRole('dialog').getByRole('button', { name: 'Add mine again' }).click();
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Hers']));
        await edit(ben, 'Hers');
        await write(ben, 'Ours again');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Ours again']));
    });

    it('lets go at once of all that was added to a page which somebody deleted, and keeps it', async () => {
        const { made, ana } = await two(['One', 'Two', 'Three']);
        await editing.test.call('POST', `/users/me/projects/${made.id}/pages`, { x: 1, y: 0 }, { token: made.owner.token });
        await thing(ana, 'One').focus();
        await ana.keyboard.press('Control+a');
        await ana.context().setOffline(true);
        await ana.keyboard.press('Control+d');
        await ana.locator('.status.offline').waitFor();
        await editing.test.call('DELETE', `/users/me/projects/${made.id}/pages/${made.page}`, undefined, { token: made.owner.token });
        await ana.context().setOffline(false);
        await ana.getByRole('button', { name: 'Decide' }).click();
        await ana.getByRole('dialog').getByRole('button', { name: 'Let mine go' }).click();
        await told(ana, 'Yours is in the trash.');
        await saved(ana);
        await ana.locator('.menu summary').click();
        await ana.getByRole('button', { name: 'Trash' }).click();
        const rows = ana.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Given up by you' });
        await expectSoon(async () => expect((await rows.locator('strong').allInnerTexts()).sort()).to.equal(['One', 'Three', 'Two']));
        await rows.filter({ hasText: 'Two' }).getByRole('button', { name: 'Bring back' }).click();
        await saved(ana);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Two']));
    });

    it('tells somebody who was removed, takes no more edits of theirs, and shows the words that came too late', async () => {
        const { made, ben } = await two(['Ours']);
        await edit(ben, 'Ours');
        const [member] = (await editing.test.call('GET', `/users/me/projects/${made.id}/members`, undefined, { token: made.owner.token })).body.members;
        await editing.test.call('DELETE', `/users/me/projects/${made.id}/members/${member.user.username}`, undefined, { token: made.owner.token });
        await ben.keyboard.type('Too late');
        // The project is public, so that he may still read it.
        await ben.getByText('This project was deleted, or is not shared with you any more.').first().waitFor();
        expect(await ben.getByRole('button', { name: 'Text', exact: true }).count()).to.equal(0);
        await ben.locator('.banner', { hasText: 'This could not be saved' }).locator('q', { hasText: 'Too late' }).waitFor();
        expect(await ben.getByRole('button', { name: 'Decide' }).count()).to.equal(0);
        expect(await ben.getByRole('button', { name: 'Share' }).count()).to.equal(0);
        expect(await textsOf(made)).to.equal(['Ours']);
    });
});
