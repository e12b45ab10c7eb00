import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Locator } from 'playwright-core';

import { launchChromium } from '../../support/chromium';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

lab.experiment('The documentation in a browser', { timeout: 60_000 }, () => {

    let test: TestServer;
    let browser: Browser;

    lab.before(async () => {
        test = await startTestServer();
        await test.server.start();
        browser = await launchChromium();
    });

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
    });

    lab.test('lets a newcomer open an account and make a project, and asks no other host', async () => {
        const origin = `http://127.0.0.1:${test.server.info.port}`;
        const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
        page.setDefaultTimeout(10_000);
        const wrong: string[] = [];
        const asked: string[] = [];
        page.on('pageerror', (error) => void wrong.push(error.message));
        page.on('console', (message) => void (message.type() === 'error' && wrong.push(message.text())));
        page.on('request', (request) => void asked.push(request.url()));

        await page.goto(`${origin}/`);
        expect(page.url()).to.equal(`${origin}/docs`);

        /** Sends a request out of its description, as a reader would. */
        const execute = async (operationId: string, body: object, path: Readonly<Record<string, string>> = {}): Promise<Locator> => {
            const operation = page.locator(`[id$="-${operationId}"]`);
            await operation.locator('.opblock-summary-control').click();
            for (const [name, value] of Object.entries(path)) {
                await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
            }

            // A made-up condition or key in a header would be sent, and fail.
            for (const input of await operation.locator('tr[data-param-in="header"] input').all()) {
                expect(await input.inputValue()).to.equal('');
            }

            await operation.locator('textarea').fill(JSON.stringify(body));
            await operation.locator('button.execute').click();
            return operation.locator('.live-responses-table');
        };

        const opened = await execute('createUser', { username: 'ada', password: 'correct horse battery' });
        await opened.locator('.response-col_status', { hasText: '201' }).waitFor();
        const account = page.locator('#account', { hasText: 'Signed in as ada.' });
        const [, user = ''] = /id is (\d+)/.exec(await account.innerText()) ?? [];

        const made = await execute('createProject', { title: 'My garden' }, { user });
        await made.locator('.response-col_status', { hasText: '201' }).waitFor();
        expect(await made.innerText()).to.contain('My garden');

        const { body } = await test.call('GET', `/users/${user}/projects`);
        expect(body.projects[0]).to.include({ title: 'My garden' });
        expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).to.equal([]);
        expect(wrong).to.equal([]);

        // The next who sits down here is nobody yet.
        await page.reload();
        await page.locator('#account', { hasText: 'New here?' }).waitFor();
        expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).to.equal('[{},{},""]');
        expect(test.faults).to.equal([]);
    });
});
