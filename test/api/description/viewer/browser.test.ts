import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Locator, Page } from 'playwright-core';

import { launchChromium } from '../../../support/chromium';
import { startProduct } from '../../../support/product';
import type { Product } from '../../../support/product';

export const lab = script();

lab.experiment('The documentation in a browser', () => {

    let product: Product;
    let browser: Browser;
    /** One page for all tests, because it takes long to load. */
    let page: Page;
    /** its console messages */
    const printed: string[] = [];
    /** the URLs on other hosts that it requested */
    const elsewhere: string[] = [];

    lab.before(async () => {
        product = await startProduct();
        browser = await launchChromium();
        page = await browser.newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', (error) => void printed.push(error.message));
        page.on('console', (message) => void printed.push(message.text()));
        page.on('request', (request) => {
            const url = request.url();
            if (!url.startsWith(`${product.url}/`) && !url.startsWith('data:')) {
                elsewhere.push(url);
            }
        });
    });

    lab.after(async () => {
        await browser?.close();
        await product?.stop();
    });

    const operation = (operationId: string): Locator => page.locator(`[id$="-${operationId}"]`);

    const sizes = [[1280, 800], [390, 844]] as const;

    /** Nothing is wider than the window. */
    const expectFit = async (): Promise<void> => {
        for (const [width, height] of sizes) {
            await page.setViewportSize({ width, height });
            expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(width);
        }
    };

    lab.test('shows every operation on a laptop and on a phone, and lets a new user press Execute, without console messages or requests to other hosts', async () => {
        await page.goto(`${product.url}/docs`);
        await page.locator('.opblock').first().waitFor();
        await page.locator('#account', { hasText: 'New here?' }).waitFor();
        const { body } = await product.call('GET', '/openapi.json');
        const operations = Object.values<object>(body.paths).flatMap((path) => Object.keys(path)).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key));
        expect(operations.length).to.be.above(30);
        // It shows what webhooks are sent in the same way.
        expect(await page.locator('.opblock').count()).to.equal(operations.length + Object.keys(body.webhooks).length);
        for (const [width, height] of sizes) {
            // The first operation is visible without scrolling, whatever fonts there are.
            await page.setViewportSize({ width, height });
            const first = await page.locator('.opblock').first().boundingBox();
            expect((first?.y ?? height) + (first?.height ?? height)).to.be.at.most(height);
        }

        await expectFit();
        // The prefilled values open an account and sign in, for each new user.
        for (const operationId of ['createUser', 'createToken']) {
            await operation(operationId).locator('.opblock-summary-control').click();
            await operation(operationId).locator('button.execute').click();
            await operation(operationId).locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
            await expectFit();
        }

        await page.locator('#account', { hasText: 'Signed in as' }).waitFor();
        // Whoever uses this computer next is not signed in.
        expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).to.equal('[{},{},""]');
        expect({ printed, elsewhere }).to.equal({ printed: [], elsewhere: [] });
    });

    lab.test('lets a new user open an account and create a project', async () => {

        /** Sends a request from the documentation, as a reader would. */
        const execute = async (operationId: string, body: object, path: Readonly<Record<string, string>> = {}): Promise<Locator> => {
            for (const [name, value] of Object.entries(path)) {
                await operation(operationId).locator(`tr[data-param-name="${name}"] input`).fill(value);
            }

            // A prefilled condition or key would be sent, and fail.
            for (const input of await operation(operationId).locator('tr[data-param-in="header"] input').all()) {
                expect(await input.inputValue()).to.equal('');
            }

            await operation(operationId).locator('textarea').fill(JSON.stringify(body));
            await operation(operationId).locator('button.execute').click();
            return operation(operationId).locator('.live-responses-table');
        };

        const username = `ada-${randomBytes(4).toString('hex')}`;
        const opened = await execute('createUser', { username, password: 'correct horse battery' });
        const account = page.locator('#account', { hasText: `Signed in as ${username}.` });
        const [, user = ''] = /id is (\d+)/.exec(await account.innerText()) ?? [];
        await opened.locator('.response-col_status', { hasText: '201' }).waitFor();
        expect(await opened.innerText()).to.contain(username);

        await operation('createProject').locator('.opblock-summary-control').click();
        const made = await execute('createProject', { title: 'My garden' }, { user });
        await made.locator('.response-col_status', { hasText: '201' }).waitFor();
        expect(await made.innerText()).to.contain('My garden');

        const { body } = await product.call('GET', `/users/${user}/projects`);
        expect(body.projects[0]).to.include({ title: 'My garden' });
        expect({ printed, elsewhere }).to.equal({ printed: [], elsewhere: [] });
        expect(product.errors()).to.equal([]);
    });
});
