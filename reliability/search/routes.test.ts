import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config/index';
import { startTestServer } from '../../test/support/server';
import type { TestServer } from '../../test/support/server';
import type { Description } from '../fuzz/description';
import { Largest, bodiesOf } from './bodies';
import { callOf, filled, probesOf } from './probes';
import { routesOf } from './routes';
import type { Route } from './routes';
import type { Subject } from './subjects';

export const lab = script();

const account = { id: '7', username: 'eva', path: '/users/7', headers: { authorization: 'token x' } };
const subjects: readonly Subject[] = ['one', 'two', 'three'].map((name, n) => ({ name, account, values: { user: '7', project: `1${n}`, page: '20', element: '30', entry: '4,5', sha256: 'a' } }));

lab.experiment('The search for expensive requests', () => {

    let server: TestServer;
    let description: Description;
    let routes: Route[];

    lab.before(async () => {
        server = await startTestServer({ config: { site: readConfig({}).site } });
        description = JSON.parse((await server.server.inject('/openapi.json')).payload);
        routes = routesOf(description);
    });

    lab.after(() => server.stop());

    lab.test('tries every route of the server', () => {
        const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
        const all = server.server.table().filter(({ method, settings }) => method !== '*' && !settings.isInternal).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
        // The files of /docs and of the site are all alike.
        expect(all.filter((route) => !known.has(route) && !route.startsWith('GET /docs/'))).to.equal([]);
    });

    lab.test('tries reads about everything, and writes with each hostile body', () => {
        const probes = probesOf(routes, subjects, (route, values) => bodiesOf(route, description.components.schemas, values), 'http://127.0.0.1:1');
        const of = (method: string, path: string): string[] => probes.filter(({ route }) => route.method === method && route.path === path).map((probe) => `${probe.path} ${probe.body?.name ?? ''}`.trim());
        expect(of('GET', '/users/{user}/projects/{project}/changes')).to.equal(['10', '11', '12'].map((id) => `/users/7/projects/${id}/changes?since=0`));
        expect(of('GET', '/oembed').length).to.equal(3);
        expect(of('PUT', '/users/{user}/assets/{sha256}').length).to.be.above(10);
        expect(of('POST', '/users/{user}/bulk').length).to.be.above(20);
        expect(new Set(probes.map(({ route }) => `${route.method} ${route.path}`)).size).to.equal(routes.length);
    });

    lab.test('fills in what the requests are about', async () => {
        expect(filled('/users/{user}/trash/{entry}', { user: '7', entry: '4,5' }, 3)).to.equal('/users/7/trash/5');
        expect(filled('/p/{project}/{page?}', { project: '1', page: '2' })).to.equal('/p/1/2');
        expect(filled('/account/{part*}', {})).to.equal('/account/1');
        const route = routes.find(({ method, path }) => method === 'PUT' && path === '/users/{user}/assets/{sha256}');
        const [subject] = subjects;
        const call = route && subject && await callOf({ route, subject, path: '', query: '', body: { name: '', type: 'image/png', make: () => Buffer.from('x') } }, 0);
        expect(call).to.include({ path: '/users/7/assets/2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881', type: 'image/png', headers: account.headers });
    });

    lab.test('makes the largest bodies that a schema allows', () => {
        const largest = (alternative: number): Largest => new Largest(
            { Text: { type: 'string', maxLength: 6 } }, { values: { projectId: '12' }, text: 'ab', object: '{"k":[1]}', alternative, serial: 40 }
        );
        const schema = {
            type: 'object', required: ['revision'], properties: {
                title: { $ref: '#/components/schemas/Text' }, projectId: { type: 'string' }, attributes: { type: 'object' }, x: { type: 'integer' }, count: { type: 'integer', maximum: 9 },
                kind: { enum: ['first', 'second'] }, list: { type: 'array', maxItems: 2, items: { oneOf: [{ const: 1 }, { const: 2 }] } }, revision: { type: 'integer', examples: [5] }, merge: { type: 'boolean' }
            }
        };
        const expected = { title: 'ababab', projectId: '12', attributes: { k: [1] }, x: 41, count: 9, kind: 'first', list: [2, 2], revision: 5 };
        expect(largest(1).of(schema)).to.equal(expected);
    });
});
