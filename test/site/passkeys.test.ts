import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser } from 'playwright-core';

import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('passkeys in a browser', () => {
    let test: Product;
    let browser: Browser;
    /** The host of a passkey is a name, and not the number of an address. */
    let url: string;

    before(async () => {
        test = await startProduct();
        url = test.url.replace('127.0.0.1', 'localhost');
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        it(`are added, sign in without a name, and are removed; a recovery code signs in once, at ${viewport.width} px`, async () => {
            const { id, username, token } = await test.open(`pk-${randomBytes(4).toString('hex')}`);
            const context = await browser.newContext({ viewport, locale: 'en-US', reducedMotion: 'reduce' });
            const page = await context.newPage();
            page.setDefaultTimeout(60_000);
            const devtools = await context.newCDPSession(page);
            await devtools.send('WebAuthn.enable');
            await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
            const button = (name: string) => page.getByRole('button', { name, exact: true });
            const look = async (): Promise<void> => {
                expect(await faultsOn(page)).to.equal([]);
                expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
            };

            await page.goto(`${url}/sign-in`);
            await page.evaluate(`localStorage.setItem('pagewright ' + location.origin, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
            await page.goto(`${url}/account/passkeys`);
            await page.getByText('You have no passkeys.').waitFor();
            await page.getByLabel('Name of the passkey').fill('My phone');
            await page.keyboard.press('Enter');
            await page.getByRole('heading', { name: 'My phone' }).waitFor();
            await button('Make recovery codes').click();
            const code = await page.locator('.codes code').first().innerText();
            await page.getByText('10 codes are left.').waitFor();
            await look();

            const enter = async (): Promise<void> => {
                await page.evaluate('localStorage.clear()');
                await page.goto(`${url}/sign-in?back=/account/passkeys`);
            };

            await enter();
            await button('Sign in with a passkey').waitFor();
            await look();
            await button('Sign in with a passkey').focus();
            await page.keyboard.press('Enter');
            await page.getByRole('heading', { name: 'My phone' }).waitFor();
            await page.getByText('last used').waitFor();

            await enter();
            await button('Use a recovery code').click();
            const form = page.getByRole('form', { name: 'Use a recovery code' });
            await form.getByLabel('Username').fill(username);
            await form.getByLabel('Recovery code').fill(code.toUpperCase());
            await look();
            await page.keyboard.press('Enter');
            await page.getByText('9 codes are left.').waitFor();

            await button('Remove: My phone').click();
            await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
            await page.getByText('You have no passkeys.').waitFor();
            await enter();
            await button('Sign in with a passkey').click();
            await page.locator('.problem', { hasText: /\S/ }).waitFor();
            expect(new URL(page.url()).pathname).to.equal('/sign-in');
            await context.close();
        });
    }
});
