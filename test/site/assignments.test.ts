import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { fakeHost } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('assignments on the page of a class', () => {
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

    const windowOf = async ({ id, username, token }: Actor, path: string, width: number, locale = 'en-US'): Promise<Page> => {
        const page = await (await browser.newContext({ viewport: { width, height: 844 }, locale, timezoneId: 'Europe/Madrid', reducedMotion: 'reduce' })).newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        await page.goto(`${test.url}/sign-in`);
        await page.evaluate((session) => localStorage.setItem(`pagewright ${location.origin}`, session), JSON.stringify({ token, tokenId: null, user: { id, username } }));
        await page.goto(`${test.url}${path}`);
        return page;
    };

    const looksRight = async (page: Page): Promise<void> => {
        expect(await faultsOn(page, ['.pagewright-page'])).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
    };

    for (const width of [1280, 390]) {
        it(`are given, begun, handed in, looked at, answered and taken back, at ${width} px`, async () => {
            const eva = await test.open(`as-${randomBytes(4).toString('hex')}`);
            expect(await run(['grant', eva.username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
            const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: eva.token });
            const { body: { pupils: [{ user, passphrase }] } } = await test.call('POST', `/classes/${id}/pupils`, { names: ['Ana', 'Ben'] }, { token: eva.token });
            const { body: { token: { access_token } } } = await test.call('POST', '/tokens', { username: user.username, password: passphrase });
            const ana: Actor = { ...user, token: access_token };

            const page = await windowOf(eva, `/class/${id}?part=assignments`, width);
            const dialog = page.getByRole('dialog');
            await page.getByRole('button', { name: 'New assignment' }).focus();
            await page.keyboard.press('Enter');
            await dialog.waitFor();
            await page.keyboard.type('A story');
            await dialog.getByLabel('What is to be done').fill('Three pages.');
            // A day without an hour is no time, and not taken for none.
            await dialog.getByLabel('To be handed in until').focus();
            await page.keyboard.type('04012036');
            await page.keyboard.press('Enter');
            await dialog.locator('input[type="datetime-local"][aria-invalid="true"]:focus').waitFor();
            await dialog.getByLabel('To be handed in until').fill('2036-04-01T12:00');
            await looksRight(page);
            expect(await dialog.getByLabel('An empty project').isChecked()).to.be.true();
            await dialog.getByLabel('Title').focus();
            await page.keyboard.press('Enter');
            await page.getByText('until Apr 1, 2036, 12:00').waitFor();
            await page.getByText('handed in: 0 of 2').waitFor();
            expect((await test.call('GET', `/classes/${id}/assignments`, undefined, { token: eva.token })).body.assignments[0].assignment).to.include({ title: 'A story', text: 'Three pages.', template: null, due_at: '2036-04-01T10:00:00.000Z' });
            await page.getByRole('button', { name: 'Change “A story”' }).click();
            expect(await dialog.getByLabel('To be handed in until').inputValue()).to.equal('2036-04-01T12:00');
            await page.keyboard.press('Escape');

            const pupil = await windowOf(ana, `/class/${id}`, width, 'en-GB');
            await pupil.getByRole('button', { name: 'Begin “A story”' }).focus();
            await pupil.keyboard.press('Enter');
            await pupil.waitForURL(/\/edit\/\d+$/);
            const task = pupil.getByRole('region', { name: 'Your task' });
            await task.getByText('A story').click();
            await task.getByText('Three pages.').last().waitFor();
            await task.getByText('until 1 Apr 2036, 12:00').waitFor();
            await looksRight(pupil);
            expect(await pupil.getByRole('link', { name: 'Back to where you came from' }).getAttribute('href')).to.equal(`${test.url}/class/${id}`);
            const project = String(pupil.url().split('/').at(-1));
            const { body: { pages: [first] } } = await test.call('GET', `/users/me/projects/${project}/pages`, undefined, { token: ana.token });
            const write = (text: string): Promise<unknown> => test.call('POST', `/users/me/projects/${project}/pages/${first.id}/elements`, { type: 'text', attributes: { text }, styles: { left: 40, top: 60 } }, { token: ana.token });
            await write('Once upon a time');
            // In the editor, or on the page of the class.
            if (width === 390) {
                await pupil.reload();
                await task.getByRole('button', { name: 'Hand in' }).click();
                await pupil.getByRole('dialog').getByRole('button', { name: 'Hand in', exact: true }).click();
                await task.getByText('Handed in').waitFor();
                await pupil.getByRole('link', { name: 'Back to where you came from' }).click();
                await pupil.getByText('Handed in').waitFor();
            }
            else {
                await pupil.goto(`${test.url}/class/${id}`);
                await pupil.getByRole('button', { name: 'Hand in “A story”' }).click();
                await pupil.getByRole('dialog').getByRole('button', { name: 'Hand in', exact: true }).click();
                await pupil.getByText('It is handed in.').waitFor();
            }

            await looksRight(pupil);
            await write('And then');

            await page.reload();
            await page.getByText('handed in: 1 of 2').waitFor();
            await page.getByRole('list', { name: 'Assignments' }).getByRole('link', { name: 'A story' }).click();
            await page.locator('.row', { hasText: 'Not begun' }).waitFor();
            await page.getByRole('button', { name: 'To look at (1)' }).click();
            expect(await page.locator('.row h3').allTextContents()).to.equal(['Ana']);
            await page.getByRole('button', { name: 'Not begun (1)' }).click();
            expect(await page.locator('.row h3').allTextContents()).to.equal(['Ben']);
            await page.getByRole('button', { name: 'All (2)' }).click();
            await looksRight(page);
            await page.getByRole('button', { name: 'What was handed in: Ana' }).click();
            await dialog.getByText('Once upon a time').waitFor();
            // What was written later is not there.
            expect(await dialog.getByText('And then').count()).to.equal(0);
            await looksRight(page);
            await page.keyboard.press('Escape');
            await page.getByRole('button', { name: 'Answer Ana' }).focus();
            await page.keyboard.press('Enter');
            await page.keyboard.type('Give it an end.');
            await dialog.getByRole('button', { name: 'Save' }).click();
            await page.locator('.facts', { hasText: 'Returned, to go on' }).waitFor();

            await pupil.reload();
            await pupil.getByText('Give it an end.').waitFor();
            await pupil.getByRole('button', { name: 'Hand in “A story”' }).click();
            await pupil.getByRole('dialog').getByRole('button', { name: 'Hand in', exact: true }).click();
            await pupil.getByRole('button', { name: 'Take back “A story”' }).click();
            await pupil.getByText('You have taken it back.').waitFor();
            expect((await test.call('GET', `/classes/${id}/assignments`, undefined, { token: ana.token })).body.assignments[0].work.state).to.equal('started');

            await page.goto(`${test.url}/class/${id}?part=assignments`);
            await page.getByRole('button', { name: 'Delete “A story”' }).click();
            await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
            await page.getByText('There are no assignments yet.').waitFor();
            expect(wrong).to.equal([]);
            await Promise.all(browser.contexts().map((context) => context.close()));
        });
    }

    it('show a pupil how the work is now, if a teacher has answered it or deleted the assignment meanwhile', async () => {
        const eva = await test.open(`as-${randomBytes(4).toString('hex')}`);
        expect(await run(['grant', eva.username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: eva.token });
        const { body: { pupils: [{ user, passphrase }] } } = await test.call('POST', `/classes/${id}/pupils`, { names: ['Ana'] }, { token: eva.token });
        const { body: { token: { access_token: token } } } = await test.call('POST', '/tokens', { username: user.username, password: passphrase });
        const { body: { assignment } } = await test.call('POST', `/classes/${id}/assignments`, { title: 'A story' }, { token: eva.token });
        const works = `/classes/${id}/assignments/${assignment.id}/work`;
        const { body: { work } } = await test.call('POST', works, {}, { token });
        await test.call('PATCH', `${works}/${work.id}`, { state: 'handed_in' }, { token });

        const page = await windowOf({ ...user, token }, `/class/${id}`, 390);
        await page.getByRole('button', { name: 'Take back “A story”' }).waitFor();
        await test.call('PATCH', `${works}/${work.id}`, { state: 'returned', note: 'Give it an end.' }, { token: eva.token });
        await page.getByRole('button', { name: 'Take back “A story”' }).click();
        await page.getByText('Your teacher has answered this work already, so it cannot be taken back.').waitFor();
        await page.getByText('Give it an end.').waitFor();
        await page.getByRole('button', { name: 'Hand in “A story”' }).click();
        await test.call('DELETE', `/classes/${id}/assignments/${assignment.id}`, {}, { token: eva.token });
        await page.getByRole('dialog').getByRole('button', { name: 'Hand in', exact: true }).click();
        await page.getByText('It was not found. It may have been deleted').waitFor();
        await page.getByText('There are no assignments yet.').waitFor();
        expect(await page.getByRole('dialog').count()).to.equal(0);
        expect(wrong).to.equal([]);
        await Promise.all(browser.contexts().map((context) => context.close()));
    });

    it('begin with a project that is chosen by its picture, are called as the assignment, and are looked at one after the other', async () => {
        const eva = await test.open(`as-${randomBytes(4).toString('hex')}`);
        expect(await run(['grant', eva.username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        const { body: { project } } = await test.call('POST', '/users/me/projects', { title: 'A frame' }, { token: eva.token });
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: eva.token });
        const { body: { pupils } } = await test.call('POST', `/classes/${id}/pupils`, { names: ['Ana', 'Ben'] }, { token: eva.token });
        const page = await windowOf(eva, `/class/${id}?part=assignments`, 1280);
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'New assignment' }).click();
        await dialog.getByLabel('Title').fill('Our trip');
        await dialog.getByLabel('A frame').check();
        await looksRight(page);
        await dialog.getByLabel('Or another project').fill('no address');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.getByText('number').last().waitFor();
        await dialog.getByLabel('Or another project').fill('');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.waitFor({ state: 'detached' });
        const { body: { assignments: [{ assignment }] } } = await test.call('GET', `/classes/${id}/assignments`, undefined, { token: eva.token });
        expect(assignment).to.include({ title: 'Our trip', template: project.id });
        const works = `/classes/${id}/assignments/${assignment.id}/work`;
        for (const { user, passphrase } of pupils) {
            const { body: { token: { access_token: token } } } = await test.call('POST', '/tokens', { username: user.username, password: passphrase });
            const { body: { work } } = await test.call('POST', works, {}, { token });
            const copy = (await test.call('GET', `/users/me/projects/${work.project_id}`, undefined, { token })).body.project;
            expect(copy).to.include({ title: 'Our trip', remixed_from: project.id });
            expect((await test.call('PATCH', `${works}/${work.id}`, { state: 'handed_in' }, { token })).status).to.equal(200);
        }

        await page.goto(`${test.url}/class/${id}?assignment=${assignment.id}`);
        await page.getByRole('button', { name: 'What was handed in: Ana' }).click();
        await dialog.getByRole('button', { name: 'Next work' }).click();
        await page.getByRole('dialog', { name: 'What was handed in: Ben' }).waitFor();
        await dialog.getByRole('button', { name: 'Next work' }).click();
        await page.getByRole('dialog', { name: 'What was handed in: Ana' }).waitFor();
        await looksRight(page);
        await dialog.getByRole('button', { name: /Well done!/ }).click();
        await page.getByRole('dialog', { name: 'What was handed in: Ben' }).waitFor();
        await dialog.getByRole('button', { name: /Something is missing/ }).click();
        await dialog.waitFor({ state: 'detached' });
        const { body: { works: answered } } = await test.call('GET', works, undefined, { token: eva.token });
        expect(answered.map(({ work }: { work: { state: string; note: string } }) => [work.state, work.note])).to.equal([['accepted', 'Well done!'], ['returned', 'Something is missing. Please go on.']]);
        expect(wrong).to.equal([]);
        await Promise.all(browser.contexts().map((context) => context.close()));
    });

    it('have a wall beside them: what people put into the class, by the names of the class', async () => {
        const eva = await test.open(`as-${randomBytes(4).toString('hex')}`);
        expect(await run(['grant', eva.username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: eva.token });
        const { body: { pupils } } = await test.call('POST', `/classes/${id}/pupils`, { names: ['Ana', 'Ben'] }, { token: eva.token });
        const [ana, ben] = await Promise.all(pupils.map(async ({ user, passphrase }: { user: Actor; passphrase: string }) => ({ ...user, token: (await test.call('POST', '/tokens', { username: user.username, password: passphrase })).body.token.access_token })));
        for (const title of ['For all', 'For teachers']) {
            expect((await test.call('POST', '/users/me/projects', { title }, { token: ana.token })).body.project.visibility).to.equal('private');
        }

        const page = await windowOf(ana, `/class/${id}`, 390);
        const dialog = page.getByRole('dialog');
        await page.getByText('Nothing is in the class yet.').waitFor();
        for (const [title, audience] of [['For all', 'class'], ['For teachers', 'teachers']] as const) {
            await page.getByRole('button', { name: 'Put a project in' }).focus();
            await page.keyboard.press('Enter');
            await dialog.getByLabel('Your project').selectOption({ label: title });
            await dialog.getByLabel('Who can see it').selectOption(audience);
            await looksRight(page);
            await dialog.getByRole('button', { name: 'Put it in' }).click();
            await page.locator('.card', { hasText: title }).waitFor();
        }

        const cards = async (actor: Actor, count: number): Promise<string[]> => {
            const other = await windowOf(actor, `/class/${id}`, 1280);
            await other.locator('.card').nth(count - 1).waitFor();
            await looksRight(other);
            return (await other.locator('.card').allInnerTexts()).map((text) => text.split('\n').filter((line) => line.length > 1).join(': ')).sort();
        };

        expect(await cards(ben, 1)).to.equal(['For all: Ana']);
        expect(await cards(eva, 2)).to.equal(['For all: Ana: Hide', 'For teachers: Ana: Hide']);
        await page.getByRole('button', { name: 'Take out “For all”' }).click();
        await dialog.getByRole('button', { name: 'Take out', exact: true }).click();
        await page.getByText('It is out of the class.').waitFor();
        expect((await test.call('GET', `/classes/${id}/projects`, undefined, { token: ben.token })).body.projects).to.equal([]);
        expect(wrong).to.equal([]);
    });

    it('show on the wall what is saved, drawn as it is, and who hands in several times as a film', async () => {
        const eva = await test.open(`as-${randomBytes(4).toString('hex')}`);
        expect(await run(['grant', eva.username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: eva.token });
        const { body: { pupils: [{ user, passphrase }] } } = await test.call('POST', `/classes/${id}/pupils`, { names: ['Ana'] }, { token: eva.token });
        const token = { token: (await test.call('POST', '/tokens', { username: user.username, password: passphrase })).body.token.access_token };
        const { body: { assignment } } = await test.call('POST', `/classes/${id}/assignments`, { title: 'A story' }, { token: eva.token });
        const works = `/classes/${id}/assignments/${assignment.id}/work`;

        const wall = await windowOf(eva, `/class/${id}`, 390);
        await wall.getByText('Nothing is in the class yet.').waitFor();
        const { body: { work } } = await test.call('POST', works, {}, token);
        const project = `/users/${user.id}/projects/${work.project_id}`;
        await wall.locator('.card', { hasText: 'A story' }).waitFor();
        const { body: { pages: [first] } } = await test.call('GET', `${project}/pages`, undefined, token);
        const write = (text: string): Promise<unknown> => test.call('POST', `${project}/pages/${first.id}/elements`, { type: 'text', attributes: { text }, styles: { left: 40, top: 60 } }, token);
        await write('Once upon a time');
        await wall.locator('.card .picture', { hasText: 'Once upon a time' }).waitFor();
        await test.call('PATCH', project, { title: 'The wolf' }, token);
        await wall.locator('.card', { hasText: 'The wolf' }).waitFor();
        await looksRight(wall);

        for (const text of ['And then', 'The end']) {
            expect((await test.call('PATCH', `${works}/${work.id}`, { state: 'handed_in' }, token)).status).to.equal(200);
            expect((await test.call('PATCH', `${works}/${work.id}`, { state: 'returned', note: 'More' }, { token: eva.token })).status).to.equal(200);
            await write(text);
        }

        const page = await windowOf(eva, `/class/${id}?assignment=${assignment.id}`, 390);
        await page.getByRole('button', { name: 'What was handed in: Ana' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Hand-in 2 of 2').waitFor();
        await dialog.getByText('And then').waitFor();
        await looksRight(page);
        await dialog.getByLabel('Look through what was handed in').focus();
        await page.keyboard.press('ArrowLeft');
        await dialog.getByText('Hand-in 1 of 2').waitFor();
        await dialog.getByText('And then').waitFor({ state: 'detached' });
        await dialog.getByText('Once upon a time').waitFor();

        // Whoever may not see the class any more has nothing of it on the screen.
        expect((await test.call('DELETE', `/classes/${id}`, {}, { token: eva.token })).status).to.equal(200);
        await wall.getByText('It was not found.').waitFor();
        expect(await wall.getByText('The wolf').count()).to.equal(0);
        expect(wrong).to.equal([]);
        await Promise.all(browser.contexts().map((context) => context.close()));
    });
});
