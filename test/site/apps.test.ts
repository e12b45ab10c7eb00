import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser as Chromium, Page } from 'playwright-core';

import { Browser, pkce, post, registerApp, tokensFor } from '../support/apps';
import type { TokenAnswer } from '../support/apps';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { PASSWORD } from '../support/passwords';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('the pages where people let apps in', () => {
    let test: Product;
    let browser: Chromium;
    const wrong: string[] = [];

    before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())).then(() => undefined));

    const send = async (path: string, body: object, token?: string): Promise<any> => (await fetch(`${test.url}${path}`, { // eslint-disable-line no-restricted-syntax
        method: 'POST', headers: { 'content-type': 'application/json', ...token !== undefined && { authorization: `token ${token}` } }, body: JSON.stringify(body)
    })).json();

    const open = async (address: string, width: number, locale = 'en-US'): Promise<Page> => {
        const page = await (await browser.newContext({ viewport: { width, height: 844 }, locale })).newPage();
        page.setDefaultTimeout(60_000);
        // Chromium says so of a page of the site that leads to one which is none.
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        await page.goto(address);
        return page;
    };

    const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

    it('ask by keyboard, also on a phone and from right to left, and show afterwards what was let in, and end it', async () => {
        const username = `ana-${randomBytes(4).toString('hex')}`;
        const { token: { access_token: token } } = await send('/users', { username, password: PASSWORD });
        const { app } = await send('/users/me/apps', { name: 'Kitchen editor', url: 'https://editor.example', redirect_uris: [`${test.url}/`, 'http://127.0.0.1/done'] }, token);
        for (const [width, locale] of [[1280, 'en-US'], [390, 'ar']] as const) {
            const { challenge } = pkce();
            const page = await open(`${test.url}/oauth/auth?${new URLSearchParams({ client_id: app.id, redirect_uri: 'http://127.0.0.1:9/done', response_type: 'code', scope: 'openid user projects', state: 'x', code_challenge: challenge, code_challenge_method: 'S256' })}`, width, locale);
            await page.waitForSelector('input[name=username]');
            expect(await fits(page)).to.be.true();
            await page.keyboard.type(username);
            await page.keyboard.press('Tab');
            await page.keyboard.type(PASSWORD);
            await page.keyboard.press('Enter');
            await page.waitForSelector('.consent form');
            expect(await faultsOn(page)).to.equal([]);
            expect(await fits(page)).to.be.true();
            await page.focus('.consent input[name=projects]');
            await page.keyboard.press('Space');
            const back = page.waitForRequest((request) => request.url().startsWith('http://127.0.0.1:9/done'));
            await page.focus('.consent button[type=submit]');
            await page.keyboard.press('Enter');
            const { searchParams } = new URL((await back).url());
            expect(searchParams.get('code')).to.match(/^[\w-]{43}$/);
            const session = JSON.stringify(await page.context().storageState());
            expect(session).to.contain(username);
        }

        expect(wrong).to.equal([]);
    });

    it('let /docs in, whose button Authorize signs in without a token to copy', async () => {
        const username = `eva-${randomBytes(4).toString('hex')}`;
        const { user: { id } } = await send('/users', { username, password: PASSWORD });
        const page = await open(`${test.url}/docs`, 390);
        await page.click('.btn.authorize');
        expect(await faultsOn(page)).to.equal([]);
        expect(await fits(page)).to.be.true();
        await page.click('text=Sign in with your account');
        await page.fill('input[name=username]', username);
        await page.fill('input[name=password]', PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForSelector('text=This app is a part of this site.');
        await page.click('.consent button[type=submit]');
        await page.locator('#account', { hasText: `Signed in as ${username}. Your user id is ${id}.` }).waitFor();
        expect(new URL(page.url()).search).to.equal('');

        const operation = page.locator('[id$="-listOwnProjects"], [id$="-createProject"]').first();
        await operation.locator('.opblock-summary-control').click();
        await operation.locator('tr[data-param-name="user"] input').fill(id);
        await operation.locator('button.execute').click();
        await operation.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();

        // Whoever does not let it in is told.
        await page.goto(`${test.url}/docs`);
        await page.click('.btn.authorize');
        await page.click('text=Sign in with your account');
        await page.click('text=Do not let it in');
        await page.locator('#account', { hasText: 'did not let the app in' }).waitFor();
        expect(wrong).to.equal([]);
    });

    for (const width of [1280, 390]) {
        it(`give an app on a server another secret, which is shown once and ends the old one at once, at ${width} px`, async () => {
            const { id, username, token } = await test.open(`ida-${randomBytes(4).toString('hex')}`);
            const app = await registerApp(test, { token }, { name: 'On a server', confidential: true });
            const { refresh_token: first } = await tokensFor(test, app, new Browser(token));
            const page = await open(`${test.url}/account/apps`, width);
            await page.evaluate((session) => localStorage.setItem(`pagewright ${location.origin}`, session), JSON.stringify({ token, tokenId: null, user: { id, username } }));
            await page.reload();
            const refresh = (secret: string): Promise<TokenAnswer> => post(`${test.url}/oauth/token`, { grant_type: 'refresh_token', refresh_token: first, client_id: app.id, client_secret: secret });

            // Whoever closes the question changes nothing.
            await page.click('button[aria-label="New secret for On a server"]');
            await page.keyboard.press('Escape');
            await page.waitForSelector('dialog', { state: 'detached' });
            await page.focus('button[aria-label="New secret for On a server"]');
            await page.keyboard.press('Enter');
            await page.getByText('The secret that it has now ends at once').waitFor();
            await page.click('dialog button[type=submit]');
            const shown = page.locator('dialog code');
            await shown.waitFor();
            const secret = String(await shown.textContent());
            expect(secret).to.match(/^[\w-]{43}$/);
            expect(secret).to.not.equal(String(app.secret));
            expect(await faultsOn(page)).to.equal([]);
            expect(await fits(page)).to.be.true();
            expect((await refresh(String(app.secret))).body.error).to.equal('invalid_client');
            expect((await refresh(secret)).status).to.equal(200);

            await page.getByRole('dialog').getByRole('button').last().click();
            await page.waitForSelector('dialog', { state: 'detached' });
            expect(await page.content()).to.not.contain(secret);
            await page.reload();
            await page.waitForSelector('button[aria-label="New secret for On a server"]');
            expect(await page.content()).to.not.contain(secret);
            expect(JSON.stringify(await page.context().storageState())).to.not.contain(secret);
            expect(wrong).to.equal([]);
        });
    }

    it('let a device in by its code, and list and end apps at /account/apps', async () => {
        const username = `ben-${randomBytes(4).toString('hex')}`;
        const { token: { access_token: token } } = await send('/users', { username, password: PASSWORD });
        const page = await open(`${test.url}/account/apps`, 390);
        await page.fill('input[name=username]', username);
        await page.fill('input[name=password]', PASSWORD);
        await page.keyboard.press('Enter');
        await page.click('text=Register an app');
        await page.fill('dialog input[name=name]', 'Television');
        await page.fill('dialog input[name=url]', 'https://tv.example');
        await page.fill('dialog textarea[name=redirect_uris]', 'https://tv.example/done');
        await page.click('dialog button[type=submit]');
        const line = await page.waitForSelector('text=/client_id: \\d+/');
        const [id = ''] = /\d+/.exec(String(await line.textContent())) ?? [];
        expect(await faultsOn(page)).to.equal([]);
        expect(await fits(page)).to.be.true();

        const start = await (await fetch(`${test.url}/oauth/device`, { method: 'POST', body: new URLSearchParams({ client_id: id, scope: 'projects' }) })).json();
        const { device_code: device, user_code: code, verification_uri_complete: address } = Object(start);
        await page.goto(address);
        expect(await page.inputValue('input[name=user_code]')).to.equal(code);
        expect(await faultsOn(page)).to.equal([]);
        await page.click('form.fields button[type=submit]');
        await page.waitForSelector('text=Let Television in?');
        await page.click('.consent button[type=submit]');
        await page.waitForSelector('text=The device is connected');
        const given = await fetch(`${test.url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: id, device_code: device }) });
        expect(given.status).to.equal(200);

        await page.goto(`${test.url}/account/apps`);
        await page.click('button[aria-label="End Television"]');
        await page.click('dialog button[type=submit]');
        await page.waitForSelector('text=You have not let any app in.');
        const { access_token: ended } = Object(await given.json());
        expect((await fetch(`${test.url}/users/me`, { headers: { authorization: `Bearer ${ended}` } })).status).to.equal(401);
        await page.click('button[aria-label="Delete Television"]');
        await page.click('dialog button[type=submit]');
        await page.waitForSelector('text=The app is deleted.');
        const left = await (await fetch(`${test.url}/users/me/apps`, { headers: { authorization: `token ${token}` } })).json();
        expect(Object(left).apps).to.equal([]);
        expect(wrong).to.equal([]);
    });
});
