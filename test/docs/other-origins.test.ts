import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { launchChromium } from '../support/chromium';
import { listen } from '../support/host';
import { startProduct } from '../support/product';
import { root } from '../support/program';

export const lab = script();

lab.experiment('docs/other-origins.md', () => {
    lab.test('has an example that creates an element once, from a page of another origin', async () => {
        const test = await startProduct();
        const author = await openAuthor(test);
        const { page } = await author.project({});
        const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/other-origins.md'), 'utf8')) ?? [];
        const server = createServer((_request, response) => void response.setHeader('content-type', 'text/html').end('<!doctype html><title>An editor</title>'));
        const browser = await launchChromium();
        try {
            const opened = await browser.newPage();
            await opened.goto(`http://127.0.0.1:${await listen(server)}`);
            const given = JSON.stringify([test.url, page.url, author.token]);
            const read = 'async (response) => ({ status: response.status, id: (await response.json()).element?.id })';
            const [first, second] = await opened.evaluate<{ status: number; id: string }[]>(`(async () => { const [api, page, token] = ${given}; ${code}; const read = ${read}; return [await read(await create()), await read(await create())]; })()`);
            expect(first?.status).to.equal(201);
            expect(second).to.equal(first);
            expect((await test.call('GET', `${page.url}/elements`)).body.elements.length).to.equal(1);
        }
        finally {
            await browser.close();
            server.close();
            await test.stop();
        }
    });
});
