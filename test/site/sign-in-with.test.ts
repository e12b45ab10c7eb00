import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { readConfig } from '../../src/config/index';
import { startAppsServer } from '../support/apps';
import type { AppsServer } from '../support/apps';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { AUDIENCE, startProvider } from '../support/provider';
import { signInSettings, startSignInProvider } from '../support/sign-in-provider';
import type { SignInProvider } from '../support/sign-in-provider';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const native = { application_type: 'native' as const };

describe('signing in by other providers in a browser', { timeout: 300_000 }, () => {
    let school: SignInProvider;
    let test: AppsServer;
    let browser: Browser;

    before(async () => {
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
            await page.getByRole('navigation', { name: 'Your account' }).getByRole('link', { name: 'Profile' }).click();
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
});
