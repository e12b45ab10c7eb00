import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Locator, Page } from 'playwright-core';

import { launchChromium } from '../../support/chromium';
import { startProduct } from '../../support/product';
import type { Product } from '../../support/product';

export const lab = script();

/** A page, its console messages, and the URLs on other hosts that it requested. */
interface Looked {
    page: Page;
    printed: string[];
    elsewhere: string[];
}

lab.experiment('The documentation in a browser', { timeout: 180_000 }, () => {

    let product: Product;
    let browser: Browser;

    lab.before(async () => {
        product = await startProduct();
        browser = await launchChromium();
    });

    lab.after(async () => {
        await browser?.close();
        await product?.stop();
    });

    const open = async (width: number, height: number): Promise<Looked> => {
        const page = await browser.newPage({ viewport: { width, height } });
        page.setDefaultTimeout(60_000);
        const looked: Looked = { page, printed: [], elsewhere: [] };
        page.on('pageerror', (error) => void looked.printed.push(error.message));
        page.on('console', (message) => void looked.printed.push(message.text()));
        page.on('request', (request) => {
            const url = request.url();
            if (!url.startsWith(`${product.url}/`) && !url.startsWith('data:')) {
                looked.elsewhere.push(url);
            }
        });
        await page.goto(`${product.url}/docs`);
        await page.locator('.opblock').first().waitFor();
        return looked;
    };

    for (const [width, height] of [[1280, 800], [390, 844]] as const) {
        lab.test(`shows every operation at a width of ${width} pixels, and lets a new user press Execute, without console messages or requests to other hosts`, async () => {
            const { page, printed, elsewhere } = await open(width, height);
            const { body } = await product.call('GET', '/openapi.json');
            const operations = Object.values<object>(body.paths).flatMap((path) => Object.keys(path)).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key));
            expect(operations.length).to.be.above(30);
            expect(await page.locator('.opblock').count()).to.equal(operations.length);
            // The first operation is visible without scrolling, whatever fonts there are, and nothing is wider than the window.
            const first = await page.locator('.opblock').first().boundingBox();
            expect((first?.y ?? height) + (first?.height ?? height)).to.be.at.most(height);
            const widest = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth');
            expect(await widest()).to.be.at.most(width);

            // The prefilled values open an account and sign in, for each new user.
            for (const operationId of ['createUser', 'createToken']) {
                const operation = page.locator(`[id$="-${operationId}"]`);
                await operation.locator('.opblock-summary-control').click();
                await operation.locator('button.execute').click();
                await operation.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
                expect(await widest()).to.be.at.most(width);
            }

            expect({ printed, elsewhere }).to.equal({ printed: [], elsewhere: [] });
            await page.close();
        });
    }

    lab.test('lets a new user open an account and create a project', async () => {
        const { page, printed, elsewhere } = await open(1100, 900);

        /** Sends a request from the documentation, as a reader would. */
        const execute = async (operationId: string, body: object, path: Readonly<Record<string, string>> = {}): Promise<Locator> => {
            const operation = page.locator(`[id$="-${operationId}"]`);
            await operation.locator('.opblock-summary-control').click();
            for (const [name, value] of Object.entries(path)) {
                await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
            }

            // A prefilled condition or key would be sent, and fail.
            for (const input of await operation.locator('tr[data-param-in="header"] input').all()) {
                expect(await input.inputValue()).to.equal('');
            }

            await operation.locator('textarea').fill(JSON.stringify(body));
            await operation.locator('button.execute').click();
            return operation.locator('.live-responses-table');
        };

        const username = `ada-${randomBytes(4).toString('hex')}`;
        const opened = await execute('createUser', { username, password: 'correct horse battery' });
        await opened.locator('.response-col_status', { hasText: '201' }).waitFor();
        const account = page.locator('#account', { hasText: `Signed in as ${username}.` });
        const [, user = ''] = /id is (\d+)/.exec(await account.innerText()) ?? [];

        const made = await execute('createProject', { title: 'My garden' }, { user });
        await made.locator('.response-col_status', { hasText: '201' }).waitFor();
        expect(await made.innerText()).to.contain('My garden');

        const { body } = await product.call('GET', `/users/${user}/projects`);
        expect(body.projects[0]).to.include({ title: 'My garden' });
        expect({ printed, elsewhere }).to.equal({ printed: [], elsewhere: [] });

        // The next user of this computer is not signed in.
        await page.reload();
        await page.locator('#account', { hasText: 'New here?' }).waitFor();
        expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).to.equal('[{},{},""]');
        expect(product.errors()).to.equal([]);
    });
});
