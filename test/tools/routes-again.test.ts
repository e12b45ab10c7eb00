import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { checkedRoutes } from '../support/routes-again';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

lab.experiment('Routes of a second test server', () => {

    let first: TestServer;
    let second: TestServer;
    let ofFirst: string[];

    lab.before(async () => {
        first = await startTestServer();
        ofFirst = [...checkedRoutes];
        second = await startTestServer();
    });

    lab.after(async () => {
        await first.stop();
        await second.stop();
    });

    lab.test('have the settings of those of the first', () => {
        const settingsOf = ({ server }: TestServer): string[] => server.table().map(({ method, path, settings }) => JSON.stringify([method, path, settings]));
        expect(settingsOf(second)).to.equal(settingsOf(first));
    });

    lab.test('are not checked again, as hapi changed nothing in their options', () => {
        expect(checkedRoutes).to.equal(ofFirst);
        expect(ofFirst.length).to.be.above(150);
    });

    lab.test('are checked if the first had none with these options', async () => {
        const app = { cost: 'cheap' as const };
        first.server.route({ method: 'GET', path: '/more', handler: () => 'x', options: { app } });
        expect(() => second.server.route({ method: 'GET', path: '/more', handler: () => 'x', options: { app, ...{ nonsense: true } } })).to.throw(/"nonsense" is not allowed/);
        second.server.route({ method: 'GET', path: '/more', handler: () => 'x', options: { app, ext: { onPreHandler: { method: (_request, h) => h.response('y').takeover() } } } });
        expect((await second.call('GET', '/more')).text).to.equal('y');
    });
});
