import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { readConfig } from '../../src/config/index';
import { startAppsServer } from '../support/apps';
import type { AppsServer } from '../support/apps';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { build } from '../support/program';
import { AUDIENCE, startProvider } from '../support/provider';
import { signInSettings, startSignInProvider } from '../support/sign-in-provider';
import type { SignInProvider } from '../support/sign-in-provider';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const native = { application_type: 'native' as const };

describe('signing in by other providers in a browser', () => {
    let school: SignInProvider;
    let test: AppsServer;
    let browser: Browser;

    before(async () => {
        await build();
        school = await startSignInProvider(['http://127.0.0.1/sign-in/school'], native);
        test = await startAppsServer({ config: { signIn: signInSettings({ school }) } });
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
        await school?.stop();
    });

    const open = async (width: number): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, locale: 'en-US', reducedMotion: 'reduce' });
        const page = await context.newPage();
        page.setDefaultTimeout(120_000);
        return page;
    };

    const look = async (page: Page, name: string): Promise<void> => {
        expect(await faultsOn(page), name).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), name).to.be.true();
        if (process.env.SHOTS !== undefined) {
            await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
        }
    };

    for (const width of [1280, 390]) {
        it(`signs in by keyboard, adds and removes an identity, and says what to do after an error, at ${width} px`, async () => {
            school.person = { sub: `ada-${width}`, preferred_username: `ada-${width}` };
            const page = await open(width);
            const button = (name: string) => page.getByRole('button', { name, exact: true });
            await page.goto(`${test.url}/sign-in?back=/account/identities`);
            await button('Sign in with The school').waitFor();
            await look(page, `sign-in-${width}`);
            await button('Sign in with The school').focus();
            await page.keyboard.press('Enter');
            await page.getByRole('heading', { name: `The school · ada-${width}` }).waitFor();
            expect(new URL(page.url()).pathname).to.equal('/account/identities');
            await page.getByText('last used').waitFor();
            await look(page, `identities-${width}`);

            await button(`Remove: The school · ada-${width}`).click();
            await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
            await page.getByRole('dialog').getByText('You could not sign in any more.').waitFor();
            await page.keyboard.press('Escape');
            school.person = { sub: `other-${width}`, preferred_username: 'other' };
            await button('Add The school').click();
            await page.getByRole('heading', { name: 'The school · other' }).waitFor();
            await button('Remove: The school · other').click();
            await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
            await page.getByText('It is removed.').waitFor();
            expect(await page.getByRole('heading', { name: 'The school' }).count()).to.equal(1);

            // There is no password to change, and other ways in.
            const parts = page.getByRole('navigation', { name: 'Your account' });
            await (width === 390 ? parts.getByRole('button', { name: 'More' }).click() : undefined);
            await parts.getByRole('link', { name: 'Profile' }).click();
            await page.getByText('You sign in without a password, so there is none to change.').waitFor();
            expect(await page.getByLabel('Current password').count()).to.equal(0);
            await look(page, `no-password-${width}`);
            await page.locator('.part-of').getByRole('link', { name: 'Passkeys' }).focus();
            await page.keyboard.press('Enter');
            await page.waitForURL(`${test.url}/account/passkeys`);
            await page.goto(`${test.url}/account/profile`);
            await page.locator('.part-of').getByRole('link', { name: 'Other providers' }).click();

            // They refuse at the provider; an answer comes back a second time.
            school.person = null;
            await button('Add The school').click();
            await page.getByText('this was cancelled at the provider').waitFor();
            await look(page, `cancelled-${width}`);
            await page.getByRole('link', { name: 'Begin again' }).click();
            await button('Add The school').waitFor();
            await page.goto(`${test.url}/sign-in/school?code=a&state=b`);
            await page.getByText('This sign-in was not begun in this tab').waitFor();
            expect(page.url()).to.equal(`${test.url}/sign-in/school`);

            // The provider is down.
            school.instead = (_request, response) => void response.destroy();
            await page.evaluate(`sessionStorage.setItem('pagewright sign-in', JSON.stringify({ provider: 'school', key: 'A'.repeat(43), to: 'sign_in', back: null, code: '' }))`);
            await page.goto(`${test.url}/sign-in/school?code=a&state=b`);
            await page.getByText('The answer of the provider is not valid').waitFor();
            school.instead = undefined;
            await page.context().close();
        });
    }

    it('goes on in the language that was chosen', async () => {
        school.person = { sub: 'linguist', preferred_username: 'linguist' };
        const page = await open(390);
        await page.goto(`${test.url}/sign-in?lang=es`);
        await page.getByRole('button', { name: 'Iniciar sesión con The school' }).click();
        await page.waitForURL((address) => address.pathname === '/');
        await page.getByRole('link', { name: 'linguist' }).waitFor();
        expect(await page.evaluate<string>('document.documentElement.lang')).to.equal('es');
        await page.context().close();
    });

    it('sends people to the identity provider of the place, whose token the site then uses', async () => {
        const provider = await startProvider('jwt');
        const settings = { AUTH_PROVIDER: 'jwt', AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_TIMEOUT: '30000' };
        const { auth, signIn } = readConfig({ ...settings, AUTH_SITE_CLIENT_ID: 'editor', AUTH_SITE_PARAMETERS: `resource=${encodeURIComponent(AUDIENCE)}` });
        const elsewhere = await startAppsServer({ config: { auth, signIn } });
        const unset = await startAppsServer({ config: { auth } });
        const page = await open(390);
        await page.goto(`${unset.url}/sign-in`);
        await page.getByText('has to set AUTH_SITE_CLIENT_ID').waitFor();
        await page.goto(`${elsewhere.url}/sign-in?back=/account/profile`);
        await look(page, 'elsewhere');
        await page.getByRole('button', { name: `Sign in with ${new URL(provider.issuer).host}` }).click();
        await page.getByLabel('Username').waitFor();
        expect(new URL(page.url()).pathname).to.equal('/account/profile');
        const { status, body } = await elsewhere.call('POST', '/sign-ins', { provider: 'provider', to: 'add' });
        expect([status, body.code]).to.equal([404, 'not_local']);
        await page.context().close();
        await elsewhere.stop();
        await unset.stop();
        await provider.stop();
    });

    it('renews the token of the provider in two tabs without anybody noticing, and when that fails keeps what was edited until one has signed in again', async () => {
        const LIFE = 8;
        const provider = await startProvider('jwt', LIFE);
        const settings = { AUTH_PROVIDER: 'jwt', AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_TIMEOUT: '30000', AUTH_LEEWAY: '0' };
        const { auth, signIn } = readConfig({ ...settings, AUTH_SITE_CLIENT_ID: 'editor', AUTH_SITE_PARAMETERS: `resource=${encodeURIComponent(AUDIENCE)}&prompt=consent` });
        const elsewhere = await startAppsServer({ config: { auth, signIn } });
        const one = await open(390);
        const kept = (): Promise<{ token: string } | null> => one.evaluate(`JSON.parse(localStorage.getItem('pagewright ' + location.origin))`);
        const enter = (page: Page): Promise<void> => page.getByRole('button', { name: `Sign in with ${new URL(provider.issuer).host}` }).click();
        await one.goto(`${elsewhere.url}/account/projects`);
        await enter(one);
        const make = async (page: Page, title: string): Promise<void> => {
            await page.getByLabel('Title of a new project').fill(title);
            await page.getByRole('button', { name: 'Create', exact: true }).click();
            await page.waitForURL('**/edit/*');
            await page.locator('.status.saved').waitFor();
        };

        // One comes back to the page that one wanted.
        await make(one, 'Mine');
        const address = one.url();
        const two = await one.context().newPage();
        two.setDefaultTimeout(60_000);
        await two.goto(`${elsewhere.url}/account/projects`);
        await make(two, 'Ours');
        const rename = async (page: Page, title: string): Promise<void> => {
            await page.locator('input.project-title').fill(title);
            await page.locator('input.project-title').press('Tab');
        };

        const saved = (page: Page): Promise<void> => page.locator('.status.saved').waitFor();
        const visits = (): number => provider.asked.filter((path) => path.startsWith('/interaction/')).length;
        const before_ = visits();
        for (const title of ['Once', 'Twice']) {
            const token = (await kept())?.token;
            await one.waitForTimeout(LIFE * 1000);
            await Promise.all([rename(one, `${title} by one`), rename(two, `${title} by two`)]);
            await Promise.all([saved(one), saved(two)]);
            expect((await kept())?.token).to.match(/^ey/).and.to.not.equal(String(token));
        }

        expect(visits()).to.equal(before_);

        // The provider renews nothing any more.
        provider.instead = (request, response) => (request.url === '/token' ? void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}') : provider.pass(request, response));
        while (await kept() !== null) {
            await one.waitForTimeout(200);
        }

        const other = two.url();
        await two.close();
        await rename(one, 'Written while signed out');
        const again = one.locator('.status.signed-out').getByRole('link', { name: 'Sign in' });
        await again.waitFor();
        await look(one, 'signed-out');
        provider.instead = undefined;
        await again.click();
        await enter(one);
        await one.waitForURL(address);
        // What waited is sent, and the editor shows the project as the service has it.
        while (await one.locator('input.project-title').inputValue() !== 'Written while signed out') {
            await one.waitForTimeout(200);
        }

        await saved(one);
        const token = (await kept())?.token;
        const titles = await Promise.all([address, other].map(async (each) => (await elsewhere.call('GET', `/projects/${/\d+$/.exec(new URL(each).pathname)?.[0]}`, undefined, { token })).body.project.title));
        expect(titles).to.equal(['Written while signed out', 'Twice by two']);
        await one.context().close();
        await elsewhere.stop();
        await provider.stop();
    });
});
