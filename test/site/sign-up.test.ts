import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { readConfig } from '../../src/config/index';
import { createCode } from '../../src/community/administration/sign-up-codes';
import { OPERATOR } from '../../src/community/administration/staff';
import { launchChromium } from '../support/chromium';
import { build } from '../support/program';
import { PASSWORD, startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const;
const rules = Array.from({ length: 60 }, (_each, n) => `Rule ${n + 1}: be kind.`).join('\n');

/** With the pages of a browser against a server that listens: what accounts of a place depend on is settings. */
lab.experiment('Opening an account', () => {

    let browser: Browser;
    const wrong: string[] = [];

    lab.before(async () => {
        await build();
        browser = await launchChromium();
    });

    lab.after(() => browser?.close());

    const at = async (settings: Record<string, string>, look: (url: string, server: TestServer) => Promise<void>): Promise<void> => {
        const { auth, signIn, site, signUp } = readConfig(settings);
        const server = await startTestServer({ config: { auth, signIn, site, signUp } });
        try {
            await server.server.start();
            await look(server.server.info.uri, server);
        }
        finally {
            await server.stop();
        }
    };

    const open = async (url: string, viewport: { width: number; height: number } = sizes[0]): Promise<Page> => {
        const page = await (await browser.newContext({ viewport, locale: 'en' })).newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', (error) => void wrong.push(error.message));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        await page.goto(url);
        await page.locator('#root h1').waitFor();
        return page;
    };

    const newName = (): string => `ana-${randomBytes(4).toString('hex')}`;
    const send = (page: Page): Promise<void> => page.getByRole('button', { name: 'Open an account' }).click();

    const fill = async (page: Page, name: string): Promise<void> => {
        await page.getByLabel('Username').fill(name);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    };

    const faultsOf = async (page: Page): Promise<string[]> => {
        await page.evaluate(axe);
        return page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
    };

    lab.test('shows the rules of the place, which can be read to their end with the mouse and by keyboard, and lose nothing that was typed', async () => {
        await at({ SITE_RULES: rules }, async (url, server) => {
            for (const size of sizes) {
                const page = await open(`${url}/sign-up`, size);
                const name = newName();
                await fill(page, name);
                const list = page.getByRole('region', { name: 'Rules of this place' });
                await list.getByText('Rule 1: be kind.').click({ position: { x: 30, y: 10 } });
                expect(await page.getByLabel('Username').inputValue()).to.equal(name);
                expect(await page.locator('form [aria-invalid="true"]').count()).to.equal(0);

                await list.focus();
                await page.keyboard.press('End');
                await list.getByText('With an account you agree').waitFor();
                const isAtEnd = `(({ scrollTop, clientHeight, scrollHeight }) => scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2)(document.querySelector('.rules'))`;
                for (let turn = 0; turn < 600 && !await page.evaluate(isAtEnd); ++turn) {
                    await page.waitForTimeout(50);
                }

                expect(await page.evaluate(isAtEnd)).to.be.true();
                expect(await faultsOf(page)).to.equal([]);
                expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
                await send(page);
                await page.getByLabel('Title of a new project').waitFor();
                expect((await server.call('POST', '/tokens', { username: name, password: PASSWORD })).status).to.equal(201);
                await page.context().close();
            }
        });
    });

    lab.test('takes a name in any script, and says what is wrong with others', async () => {
        await at({}, async (url, server) => {
            for (const [size, name, shown] of [[sizes[0], 'Арина', 'АРИНА'], [sizes[1], '小林さくら', '小林さくら'], [sizes[1], 'سلمى', 'سلمى']] as const) {
                const page = await open(`${url}/sign-up`, size);
                for (const [wrongName, text] of [['\u0430dmin', 'Use letters of one script only'], ['a b', 'Use letters of your script'], ['a\u200db', 'Use letters of your script'], ['x'.repeat(21), 'Use 1 to 20 characters.']] as const) {
                    await fill(page, wrongName);
                    await send(page);
                    await page.getByText(text).waitFor();
                    await page.locator('[name="username"]:focus').waitFor();
                }

                // Keyboards of phones put a blank after a word.
                await fill(page, `${name} `);
                await send(page);
                await page.getByLabel('Title of a new project').waitFor();
                await page.getByRole('heading', { name }).waitFor();
                await page.goto(`${url}/account/profile`);
                await page.getByRole('link', { name: 'Your public page' }).click();
                await page.getByRole('heading', { name, level: 1 }).waitFor();
                expect(await page.locator('h1 bdi').innerText()).to.equal(name);
                expect((await server.call('POST', '/tokens', { username: shown, password: PASSWORD })).status).to.equal(201);
                await page.context().close();
            }
        });
    });

    lab.test('is not offered where nobody may', async () => {
        await at({ SIGN_UP: 'closed', SITE_RULES: rules }, async (url) => {
            for (const size of sizes) {
                const page = await open(`${url}/sign-up`, size);
                await page.getByText('New accounts cannot be opened here').waitFor();
                expect(await page.locator('#root form').count()).to.equal(0);
                expect(await page.locator('.rules').count()).to.equal(0);
                expect(await faultsOf(page)).to.equal([]);
                await page.getByRole('link', { name: 'Sign in' }).last().click();
                await page.getByLabel('Username').waitFor();
                await page.context().close();
            }
        });
    });

    lab.test('takes a code where people are invited, also from the address', async () => {
        await at({ SIGN_UP: 'invite' }, async (url, server) => {
            const { code } = await createCode(server.database.db, OPERATOR, { uses: 1, expiresIn: 3600, note: null });
            const name = newName();
            const page = await open(`${url}/sign-up`, sizes[1]);
            await fill(page, name);
            await send(page);
            await page.getByText('Please fill this in.').waitFor();
            await page.locator('[name="code"]:focus').waitFor();
            await page.getByLabel('Invitation code', { exact: true }).fill('wrong');
            await send(page);
            await page.getByText('This code is wrong, has expired or is used up.').waitFor();
            await page.locator('[name="code"]:focus').waitFor();
            expect(await faultsOf(page)).to.equal([]);

            await page.goto(`${url}/sign-up?code=${code}`);
            expect(await page.getByLabel('Invitation code', { exact: true }).inputValue()).to.equal(code);
            await fill(page, name);
            await send(page);
            await page.getByLabel('Title of a new project').waitFor();
            expect((await server.call('POST', '/tokens', { username: name, password: PASSWORD })).status).to.equal(201);

            const late = await open(`${url}/sign-up?code=${code}`);
            await fill(late, newName());
            await send(late);
            await late.getByText('This code is wrong, has expired or is used up.').waitFor();
        });
    });

    lab.test('is signing in where an identity provider opens accounts', async () => {
        const issuer = 'https://accounts.example';
        await at({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: issuer, AUTH_AUDIENCE: 'pagewright', AUTH_SITE_CLIENT_ID: 'editor' }, async (url) => {
            const page = await open(`${url}/sign-up`);
            await page.getByRole('heading', { name: 'Sign in' }).waitFor();
            await page.getByText(issuer).waitFor();
            await page.getByRole('button', { name: 'Sign in with accounts.example', exact: true }).waitFor();
            expect(await page.getByLabel('Username').count()).to.equal(0);
            await page.context().close();
        });
    });

    lab.test('breaks no policy, and nothing fails', () => {
        expect(wrong).to.equal([]);
    });
});
