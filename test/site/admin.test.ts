import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { readConfig } from '../../src/config/index';
import { faultsOn } from '../support/axe';
import { launchChromium, settled } from '../support/chromium';
import { PASSWORD } from '../support/passwords';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

/** What has the focus, by its name. */
const focused = `(() => {
    const one = document.activeElement;
    return (one.getAttribute('aria-label') ?? document.querySelector('label[for="' + one.id + '"]')?.innerText ?? one.closest('label')?.querySelector('span')?.innerText ?? one.innerText ?? '').trim();
})()`;

const views = ['people', 'codes', 'apps', 'webhooks', 'announcements', 'statistics', 'maintenance', 'log', 'moderation_log'];

describe('the pages of whoever runs the place', () => {
    let test: TestServer;
    let browser: Browser;
    let url: string;
    const wrong: string[] = [];

    before(async () => {
        await build();
        test = await startTestServer({ config: { site: readConfig({}).site } });
        await test.server.start();
        url = `http://127.0.0.1:${test.server.info.port}`;
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    afterEach(async () => {
        await Promise.all(browser.contexts().map((context) => context.close()));
        expect(wrong.splice(0)).to.equal([]);
        expect(test.faults.splice(0)).to.equal([]);
    });

    const newName = (): string => `ad-${randomBytes(4).toString('hex')}`;
    const newPerson = (): Promise<Actor> => test.open(newName());

    const newStaff = async (): Promise<Actor> => {
        const actor = await newPerson();
        await test.database.db.raw('update users set staff = true where id = ?', [actor.id]);
        return actor;
    };

    /** A page in a browser of its own. */
    const windowOf = async (actor: Actor | undefined, path: string, width = 1280): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, locale: 'en-US', reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] });
        const page = await context.newPage();
        page.setDefaultTimeout(30_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        if (actor !== undefined) {
            const { id, username, token } = actor;
            await page.goto(`${url}/sign-in`);
            await page.evaluate((session) => localStorage.setItem(`pagewright ${location.origin}`, session), JSON.stringify({ token, tokenId: null, user: { id, username } }));
        }

        await page.goto(`${url}${path}`);
        await page.locator('h1').waitFor();
        return page;
    };

    /** Goes on with Tab to what has the name, and presses a key there. */
    const reach = async (page: Page, name: string, key?: string): Promise<void> => {
        for (let step = 0; step < 200; ++step) {
            await page.keyboard.press('Tab');
            if (await page.evaluate<string>(focused) === name) {
                await (key === undefined ? undefined : page.keyboard.press(key));
                return;
            }
        }

        throw new Error(`Tab does not reach ${name}`);
    };

    const told = (page: Page, text: string): Promise<void> => page.locator('.said', { hasText: text }).waitFor();
    const dialogGone = (page: Page): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' });

    /** Whether it can be seen and read by everybody, and fits; once what it reads is there. */
    const looksRight = async (page: Page, name: string): Promise<void> => {
        await page.locator('#root').locator('.loading, [aria-busy="true"]').first().waitFor({ state: 'detached' });
        expect(await faultsOn(page), name).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), name).to.be.true();
        expect(await page.textContent('body'), name).to.not.match(/\b(?:admin|announcement|error|log|moderation|ui)\.[a-z_]+\b/);
    };

    const admin = async (token: string, path: string): Promise<any> => (await test.call('GET', `/admin/${path}`, undefined, { token })).body; // eslint-disable-line no-restricted-syntax
    const signsIn = async (username: string, password: string): Promise<number> => (await test.call('POST', '/tokens', { username, password })).status;

    it('are nothing for those who do not run it: guests are led to sign in, others are told so, and no page of the site leads there', async () => {
        const [person, staff] = [await newPerson(), await newStaff()];
        const page = await windowOf(undefined, '/admin?view=log');
        await page.getByText('This page is for whoever runs this place. Sign in first.').waitFor();
        await looksRight(page, 'guest');
        await page.locator('input[name=username]:focus').waitFor();
        await page.keyboard.type(person.username);
        await reach(page, 'Password');
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'This page is for whoever runs this place' }).waitFor();
        await looksRight(page, 'not-yours');
        expect(await page.locator('#root nav, #root form, #root li').count()).to.equal(0);
        await page.goto(url);
        await page.getByRole('link', { name: person.username, exact: true }).first().waitFor();
        await settled(page);
        expect(await page.getByRole('link', { name: 'Admin', exact: true }).count()).to.equal(0);

        // Nothing that is private is in what everybody gets.
        const texts = await Promise.all([undefined, staff.token].map(async (token) => (await test.call('GET', '/admin', undefined, token === undefined ? {} : { token })).text));
        expect(texts[0]).to.equal(texts[1]);
        const theirs = await windowOf(staff, '/');
        await theirs.getByRole('link', { name: 'Admin', exact: true }).waitFor();
    });

    for (const width of [1280, 390]) {
        it(`find people, give them new passwords and permissions, suspend, remove and restore them, by keyboard, at ${width} px`, async () => {
            const [staff, person] = [await newStaff(), await newPerson()];
            const { username: name, id } = person;
            await test.call('POST', '/users/me/projects', { title: 'Secret title' }, { token: person.token });
            const page = await windowOf(staff, '/', width);
            if (width === 390) {
                await page.getByRole('button', { name: 'More', exact: true }).waitFor();
                await reach(page, 'More', 'Enter');
            }

            await page.getByRole('link', { name: 'Admin', exact: true }).waitFor();
            await reach(page, 'Admin', 'Enter');
            await page.getByRole('heading', { name: 'People' }).waitFor();
            await looksRight(page, 'people');
            await reach(page, 'Name begins with (optional)');
            await page.keyboard.type(name.toUpperCase().slice(0, -1));
            await page.keyboard.press('Enter');
            await page.waitForURL(/name=/);
            await page.getByRole('link', { name, exact: true }).waitFor();
            expect(await page.locator('#root article').count()).to.equal(1);
            await reach(page, name, 'Enter');
            await page.getByRole('heading', { name, exact: true }).waitFor();
            await looksRight(page, 'person');
            expect(await page.textContent('#root')).to.contain('with a password').and.to.not.contain('Secret title');

            // Asks first; Escape changes nothing.
            await reach(page, `New password for ${name}`, 'Enter');
            await looksRight(page, 'reset');
            await page.keyboard.press('Escape');
            await dialogGone(page);
            expect(await signsIn(name, PASSWORD)).to.equal(201);
            await reach(page, `New password for ${name}`, 'Enter');
            await reach(page, 'New password', 'Enter');
            await told(page, `${name} has a new password.`);
            await page.locator('input[name=secret]:focus').waitFor();
            await looksRight(page, 'password');
            const password = await page.inputValue('input[name=secret]');
            await reach(page, 'Copy the password', 'Enter');
            await told(page, 'Copied.');
            expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(password);
            expect([await signsIn(name, PASSWORD), await signsIn(name, password)]).to.equal([401, 201]);

            await reach(page, `Suspend ${name}`, 'Enter');
            await page.keyboard.type('Links to a <b>shop</b>');
            await reach(page, 'Suspend', 'Enter');
            await told(page, `${name} is suspended.`);
            await page.getByText('Links to a <b>shop</b>').waitFor();
            await reach(page, `End the suspension of ${name}`, 'Enter');
            await told(page, `${name} is no longer suspended.`);
            await page.getByText('Links to a <b>shop</b>').waitFor({ state: 'detached' });

            await reach(page, `Make ${name} a teacher`, 'Enter');
            await told(page, `${name} is a teacher now.`);
            await reach(page, `Make ${name} staff`, 'Enter');
            await looksRight(page, 'grant');
            expect((await admin(staff.token, `users/${id}`)).user.permissions).to.equal({ staff: false, moderator: false, teacher: true });
            await reach(page, 'Give the permission', 'Enter');
            await told(page, `${name} is staff now.`);
            expect((await admin(staff.token, `users/${id}`)).user.permissions).to.equal({ staff: true, moderator: false, teacher: true });
            await reach(page, `End that ${name} is staff`, 'Enter');
            await told(page, `${name} is no longer staff.`);

            await reach(page, `Remove ${name}`, 'Enter');
            await looksRight(page, 'remove');
            await reach(page, 'Remove', 'Enter');
            await told(page, `${name} was removed.`);
            expect(await signsIn(name, password)).to.equal(401);
            await looksRight(page, 'removed');
            await reach(page, `Restore ${name}`, 'Enter');
            await told(page, `${name} was restored.`);
            expect(await signsIn(name, password)).to.equal(201);

            await page.goto(`${url}/admin?view=log`);
            await page.locator('#root article').first().waitFor();
            await looksRight(page, 'log');
            expect((await page.locator('#root article h2').allTextContents()).slice(0, 8)).to.equal(['Account restored', 'Account removed', 'Permission taken', 'Permission given', 'Permission given', 'Suspension ended', 'Suspended', 'New password']);
            await page.goto(`${url}/admin?view=moderation_log`);
            await page.locator('#root article').first().waitFor();
            await looksRight(page, 'moderation-log');
        });

        it(`do to nobody of the staff what they could not undo, at ${width} px`, async () => {
            const staff = await newStaff();
            const page = await windowOf(staff, `/admin?view=people&id=${staff.id}`, width);
            await page.getByRole('button', { name: `Make ${staff.username} a teacher` }).waitFor();
            expect(await page.getByRole('button', { name: `Remove ${staff.username}` }).count()).to.equal(0);
            expect(await page.getByRole('button', { name: `End that ${staff.username} is staff` }).count()).to.equal(0);
            await page.goto(`${url}/admin?view=people&id=999999999`);
            await page.getByRole('alert').filter({ hasText: 'It was not found.' }).waitFor();
        });

        it(`make codes and end them, and announce and take down, by keyboard, at ${width} px`, async () => {
            const staff = await newStaff();
            const page = await windowOf(staff, '/admin?view=codes', width);
            await page.getByText('There are no codes that work.').waitFor();
            await reach(page, 'New sign-up code', 'Enter');
            await looksRight(page, 'code-new');
            await page.keyboard.press('Control+a');
            await page.keyboard.type('many');
            await page.keyboard.press('Enter');
            await page.getByText('Write a number, such as 30.').waitFor();
            await page.keyboard.press('Control+a');
            await page.keyboard.type('30');
            await reach(page, 'Note (optional)');
            await page.keyboard.type('Teachers of <b>year 5</b>');
            await page.keyboard.press('Enter');
            await told(page, 'The code is made.');
            await page.locator('input[name=secret]:focus').waitFor();
            await looksRight(page, 'codes');
            const address = await page.inputValue('input[name=secret]');
            expect(address).to.match(new RegExp(`^${url}/sign-up\\?code=[0-9a-f]{32}$`));
            const { sign_up_codes: [code] } = await admin(staff.token, 'sign-up-codes');
            expect(code).to.include({ uses_left: 30, note: 'Teachers of <b>year 5</b>', by: staff.username });
            await reach(page, 'End: Teachers of <b>year 5</b>', 'Enter');
            await looksRight(page, 'code-end');
            await reach(page, 'End', 'Enter');
            await told(page, 'The code is ended.');
            expect((await admin(staff.token, 'sign-up-codes')).sign_up_codes).to.equal([]);
            expect(await page.locator('input[name=secret]').count()).to.equal(0);

            await reach(page, 'Announcements', 'Enter');
            await page.getByText('There are no announcements.').waitFor();
            await reach(page, 'New announcement', 'Enter');
            await reach(page, 'Show it on all pages', 'Enter');
            await page.locator('textarea[aria-invalid="true"]:focus').waitFor();
            await looksRight(page, 'announce');
            await page.keyboard.type('We rest on <b>Sunday</b>.');
            await reach(page, 'Importance', 'ArrowDown');
            await reach(page, 'Show it on all pages', 'Enter');
            await told(page, 'The announcement is on all pages.');
            await looksRight(page, 'announcements');
            const { text } = await test.call('GET', '/');
            expect(text).to.contain('We rest on &lt;b>Sunday&lt;/b>.');
            await reach(page, 'Take it down: We rest on <b>Sunday</b>.', 'Enter');
            await looksRight(page, 'withdraw');
            await reach(page, 'Take it down', 'Enter');
            await told(page, 'The announcement is gone from all pages.');
            expect((await test.call('GET', '/')).text).to.not.contain('Sunday');
        });

        it(`trust and delete apps, and switch webhooks off, by keyboard, at ${width} px`, async () => {
            const [staff, maker] = [await newStaff(), await newPerson()];
            const { token } = maker;
            const name = `Painter ${newName()}`;
            const { body: { app } } = await test.call('POST', '/users/me/apps', { name, url: 'https://paint.example', redirect_uris: ['https://paint.example/done'] }, { token });
            const host = `${newName()}.example`;
            expect((await test.call('POST', '/users/me/webhooks', { url: `https://${host}/secret-path`, events: ['project.created'] }, { token })).status).to.equal(201);
            const page = await windowOf(staff, '/admin?view=apps', width);
            await page.getByRole('heading', { name }).waitFor();
            await looksRight(page, 'apps');
            const appNow = async (): Promise<{ trusted: boolean } | undefined> => (await admin(staff.token, 'apps')).apps.find(({ id }: { id: string }) => id === app.id);
            await reach(page, `Trust: ${name}`, 'Enter');
            await told(page, `${name} is trusted.`);
            expect(await appNow()).to.include({ trusted: true });
            await looksRight(page, 'trusted');
            await reach(page, `Trust no longer: ${name}`, 'Enter');
            await told(page, `${name} is no longer trusted.`);
            expect(await appNow()).to.include({ trusted: false });
            await reach(page, `Delete ${name}`, 'Enter');
            await looksRight(page, 'app-delete');
            await reach(page, 'Delete', 'Enter');
            await told(page, 'The app is deleted.');
            expect(await appNow()).to.be.undefined();

            await page.goto(`${url}/admin?view=webhooks`);
            await page.getByRole('heading', { name: host }).waitFor();
            await looksRight(page, 'webhooks');
            expect(await page.textContent('#root')).to.not.contain('secret-path');
            await reach(page, `Switch off: ${host}`, 'Enter');
            await looksRight(page, 'webhook-off');
            await reach(page, 'Switch off', 'Enter');
            await told(page, `The webhook to ${host} is off.`);
            expect((await test.call('GET', '/users/me/webhooks', undefined, { token })).body.webhooks[0].enabled).to.be.false();
        });

        it(`show the place in numbers, and begin the maintenance, by keyboard, at ${width} px`, async () => {
            const staff = await newStaff();
            const page = await windowOf(staff, '/admin?view=statistics', width);
            await page.locator('table.days').waitFor();
            await looksRight(page, 'statistics');
            expect(await page.locator('table.days tbody tr').count()).to.equal(30);
            expect(await page.locator('.figures dd').allTextContents()).to.have.length(9);
            await reach(page, 'Maintenance', 'Enter');
            await page.getByText('Last done').waitFor();
            await looksRight(page, 'maintenance');
            await reach(page, 'Do it now', 'Enter');
            await told(page, 'It begins within a minute.');
            expect((await admin(staff.token, 'log')).entries[0]).to.include({ act: 'maintain', by: { id: staff.id, username: staff.username } });
        });
    }

    it('are in each language what they are in English, also from right to left', async () => {
        const staff = await newStaff();
        for (const lang of ['ar', 'es', 'pt', 'ru']) {
            for (const view of views) {
                const page = await windowOf(staff, `/admin?view=${view}&lang=${lang}`, 390);
                await page.locator('#root nav').waitFor();
                await looksRight(page, `${view}-${lang}`);
                await page.context().close();
            }
        }
    });
});
