import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Locator, Page } from 'playwright-core';
import { renderSVG } from 'uqr';

import { Editing, desk, expectSoon, middleOf, phone, saved, thing, write } from '../support/editing';
import { picture } from '../support/files';
import type { Actor } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const photoSize = { width: 1600, height: 1200 };

describe('the day of a class', () => {
    const editing = new Editing();
    const { guest, pagesOf, textsOf } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    for (const [name, viewport] of [['a laptop', desk], ['phones', phone]] as const) {
        const isTouch = viewport === phone;
        const press = (what: Locator): Promise<void> => (isTouch ? what.tap() : what.click());
        const button = (page: Page, label: string): Locator => page.getByRole('button', { name: label, exact: true });

        const drag = async (page: Page, { x, y }: { x: number; y: number }, right: number, down: number): Promise<void> => {
            const steps = Array.from({ length: 8 }, (_, step) => ({ x: x + right * (step + 1) / 8, y: y + down * (step + 1) / 8 }));
            if (!isTouch) {
                await page.mouse.move(x, y);
                await page.mouse.down();
                for (const step of steps) {
                    await page.mouse.move(step.x, step.y);
                }

                await page.mouse.up();
                return;
            }

            const hand = await page.context().newCDPSession(page);
            await hand.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
            for (const step of steps) {
                await hand.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [step] });
            }

            await hand.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        };

        /** Twice on a text, which is edited where it stands then. */
        const edit = async (page: Page, text: string | RegExp, key: string): Promise<void> => {
            const found = page.locator('.stage').getByRole('button', { name: text });
            await found.waitFor();
            if (isTouch) {
                const { x, y } = await middleOf(found);
                await page.touchscreen.tap(x, y);
                await page.touchscreen.tap(x, y);
            }
            else {
                await found.dblclick();
            }

            await page.locator('.inline-text textarea').waitFor();
            await page.keyboard.press(key);
        };

        /** Ends editing, and chooses nothing. */
        const leave = async (page: Page): Promise<void> => {
            await page.keyboard.press('Escape');
            await page.keyboard.press('Escape');
        };

        const newAccount = async (page: Page, who: string): Promise<void> => {
            await page.getByLabel('Username').fill(`${who}-${randomBytes(4).toString('hex')}`);
            await page.getByLabel('Password', { exact: true }).fill('a long walk home');
            await press(button(page, 'Open an account'));
        };

        const actorOf = async (page: Page): Promise<Actor> => {
            const { user, token }: { user: { id: string; username: string }; token: string } = JSON.parse(await page.evaluate('localStorage.getItem(`pagewright ${location.origin}`)'));
            return { ...user, token };
        };

        it(`goes well on ${name}`, async () => {
            const { test } = editing;
            const ada = await (await guest(viewport)).newPage();
            await ada.goto(test.url);
            await press(ada.getByRole('link', { name: 'Make a project' }));
            await newAccount(ada, 'ada');
            await ada.getByLabel('Title of a new project').fill('Our cat');
            await press(button(ada, 'Create'));
            await ada.locator('.stage').waitFor();
            const id = /\d+$/.exec(ada.url())?.[0] ?? '';
            const owner = await actorOf(ada);
            const made = { id, owner, page: '' };
            const path = `/users/${owner.id}/projects/${id}`;
            const call = async (method: string, rest = '', body?: object) => await test.call(method, `${path}${rest}`, body, { token: owner.token });

            // A photo, dragged and made smaller, with a text over it, and a link to a second page.
            const styleOf = async (style: string): Promise<number> => Number((await pagesOf(made))[0]?.elements[0]?.styles[style]);
            await ada.locator('.tool.file input').setInputFiles({ name: 'cat.jpg', mimeType: 'image/jpeg', buffer: await picture('jpeg', photoSize) });
            await thing(ada, 'cat').waitFor();
            await saved(ada);
            const [top, width] = [await styleOf('top'), await styleOf('width')];
            await drag(ada, await middleOf(thing(ada, 'cat')), 0, 60);
            await expectSoon(async () => expect(await styleOf('top')).to.be.above(top + 30));
            await drag(ada, await middleOf(ada.locator('.handle.se')), -40, -30);
            await expectSoon(async () => expect(await styleOf('width')).to.be.below(width - 20));
            expect(await styleOf('width') / await styleOf('height')).to.be.about(4 / 3, 0.03);
            await (isTouch ? press(button(ada, 'Done')) : leave(ada));
            await press(button(ada, 'Text'));
            await write(ada, 'This is Momo');
            await leave(ada);
            await drag(ada, await middleOf(thing(ada, 'This is Momo')), 0, 70);
            await edit(ada, 'This is Momo', 'End');
            await ada.keyboard.type(' the cat');
            await leave(ada);
            await press(button(ada, 'Add page'));
            await press(button(ada, 'Text'));
            await write(ada, 'The end');
            await leave(ada);
            await press(ada.locator('.page-button').first());
            await press(button(ada, 'Button'));
            await press(button(ada, 'Go to a page'));
            await leave(ada);
            await saved(ada);
            const [first, second] = await pagesOf(made);
            expect(first?.elements.map(({ attributes: { text, targetPageId } }) => [text, targetPageId])).to.equal([[undefined, undefined], ['This is Momo the cat', undefined], ['Next page', second?.id]]);

            // Published, and played by somebody without an account.
            await press(ada.getByRole('link', { name: 'Play' }));
            await press(ada.locator('.publish summary'));
            await press(button(ada, 'Publish it for everybody'));
            await ada.locator('.publish').waitFor({ state: 'detached' });
            const visitor = await (await guest(viewport)).newPage();
            await visitor.goto(`${test.url}/p/${id}`);
            await press(visitor.getByRole('link', { name: 'Next page' }));
            await visitor.locator('.number', { hasText: '2 of 2' }).waitFor();
            expect(await visitor.locator('.pagewright-page').innerText()).to.equal('The end');

            // A class of three comes by the address in the picture.
            await press(ada.getByRole('link', { name: 'Edit', exact: true }));
            await press(button(ada, 'Share'));
            const dialog = ada.getByRole('dialog');
            await press(dialog.getByText('Only you and the people below'));
            await dialog.getByText('Changed who can see it.').waitFor();
            await press(button(ada, 'Make a code'));
            const address = await dialog.getByLabel('Address to join at').inputValue();
            expect(await dialog.locator('.qr').last().getAttribute('src')).to.equal(`data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`);
            await visitor.goto(`${test.url}/p/${id}`);
            await visitor.getByText('This page does not exist, or is not public.').waitFor();
            const [ben, chi, dee] = await Promise.all(['ben', 'chi', 'dee'].map(async (who) => {
                const page = await (await guest(viewport)).newPage();
                await page.goto(address);
                await press(page.getByRole('link', { name: 'Open an account' }));
                await newAccount(page, who);
                await press(button(page, 'Join'));
                await page.waitForURL(`${test.url}/edit/${id}`);
                await page.locator('.stage').waitFor();
                return page;
            }));
            if (ben === undefined || chi === undefined || dee === undefined) {
                throw new Error('There are three pupils');
            }

            const pupils = await Promise.all([ben, chi, dee].map(actorOf));
            const members = async (): Promise<unknown> => (await call('GET', '/members')).body.members.map(({ user, role }: { user: Actor; role: string }) => `${user.username} ${role}`).sort();
            expect(await members()).to.equal(pupils.map(({ username }) => `${username} editor`).sort());
            await ada.keyboard.press('Escape');

            // Two write into one text at once, and the history has every word of both.
            await Promise.all([edit(ada, 'This is Momo the cat', 'Home'), edit(ben, 'This is Momo the cat', 'End')]);
            const words = (who: string): string[] => Array.from({ length: 8 }, (_, index) => `${who}${index}`);
            await Promise.all([
                (async () => {
                    for (const word of words('ada')) {
                        await ada.keyboard.type(`${word} `, { delay: 30 });
                    }
                })(),
                (async () => {
                    for (const word of words('ben')) {
                        await ben.keyboard.type(` ${word}`, { delay: 35 });
                    }
                })()
            ]);
            const whole = `${words('ada').join(' ')} This is Momo the cat ${words('ben').join(' ')}`;
            await Promise.all([ada, ben, chi, dee].map((page) => page.locator('.stage [data-element]', { hasText: whole }).waitFor()));
            await Promise.all([leave(ada), leave(ben)]);
            await Promise.all([saved(ada), saved(ben)]);
            const { body: { changes } } = await call('GET', '/history');
            const { body: point } = await call('GET', `/history/${changes[0].revision}`);
            expect(point.pages.flatMap(({ elements }: { elements: { attributes: { text?: string } }[] }) => elements.map(({ attributes }) => attributes.text))).to.include(whole);

            // Both change the same words. The dialog waits for a choice, whatever keys come.
            await ada.context().setOffline(true);
            await edit(ada, 'Next page', 'Control+a');
            await ada.keyboard.type('To the tiger');
            await ada.locator('.status.offline').waitFor();
            await edit(ben, 'Next page', 'Control+a');
            await ben.keyboard.type('To the dog');
            await expectSoon(async () => expect(await textsOf(made)).to.include('To the dog'));
            await leave(ben);
            await ada.context().setOffline(false);
            await press(button(ada, 'Decide'));
            await ada.keyboard.press('Space');
            await dialog.getByText('To the dog').waitFor();
            await press(button(ada, isTouch ? 'Keep mine' : 'Keep both'));
            await saved(ada);
            await leave(ada);
            const links = isTouch ? ['To the tiger'] : ['To the dog', 'To the tiger'];
            await expectSoon(async () => expect((await textsOf(made)).filter((text) => String(text).startsWith('To the'))).to.equal(links));
            await Promise.all([ben, chi, dee].map((page) => page.locator('.stage [data-element]', { hasText: 'To the tiger' }).waitFor()));

            // Ben is removed while he types: he is told, what he writes is kept out, and the code is no way back.
            const all = await textsOf(made);
            await edit(ben, /^ada0/, 'End');
            await press(button(ada, 'Share'));
            await press(button(ada, `Remove ${String(pupils[0]?.username)}`));
            await dialog.getByText('The codes that they came by do not work any more either.').waitFor();
            await ben.keyboard.type(' too late');
            await ben.locator('.banner', { hasText: 'This project was deleted, or is not shared with you any more.' }).waitFor();
            await ben.locator('.banner q', { hasText: 'too late' }).waitFor();
            expect(await button(ben, 'Text').count()).to.equal(0);
            expect((await test.call('PATCH', path, { title: 'Mine' }, { token: pupils[0]?.token })).status).to.equal(404);
            await ben.goto(address);
            await press(button(ben, 'Join'));
            await ben.getByText('This code is wrong, has expired or is used up.').waitFor();
            expect(await members()).to.equal(pupils.slice(1).map(({ username }) => `${username} editor`).sort());
            expect(await textsOf(made)).to.equal(all);
            await ada.keyboard.press('Escape');

            // Back to the first state by the film, which the class sees, and from there to the last one.
            await press(button(ada, 'History'));
            const slider = dialog.getByRole('slider');
            const { x, y, width: long } = await middleOf(slider);
            await drag(ada, { x: x + long / 2 - 8, y }, 16 - long, 0);
            expect(await slider.inputValue()).to.equal('0');
            await press(button(ada, 'Restore all'));
            await dialog.waitFor({ state: 'detached' });
            expect(await textsOf(made)).to.equal([]);
            await chi.locator('.stage [data-element]').first().waitFor({ state: 'detached' });
            await press(button(ada, 'Undo'));
            await expectSoon(async () => expect((await textsOf(made)).sort()).to.equal(all.toSorted()));
            await chi.locator('.stage [data-element]', { hasText: whole }).waitFor();

            // A page goes to the trash, and comes back from there.
            await press(ada.locator('.page-button').last());
            await thing(ada, 'The end').waitFor();
            if (isTouch) {
                await press(button(ada, 'This page'));
            }

            await press(button(ada, 'Delete page'));
            await expectSoon(async () => expect(await pagesOf(made)).to.have.length(1));
            if (isTouch) {
                await press(ada.locator('.panel').getByRole('button', { name: 'Close' }));
            }

            await press(ada.locator('.menu summary'));
            await press(button(ada, 'Trash'));
            await press(dialog.getByRole('listitem').filter({ hasText: 'A page' }).filter({ hasText: 'The end' }).getByRole('button', { name: 'Bring back' }));
            await expectSoon(async () => expect((await textsOf(made)).sort()).to.equal(all.toSorted()));
            await ada.keyboard.press('Escape');

            // What is written without a network is with the others once there is one.
            await press(ada.locator('.page-button').first());
            await edit(ada, 'To the tiger', 'End');
            await ada.context().setOffline(true);
            await ada.keyboard.type(' on a train');
            await ada.locator('.status.offline').waitFor();
            await ada.context().setOffline(false);
            await ada.keyboard.type(' home');
            await chi.locator('.stage [data-element]', { hasText: 'To the tiger on a train home' }).waitFor();
            expect(await textsOf(made)).to.include('To the tiger on a train home');
        });
    }
});
