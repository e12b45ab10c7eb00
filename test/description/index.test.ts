import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

const root = join(__dirname, '../..');
const read = (name: string): ReturnType<typeof JSON.parse> => JSON.parse(readFileSync(join(root, name), 'utf8'));

lab.experiment('GET /openapi.json', () => {

    let server: TestServer;

    lab.before(async () => {
        server = await startTestServer();
    });

    lab.after(() => server.stop());

    lab.test('answers what is committed as openapi.json, which "npm run openapi" writes', async () => {
        const { status, headers, body } = await server.call('GET', '/openapi.json');
        expect(status).to.equal(200);
        expect(headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(body, 'openapi.json is not what the routes say: run "npm run openapi"').to.equal(read('openapi.json'));
        expect(body.info.version).to.equal(read('package.json').version);
    });

    lab.test('is 304 to whoever has it', async () => {
        const { headers } = await server.call('GET', '/openapi.json');
        const answer = await server.call('GET', '/openapi.json', undefined, { headers: { 'if-none-match': String(headers.etag) } });
        expect(answer).to.include({ status: 304, text: '' });
        expect(answer.headers.etag).to.equal(headers.etag);
    });

    lab.test('tells which token each operation needs, and where none will do as well', async () => {
        const { paths } = (await server.call('GET', '/openapi.json')).body;
        expect(paths['/projects'].get.security).to.equal([]);
        expect(paths['/tokens'].get.security).to.equal([{ token: ['user'] }, { bearer: ['user'] }]);
        expect(paths['/view-project/{project}'].post.security).to.equal([{}, { token: [] }, { bearer: [] }]);
    });

    lab.test('tells what an Idempotency-Key looks like', async () => {
        const { schema } = (await server.call('GET', '/openapi.json')).body.components.parameters['header.Idempotency-Key'];
        const fits = (key: string): boolean => new RegExp(schema.pattern).test(key);
        expect(['x'.repeat(16), 'x'.repeat(255), `"${'x'.repeat(16)}"`].every(fits)).to.be.true();
        expect(['', 'x'.repeat(15), 'x'.repeat(256), 'a key of some words'].some(fits)).to.be.false();
    });

    lab.test('describes every route, and nothing else', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const routes = server.server.table().filter(({ method, settings }) => method !== '*' && !settings.isInternal).map(({ method, path }) => `${method} ${path}`);
        const described = Object.entries<object>(body.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
        expect(described.sort()).to.equal(routes.sort());
    });
});
