import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Locator, Page } from 'playwright-core';
import { renderSVG } from 'uqr';

import { run } from '../../src/operations/cli/main';
import { faultsOn } from '../support/axe';
import { launchChromium, settled } from '../support/chromium';
import { fakeHost } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

/** What has the focus, by its name. */
const focused = `(() => {
    const one = document.activeElement;
    return (one.getAttribute('aria-label') ?? document.querySelector('label[for="' + one.id + '"]')?.innerText ?? one.innerText ?? '').trim();
})()`;

describe('the pages of classes', () => {
    let test: Product;
    let browser: Browser;
    const wrong: string[] = [];

    before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    afterEach(async () => {
        await Promise.all(browser.contexts().map((context) => context.close()));
        expect(wrong.splice(0)).to.equal([]);
    });

    const grant = async ({ username }: Actor, permission: string): Promise<void> => {
        const host = fakeHost({ DATA_DIR: test.dataDir });
        expect(await run(['grant', username, permission], host), host.err).to.equal(0);
    };

    const newName = (): string => `cl-${randomBytes(4).toString('hex')}`;

    const teacher = async (): Promise<Actor> => {
        const actor = await test.open(newName());
        await grant(actor, 'teacher');
        return actor;
    };

    /** A page in a browser of its own. */
    const windowOf = async (actor: Actor | undefined, path: string, width = 1280): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, locale: 'en-US', reducedMotion: 'reduce' });
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        page.on('dialog', (dialog) => void dialog.accept());
        if (actor !== undefined) {
            const { id, username, token } = actor;
            await page.goto(`${test.url}/sign-in`);
            await page.evaluate((session) => localStorage.setItem(`pagewright ${location.origin}`, session), JSON.stringify({ token, tokenId: null, user: { id, username } }));
        }

        await page.goto(`${test.url}${path}`);
        await page.locator('h1').waitFor();
        return page;
    };

    /** Goes on with Tab to what has the name, and presses a key there. */
    const reach = async (page: Page, name: string, key?: string): Promise<void> => {
        for (let step = 0; step < 150; ++step) {
            await page.keyboard.press('Tab');
            if (await page.evaluate<string>(focused) === name) {
                await (key === undefined ? undefined : page.keyboard.press(key));
                return;
            }
        }

        throw new Error(`Tab does not reach ${name}`);
    };

    const looksRight = async (page: Page): Promise<void> => {
        expect(await faultsOn(page)).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
    };

    const classOf = async ({ token }: Actor, title = 'Year 5'): Promise<{ path: string; code: string }> => {
        const { body: { class: { id }, code } } = await test.call('POST', '/users/me/classes', { title }, { token });
        return { path: `/class/${id}`, code };
    };

    const peopleOf = async ({ path }: { path: string }, { token }: Actor): Promise<any> => (await test.call('GET', path.replace('class', 'classes'), undefined, { token })).body; // eslint-disable-line no-restricted-syntax

    const valuesOf = async (fields: Locator): Promise<string[]> => Promise.all((await fields.all()).map((field) => field.inputValue()));

    const slipsOn = (page: Page): Promise<{ name: string; username: string; passphrase: string; picture: string }[]> => page.locator('.slip').evaluateAll((all) => all.map((one) => {
        const [username = '', passphrase = ''] = [...one.querySelectorAll('code')].map(({ textContent }) => String(textContent));
        return { name: String(one.querySelector('.slip-name')?.textContent), username, passphrase, picture: String(one.querySelector('img')?.getAttribute('src')) };
    }));

    for (const width of [1280, 390]) {
        it(`make a class by keyboard, accounts for a pasted list, and sheets that sign pupils in, at ${width} px`, async () => {
            const eva = await teacher();
            const page = await windowOf(eva, '/', width);
            if (width === 390) {
                await reach(page, 'More', 'Enter');
            }

            await reach(page, 'Classes', 'Enter');
            await page.getByText('You are in no class yet.').waitFor();
            await looksRight(page);
            await reach(page, 'New class', 'Enter');
            await page.keyboard.type('Year 5');
            await page.keyboard.press('Enter');
            await page.waitForURL(/\/class\/\d+$/);
            await page.getByText('There are no pupils yet').waitFor();
            await looksRight(page);
            const path = new URL(page.url()).pathname;

            await reach(page, 'Add pupils', 'Enter');
            const dialog = page.getByRole('dialog');
            await page.keyboard.press('Tab');
            await reach(page, 'Continue', 'Enter');
            await dialog.locator('[aria-invalid="true"]:focus').waitFor();
            await page.keyboard.insertText('No.\tИмя\tФамилия\n1\tAna\tRuiz\n2\tBen\tO’Neill\n3\tЖанна\tИванова\n');
            await reach(page, 'Continue', 'Enter');
            await dialog.getByText('3 new accounts:').waitFor();
            expect(await valuesOf(dialog.locator('.previewed input[type="text"]'))).to.equal(['Ana Ruiz', 'Ben O’Neill', 'Жанна Иванова']);
            expect(await valuesOf(dialog.locator('.previewed select'))).to.equal(['number', 'given', 'family']);
            const { width: wide = 0, height = 0 } = await dialog.locator('.previewed label').first().boundingBox() ?? {};
            expect(Math.min(wide, height), 'the place for a finger').to.be.at.least(44);
            expect((await peopleOf({ path }, eva)).pupils).to.equal([]);
            await looksRight(page);
            await reach(page, 'Make 3 accounts', 'Enter');

            await page.getByRole('heading', { name: 'Sheets for the pupils' }).waitFor();
            expect(await page.evaluate<string>(focused)).to.equal('Sheets for the pupils');
            const slips = await slipsOn(page);
            expect(slips.map(({ name }) => name)).to.equal(['Ana Ruiz', 'Ben O’Neill', 'Жанна Иванова']);
            await looksRight(page);
            for (const { username, passphrase, picture } of slips) {
                expect(passphrase).to.match(/^[a-z]+(?: [a-z]+){3}$/);
                expect(picture).to.equal(`data:image/svg+xml,${encodeURIComponent(renderSVG(`${test.url}/sign-in#${username}`))}`);
            }

            // They stay where the people are, out of the way of all else.
            await reach(page, 'Assignments', 'Enter');
            await page.getByRole('button', { name: 'New assignment' }).waitFor();
            expect(await page.locator('.slip').first().isVisible()).to.be.false();
            await page.getByRole('link', { name: 'People', exact: true }).click();
            await page.locator('.slip').nth(2).waitFor();

            // On paper there is nothing else, and no slip is cut.
            await page.emulateMedia({ media: 'print' });
            expect(await page.locator('header, footer, h1, button, .warning').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map(({ outerHTML }) => outerHTML))).to.equal([]);
            expect(await page.locator('.slip').evaluateAll((all) => all.map((one) => [one.checkVisibility(), getComputedStyle(one).breakInside]))).to.equal(slips.map(() => [true, 'avoid']));
            await page.emulateMedia({ media: 'screen' });

            // They are not lost with the page.
            expect(await page.evaluate<string>('JSON.stringify([Object.values(localStorage), Object.values(sessionStorage)])')).to.contain('Ana Ruiz').and.to.not.contain(slips.map(({ passphrase }) => passphrase));
            await page.goto(`${test.url}${path}?part=people`);
            await page.getByText('You have not closed the sheets of 3 new pupils').waitFor();
            await reach(page, 'Show the sheets again', 'Enter');
            await page.locator('.slip').nth(2).waitFor();
            expect(await slipsOn(page)).to.equal(slips);
            await reach(page, 'Close the sheets', 'Enter');
            await dialog.waitFor();
            await reach(page, 'Close the sheets', 'Enter');
            await page.locator('.slip').first().waitFor({ state: 'detached' });
            expect(await page.evaluate<string>('JSON.stringify(Object.values(sessionStorage))')).to.not.contain('Ana Ruiz');
            await page.goto(`${test.url}${path}?part=people`);
            await page.getByText('3 pupils').waitFor();
            expect(await page.getByText('You have not closed').count()).to.equal(0);

            const { username, passphrase } = slips[0] ?? { username: '', passphrase: '' };
            const pupil = await windowOf(undefined, `/sign-in#${username}`, width);
            await pupil.locator('input[name="password"]:focus').waitFor();
            // Keyboards of tablets begin with a capital letter in a field that shows what is typed.
            expect(await pupil.locator('input[name="password"]').getAttribute('autocapitalize')).to.equal('none');
            await pupil.keyboard.type(passphrase);
            await pupil.keyboard.press('Enter');
            await pupil.waitForURL(/\/classes$/);
            await reach(pupil, 'Year 5', 'Enter');
            await pupil.getByText('If you forget your pass-phrase').waitFor();
            expect(await pupil.locator('.names li').allTextContents()).to.equal(['Ana Ruiz (you)', 'Ben O’Neill', 'Жанна Иванова']);
            await looksRight(pupil);
            const seen = await pupil.content();
            expect(seen).to.not.contain(['Leave the class', 'New code', String(slips[1]?.username)]);
            await pupil.goto(`${test.url}/account/profile`);
            await pupil.getByRole('heading', { name: 'About you' }).waitFor();
            expect(await pupil.locator('input[name="username"], input[name="about"]').count()).to.equal(0);
            expect((await test.call('GET', path)).text).to.not.contain(['Year 5', 'Ana Ruiz', username]);
        });
    }

    it('add who is missing of the same list, say what is wrong with a list, and rename, renew and take out', async () => {
        const eva = await teacher();
        const one = await classOf(eva);
        const { body: { pupils: [ana] } } = await test.call('POST', `${one.path.replace('class', 'classes')}/pupils`, { names: ['Ana', 'Ben'] }, { token: eva.token });
        const page = await windowOf(eva, `${one.path}?part=people`);
        const dialog = page.getByRole('dialog');
        const paste = async (text: string): Promise<void> => {
            await dialog.locator('textarea').fill(text);
            await dialog.getByRole('button', { name: 'Continue' }).click();
        };

        await page.getByRole('button', { name: 'Add pupils' }).click();
        await paste('Name\n');
        await dialog.getByText('There are no names in this list.').waitFor();
        await paste(Array.from({ length: 1001 }, (_, at) => `Pupil ${at}`).join('\n'));
        await dialog.getByText('At most 200 accounts can be made at once, and this list has 1001 new names.').waitFor();
        for (const [list, text] of [
            [Array.from({ length: 201 }, (_, at) => `Pupil ${at}`).join('\n'), 'At most 200 accounts can be made at once, and this list has 201 new names.'],
            [Array.from({ length: 199 }, (_, at) => `Pupil ${at}`).join('\n'), 'With this list it would have 201.'], ['x'.repeat(61), 'A name has at most 60 characters.'], ['ben\nana', 'All of this list are in the class already.']
        ] as const) {
            await paste(list);
            await dialog.getByText(text).waitFor();
            await dialog.getByRole('button', { name: /^Make / }).click();
            await dialog.getByText(text).waitFor();
            await dialog.getByRole('button', { name: 'Back to the list' }).click();
        }

        // What was not understood is put right: a column, a name, a line that is no pupil.
        await paste('Zoe;Rabbit;zoe@x.org\nBo;Hare;bo@x.org\nThe hall;;\n');
        await dialog.getByText('3 new accounts:').waitFor();
        await dialog.getByLabel('Column 2').selectOption('other');
        await dialog.getByLabel('Make an account: line 3').uncheck();
        await dialog.getByLabel('Name of line 2').fill('Bo Lee');
        await dialog.getByText('2 new accounts:').waitFor();
        expect(await valuesOf(dialog.locator('.previewed tr:not(.out) input[type="text"]'))).to.equal(['Zoe', 'Bo Lee']);
        expect(await dialog.getByLabel('Column 3').inputValue()).to.equal('address');
        await dialog.getByRole('button', { name: 'Back to the list' }).click();
        await paste('Zoe, Ben, Cem');
        await dialog.getByLabel('Several pupils on each line').uncheck();
        await dialog.getByText('1 new account:').waitFor();
        await dialog.getByRole('button', { name: 'Back to the list' }).click();
        await paste('Ana\nBen\nCem\nDua\nDua');
        await dialog.getByText('3 new accounts:').waitFor();
        await dialog.getByText('In the class already, so nothing is made for them: Ana, Ben').waitFor();
        await dialog.getByText('More than once in the list, so each gets an account: Dua.').waitFor();
        await dialog.getByRole('button', { name: 'Back to the list' }).click();
        expect(await dialog.locator('textarea').inputValue()).to.contain('Dua');
        await paste('Ana\nBen\nCem');

        // The first answer does not arrive: nobody gets two accounts.
        await page.route('**/pupils', async (route) => {
            await route.fetch();
            await route.abort();
        }, { times: 1 });
        await dialog.getByRole('button', { name: 'Make 1 account' }).click();
        await dialog.getByText('There is no connection.').waitFor();
        await dialog.getByRole('button', { name: 'Make 1 account' }).click();
        await page.locator('.slip').waitFor();
        expect((await peopleOf(one, eva)).pupils.map(({ name }: { name: string }) => name)).to.equal(['Ana', 'Ben', 'Cem']);

        await page.getByRole('button', { name: 'New pass-phrase for Ana' }).click();
        await dialog.getByRole('button', { name: 'New pass-phrase' }).click();
        await page.locator('.slip').nth(1).waitFor();
        const [, renewed] = await slipsOn(page);
        expect(renewed).to.include({ name: 'Ana', username: ana.user.username });
        expect((await test.call('POST', '/tokens', { username: ana.user.username, password: ana.passphrase })).status).to.equal(401);
        expect((await test.call('POST', '/tokens', { username: ana.user.username, password: renewed?.passphrase })).status).to.equal(201);

        await page.getByRole('button', { name: 'Rename Ben' }).click();
        await dialog.getByLabel('Name in the class').fill('Benjamin');
        await page.keyboard.press('Enter');
        await page.getByText('The name is Benjamin now.').waitFor();
        await page.getByRole('button', { name: 'Take out Benjamin' }).click();
        // Nothing is decided beforehand, and the pupil's work can be saved first.
        await dialog.getByRole('button', { name: 'Take out', exact: true }).click();
        await dialog.locator('select[aria-invalid="true"]').waitFor();
        const download = page.waitForEvent('download');
        await dialog.getByRole('button', { name: 'Take along the work of Benjamin' }).click();
        expect((await download).suggestedFilename()).to.equal('Benjamin.zip');
        await dialog.locator('select').selectOption('keep');
        await dialog.getByRole('button', { name: 'Take out', exact: true }).click();
        await page.getByText('Benjamin is out of the class.').waitFor();
        await page.getByRole('button', { name: 'Take out Ana' }).click();
        await dialog.locator('select').selectOption('remove');
        await dialog.getByRole('button', { name: 'Take out', exact: true }).click();
        await page.getByText('Ana is out of the class.').waitFor();
        expect((await peopleOf(one, eva)).pupils.map(({ name }: { name: string }) => name)).to.equal(['Cem']);
        expect((await test.call('POST', '/tokens', { username: ana.user.username, password: renewed?.passphrase })).status).to.equal(401);
    });

    it('make no second account for whom another teacher has added since the page was opened', async () => {
        const eva = await teacher();
        const one = await classOf(eva);
        const page = await windowOf(eva, one.path);
        const dialog = page.getByRole('dialog');
        await page.getByText('There are no pupils yet').waitFor();
        await test.call('POST', `${one.path.replace('class', 'classes')}/pupils`, { names: ['Ana', 'Ben'] }, { token: eva.token });
        await page.getByRole('button', { name: 'Add pupils' }).click();
        for (const [list, text] of [['Ana\nBen', 'All of this list are in the class already.'], ['Ana\nBen\nCem', '1 new account:']] as const) {
            await dialog.locator('textarea').fill(list);
            await dialog.getByRole('button', { name: 'Continue' }).click();
            await dialog.getByText(text).waitFor();
            await (list.includes('Cem') ? undefined : dialog.getByRole('button', { name: 'Back to the list' }).click());
        }

        await dialog.getByText('In the class already, so nothing is made for them: Ana, Ben').waitFor();
    });

    it('show sheets again that were not closed, also after those of others were, and without pass-phrases that have ended', async () => {
        const eva = await teacher();
        const one = await classOf(eva);
        const pupils = `${one.path.replace('class', 'classes')}/pupils`;
        await test.call('POST', pupils, { names: ['Zoe'] }, { token: eva.token });
        const page = await windowOf(eva, `${one.path}?part=people`);
        const dialog = page.getByRole('dialog');
        const add = async (list: string): Promise<void> => {
            await page.getByRole('button', { name: 'Add pupils' }).click();
            await dialog.locator('textarea').fill(list);
            await dialog.getByRole('button', { name: 'Continue' }).click();
            await dialog.getByRole('button', { name: /^Make / }).click();
            await page.locator('.slip').first().waitFor();
        };

        const renew = async (name: string): Promise<void> => {
            await page.getByRole('button', { name: `New pass-phrase for ${name}` }).click();
            await dialog.getByRole('button', { name: 'New pass-phrase' }).click();
            await dialog.waitFor({ state: 'detached' });
        };

        const close = async (): Promise<void> => {
            await page.getByRole('button', { name: 'Close the sheets' }).click();
            await dialog.getByRole('button', { name: 'Close the sheets' }).click();
            await page.locator('.slip').first().waitFor({ state: 'detached' });
        };

        await add('Ana\nBen\nCem');
        const made = await slipsOn(page);
        await page.reload();
        await page.getByText('You have not closed the sheets of 3 new pupils').waitFor();
        await renew('Zoe');
        expect((await slipsOn(page)).map(({ name }) => name)).to.equal(['Zoe']);
        await close();
        await page.getByText('You have not closed the sheets of 3 new pupils').waitFor();

        await renew('Ben');
        await page.getByRole('button', { name: 'Take out Cem' }).click();
        await dialog.locator('select').selectOption('keep');
        await dialog.getByRole('button', { name: 'Take out', exact: true }).click();
        await page.getByText('Cem is out of the class.').waitFor();
        await close();
        await page.getByText('You have not closed the sheet of 1 new pupil').waitFor();
        await page.getByRole('button', { name: 'Show the sheets again' }).click();
        await page.locator('.slip').waitFor();
        expect(await slipsOn(page)).to.equal(made.slice(0, 1));
        await renew('Ana');
        await page.reload();
        await page.getByText('3 pupils').waitFor();
        expect(await page.getByText('You have not closed').count()).to.equal(0);
    });

    it('show projects after a look, hide them with a reason, and pause a pupil', async () => {
        const eva = await teacher();
        const one = await classOf(eva);
        const at = one.path.replace('class', 'classes');
        const { body: { pupils } } = await test.call('POST', `${at}/pupils`, { names: ['Ana', 'Ben'] }, { token: eva.token });
        const [ana, ben] = await Promise.all(pupils.map(async ({ user, passphrase }: { user: Actor; passphrase: string }): Promise<Actor> => (
            { ...user, token: (await test.call('POST', '/tokens', { username: user.username, password: passphrase })).body.token.access_token }
        )));
        const page = await windowOf(eva, `${one.path}?part=settings`);
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'Change the settings' }).click();
        await dialog.getByLabel('When the class sees what pupils put in').selectOption('after a look');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('The class is saved.').waitFor();
        const { body: { project: { id } } } = await test.call('POST', '/users/me/projects', { title: 'A wolf' }, { token: ana.token });
        expect((await test.call('PUT', `/users/me/projects/${id}/classes/${at.split('/').at(-1)}`, { audience: 'class' }, { token: ana.token })).status).to.equal(201);
        const seen = async (): Promise<number> => (await test.call('GET', `${at}/projects`, undefined, { token: ben.token })).body.projects.length;
        expect(await seen()).to.equal(0);
        await page.getByRole('link', { name: 'In the class', exact: true }).click();
        await page.reload();
        await page.getByText('Waits until a teacher has looked').waitFor();
        await looksRight(page);
        await page.getByRole('button', { name: 'Show “A wolf” to the class' }).click();
        await page.getByText('The class sees “A wolf” now.').waitFor();
        expect(await seen()).to.equal(1);
        await page.getByRole('button', { name: 'Hide “A wolf” from the class' }).click();
        await dialog.getByLabel('Why?').fill('Not this joke.');
        await dialog.getByRole('button', { name: 'Hide', exact: true }).click();
        await page.getByText('Hidden from the class: Not this joke.').waitFor();
        expect(await seen()).to.equal(0);
        const pupil = await windowOf(ana, one.path, 390);
        await pupil.getByText('Hidden from the class: Not this joke.').waitFor();
        await looksRight(pupil);

        await page.getByRole('link', { name: 'People', exact: true }).click();
        await page.getByRole('button', { name: 'Pause Ana' }).click();
        await dialog.locator('select').selectOption({ label: '1 hour' });
        await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
        await page.getByText('Ana is paused.').waitFor();
        expect((await test.call('PATCH', `/users/me/projects/${id}`, { title: 'A fox' }, { token: ana.token })).body.code).to.equal('paused');
        await page.getByRole('button', { name: 'End the pause of Ana' }).click();
        await page.getByText('Ana can go on.').waitFor();
        expect((await test.call('PATCH', `/users/me/projects/${id}`, { title: 'A fox' }, { token: ana.token })).status).to.equal(200);
    });

    it('let others join by the address of a code, which can be renewed, and leave; and say what the class lets show', async () => {
        const [eva, mia] = [await teacher(), await test.open(newName())];
        const one = await classOf(eva);
        const page = await windowOf(eva, one.path);
        const dialog = page.getByRole('dialog');
        const address = await page.locator('.class-code input').inputValue();
        expect(address).to.equal(`${test.url}/classes#${one.code}`);
        await page.getByRole('button', { name: 'New code' }).click();
        await dialog.getByRole('button', { name: 'New code' }).click();
        await page.getByText('There is a new code.').waitFor();
        const renewed = await page.locator('.class-code input').inputValue();
        expect(renewed).to.not.equal(address);

        const pupil = await windowOf(mia, new URL(address).pathname + new URL(address).hash, 390);
        await pupil.locator('input[name="code"]:focus').waitFor();
        await pupil.keyboard.press('Enter');
        await pupil.getByText('This code is of no class.').waitFor();
        await pupil.keyboard.press('Control+a');
        await pupil.keyboard.type('short');
        await pupil.keyboard.press('Enter');
        await pupil.getByText('A code has twelve letters and digits').waitFor();
        await looksRight(pupil);
        await pupil.keyboard.press('Control+a');
        await pupil.keyboard.type(renewed);
        await pupil.keyboard.press('Enter');
        await pupil.waitForURL(/\/class\/\d+$/);
        await reach(pupil, 'Leave the class', 'Enter');
        await pupil.getByRole('dialog').waitFor();
        await reach(pupil, 'Leave the class', 'Enter');
        await pupil.waitForURL(/\/classes$/);
        await pupil.getByText('You are in no class yet.').waitFor();
        await pupil.goto(`${test.url}${one.path}`);
        await pupil.getByText('It was not found.').waitFor();

        await page.getByRole('link', { name: 'Settings', exact: true }).click();
        await page.getByRole('button', { name: 'Change the settings' }).click();
        await dialog.getByLabel('Name of the class').fill('Year 6');
        await dialog.getByLabel('Who may see what pupils make').selectOption('everybody');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { name: 'Year 6' }).waitFor();
        expect((await peopleOf(one, eva)).class).to.include({ title: 'Year 6', publish: 'everybody' });
        for (const open of [false, true]) {
            if (open) {
                await page.getByRole('button', { name: 'Delete the class' }).click();
                await looksRight(page);
            }

            const download = page.waitForEvent('download');
            await (open ? dialog : page).getByRole('button', { name: 'Take the work along' }).click();
            const file = await download;
            expect(file.suggestedFilename()).to.equal('Year-6.zip');
            expect(readFileSync(await file.path()).subarray(0, 2).toString()).to.equal('PK');
            await (open ? dialog : page).getByText('The file is ready.').first().waitFor();
        }

        await dialog.getByRole('button', { name: 'Delete the class' }).click();
        await page.waitForURL(/\/classes$/);
        await page.getByText('You are in no class yet.').waitFor();
    });

    it('call pupils by their names beside their projects and comments, too', async () => {
        const eva = await teacher();
        const { path } = await classOf(eva);
        const classPath = path.replace('class', 'classes');
        const { body: { pupils: [{ user, passphrase }] } } = await test.call('POST', `${classPath}/pupils`, { names: ['Ana Ruiz'] }, { token: eva.token });
        const { body: { token: { access_token: token } } } = await test.call('POST', '/tokens', { username: user.username, password: passphrase });
        const { body: { project } } = await test.call('POST', '/users/me/projects', { title: 'A cat' }, { token });
        const projectPath = `/users/${user.id}/projects/${project.id}`;
        await test.call('PUT', `${projectPath}/${classPath.slice(1)}`, { audience: 'class' }, { token });
        const { body: { comment } } = await test.call('POST', `${projectPath}/comments`, { text: 'It is ours' }, { token });
        await test.call('POST', `${projectPath}/comments`, { text: 'He purrs', reply_to: comment.id }, { token });
        const page = await windowOf(eva, `/p/${project.id}`);
        await page.locator('.comment .who', { hasText: 'Ana Ruiz' }).nth(1).waitFor();
        // What is known of whoever signed in is so on later pages.
        await page.reload();
        await page.locator('.player p', { hasText: 'by Ana Ruiz' }).waitFor();
        await page.locator('.comment .who', { hasText: 'Ana Ruiz' }).nth(1).waitFor();
        expect(await page.locator('#content').innerText()).to.not.contain(user.username);
    });

    it('let pupils choose only what they may show to others', async () => {
        const eva = await teacher();
        const { path } = await classOf(eva);
        const classPath = path.replace('class', 'classes');
        const { body: { pupils: [{ user, passphrase }] } } = await test.call('POST', `${classPath}/pupils`, { names: ['Ana'] }, { token: eva.token });
        const { body: { token: { access_token: token } } } = await test.call('POST', '/tokens', { username: user.username, password: passphrase });
        const { body: { project } } = await test.call('POST', '/users/me/projects', { title: 'A cat' }, { token });
        for (const [publish, levels] of [['nobody', 1], ['class', 1], ['everybody', 3]] as const) {
            await test.call('PATCH', classPath, { publish }, { token: eva.token });
            const page = await windowOf({ ...user, token }, `/edit/${project.id}`);
            await page.getByRole('button', { name: 'Share' }).click();
            const says = page.getByRole('dialog').getByText('Your class does not let you show this to others.');
            await (levels === 1 ? says : page.getByRole('dialog').getByText('Whoever has the address.')).waitFor();
            expect(await page.getByRole('dialog').locator('input[type="radio"]').count()).to.equal(levels === 1 ? 0 : levels);
            expect(await says.count()).to.equal(levels === 1 ? 1 : 0);
            await page.goto(`${test.url}/account/projects`);
            await page.locator('.row select').waitFor();
            expect(await page.locator('.row option').count()).to.equal(levels);
            await page.goto(`${test.url}/p/${project.id}`);
            await page.getByRole('link', { name: 'Edit' }).waitFor();
            expect(await page.locator('.publish').isVisible()).to.equal(levels === 3);
            await page.goto(`${test.url}${path}`);
            await page.getByRole('button', { name: 'Put a project in' }).click();
            const audiences = page.getByLabel('Who can see it').locator('option');
            await audiences.last().waitFor({ state: 'attached' });
            expect(await audiences.allTextContents()).to.equal(publish === 'nobody' ? ['Teachers'] : ['The class', 'Teachers']);
        }
    });

    it('add and take out teachers, whom a moderator makes on the page of a person', async () => {
        const [eva, max, mona] = [await teacher(), await test.open(newName()), await test.open(newName())];
        await grant(mona, 'moderator');
        const one = await classOf(eva);
        const page = await windowOf(eva, one.path, 390);
        await page.getByLabel('Username').fill(max.username);
        await page.getByRole('button', { name: 'Add a teacher' }).click();
        await page.getByText('This user is no teacher here yet.').waitFor();

        const moderation = await windowOf(mona, '/moderation?view=person', 390);
        await moderation.getByLabel('Username').fill(max.username);
        await moderation.keyboard.press('Enter');
        await moderation.waitForURL(/\/u\//);
        await moderation.getByRole('main').getByRole('link', { name: 'Moderation' }).click();
        await moderation.getByRole('button', { name: `Make ${max.username} a teacher` }).click();
        await moderation.getByText(`${max.username} can make classes now.`).waitFor();
        await looksRight(moderation);

        await page.getByRole('button', { name: 'Add a teacher' }).click();
        await page.getByText(`${max.username} teaches here now.`).waitFor();
        expect((await peopleOf(one, max)).role).to.equal('teacher');
        await looksRight(page);
        await page.getByRole('button', { name: `Take out ${max.username}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click();
        await page.getByText(`${max.username} is out of the class.`).waitFor();
        expect((await peopleOf(one, max)).code).to.equal('not_found');

        await moderation.getByRole('button', { name: `End that ${max.username} is a teacher` }).click();
        await moderation.getByText(`${max.username} cannot make classes any more.`).waitFor();
        expect((await test.call('POST', '/users/me/classes', { title: 'Mine' }, { token: max.token })).status).to.equal(403);
        const other = await windowOf(max, '/classes');
        await other.getByText('Do you teach?').waitFor();
        await other.goto(`${test.url}/u/${max.username}`);
        await settled(other);
        expect(await other.getByRole('main').getByRole('link', { name: 'Moderation' }).count()).to.equal(0);
    });
});
