import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { freePort } from '../../../src/database/embedded/server';
import { waitingServer } from '../../../src/operations/process/waiting-server';

export const lab = script();

lab.experiment('While the service starts', () => {
    lab.test('browsers get a page that loads again, and programs the error as JSON', async () => {
        const port = await freePort(0);
        const waiting = await waitingServer({ host: '127.0.0.1', port });
        waiting.setCause('It has no <b>database</b>.');
        const get = (path: string, accept: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept } });

        const page = await get('/', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
        expect([page.status, page.headers.get('content-type'), page.headers.get('retry-after')]).to.equal([503, 'text/html; charset=utf-8', '5']);
        expect(await page.text()).to.contain(['http-equiv="refresh"', 'It has no &#60;b&#62;database']);

        for (const accept of ['*/*', 'application/json', 'nonsense']) {
            const answer = await get('/projects', accept);
            expect([answer.status, Object((await answer.json())).code], accept).to.equal([503, 'service_unavailable']);
        }

        expect((await get('/health', 'text/html')).status).to.equal(200);
        await waiting.close();
    });
});
