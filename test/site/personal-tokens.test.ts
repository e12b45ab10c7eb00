import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { until } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('tokens for scripts, at /account', () => {
    let test: Product;
    let browser: Browser;

    before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        it(`are made by keyboard, shown once, listed with their last use, and ended, at ${viewport.width} px`, async () => {
            const { id, username, token } = await test.open(`pt-${randomBytes(4).toString('hex')}`);
            const { body: { project } } = await test.call('POST', '/users/me/projects', { title: 'Birds', visibility: 'private' }, { token });
            const { body: { project: other } } = await test.call('POST', '/users/me/projects', { title: 'Trees', visibility: 'private' }, { token });
            const context = await browser.newContext({ viewport, locale: 'en-US', reducedMotion: 'reduce' });
            const page = await context.newPage();
            page.setDefaultTimeout(60_000);
            await page.goto(`${test.url}/sign-in`);
            await page.evaluate(`localStorage.setItem('pagewright ' + location.origin, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
            await page.goto(`${test.url}/account/tokens`);
            await page.getByText('You have no tokens.').waitFor();

            const press = async (...keys: string[]): Promise<void> => {
                for (const key of keys) {
                    await page.keyboard.press(key);
                }
            };

            const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.name || document.activeElement.textContent');
            await page.getByRole('button', { name: 'New token', exact: true }).focus();
            await press('Enter');
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Birds').waitFor();
            expect(await focused()).to.equal('label');
            await page.keyboard.type('My backup');
            await tabTo(page, `project-${project.id}`);
            await press('Space');
            expect(await faultsOn(page)).to.equal([]);
            expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
            await tabTo(page, 'Make the token');
            await press('Enter');

            const secret = await page.locator('#root section.part input').inputValue();
            expect(secret).to.match(/^[A-Za-z0-9_-]{43}$/);
            expect(await focused()).to.equal('secret');
            expect(await faultsOn(page)).to.equal([]);
            expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
            expect((await test.call('GET', `/projects/${project.id}`, undefined, { token: secret })).status).to.equal(200);
            expect((await test.call('GET', `/projects/${other.id}`, undefined, { token: secret })).body.code).to.equal('outside_token');

            await page.locator('#root').getByText('not used yet').waitFor();
            await until(async () => (await test.call('GET', '/tokens', undefined, { token })).body.tokens[0].last_used_at !== null);
            await page.reload();
            await page.locator('#root').getByText('last used').waitFor();
            await page.getByText('for 1 project only').waitFor();
            expect(await page.content()).to.not.include(secret);

            await page.getByRole('button', { name: 'End: My backup' }).focus();
            await press('Enter');
            await dialog.getByRole('button', { name: 'End', exact: true }).focus();
            await press('Enter');
            await page.getByText('You have no tokens.').waitFor();
            expect((await test.call('GET', `/projects/${project.id}`, undefined, { token: secret })).status).to.equal(401);
            await context.close();
        });
    }

    /** Presses Tab until something with this name or text has the focus. */
    async function tabTo(page: Page, name: string): Promise<void> {
        for (let n = 0; n < 40; ++n) {
            await page.keyboard.press('Tab');
            if (await page.evaluate<string>('document.activeElement.name || document.activeElement.textContent') === name) {
                return;
            }
        }

        throw new Error(`Tab does not come to ${name}`);
    }
});
