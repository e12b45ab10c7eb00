import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import * as Lab from '@hapi/lab';

import { cost } from '../../../src/http/load/cost';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const classes = ['cheap', 'heavy', 'work'];

describe('The cost of routes', () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer();
    });

    after(() => server.stop());

    it('is declared by every route, those of the API, of pages, of files, and of methods that a path lacks', () => {
        const routes = server.server.table();
        expect(routes.filter(({ settings }) => !classes.includes(String(settings.app?.cost))).map(({ method, path }) => `${method} ${path}`)).to.equal([]);
        expect(routes.length).to.be.above(150);
    });

    it('is needed: a route without it is not accepted, whatever else it declares', async () => {
        const own = hapiServer();
        await own.register(cost);
        const handler = (): string => '';
        expect(() => own.route({ method: 'GET', path: '/plain', handler })).to.throw(/^The route GET \/plain does not say what it costs/);
        for (const { settings: { app }, method, path } of server.server.table()) {
            const { cost: _cost, ...rest } = { cost: undefined, ...app };
            // `Object` drops what the types demand, as a program in JavaScript could.
            expect(() => own.route({ method, path, options: { app: Object(rest) }, handler }), `${method} ${path}`).to.throw(/does not say what it costs/);
        }
    });
});
