import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import type { ServerInjectResponse } from '@hapi/hapi';
import { script } from '@hapi/lab';
import { server as hapiServer } from '@hapi/hapi';
import Joi from 'joi';

import { describe } from '../../../src/api/description/document';
import { operations } from '../../../src/api/description/operation';
import { descriptionFrom, faultsOf } from '../../support/described';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

const root = join(__dirname, '../../..');
const read = (name: string): ReturnType<typeof JSON.parse> => JSON.parse(readFileSync(join(root, name), 'utf8'));

lab.experiment('GET /openapi.json', () => {

    let server: TestServer;

    lab.before(async () => {
        server = await startTestServer();
    });

    lab.after(() => server.stop());

    lab.test('is kept compressed, and has a tag for each form', async () => {
        const { text, headers: { etag } } = await server.call('GET', '/openapi.json');
        const send = (accepted: string, headers: object = {}): Promise<ServerInjectResponse> => server.server.inject({ url: '/openapi.json', headers: { 'accept-encoding': accepted, ...headers } });
        for (const [accepted, encoding, unpack] of [['gzip, deflate, br', 'br', brotliDecompressSync], ['gzip', 'gzip', gunzipSync], ['br;q=0.5, gzip', 'gzip', gunzipSync]] as const) {
            const { statusCode, headers, rawPayload } = await send(accepted);
            expect([statusCode, headers['content-encoding'], headers.etag]).to.equal([200, encoding, `${String(etag).slice(0, -1)}-${encoding}"`]);
            expect(Number(headers['content-length'] ?? rawPayload.length)).to.be.below(text.length / 4);
            expect(String(headers.vary)).to.contain('accept-encoding');
            expect(unpack(rawPayload).toString()).to.equal(text);
            const again = await send(accepted, { 'if-none-match': headers.etag });
            expect([again.statusCode, again.headers.etag]).to.equal([304, headers.etag]);
        }

        for (const accepted of ['identity', 'gzip;q=0', ';;q=,']) {
            const { statusCode, headers, payload } = await send(accepted);
            expect([statusCode, headers['content-encoding'], payload === text, headers.etag]).to.equal([200, undefined, true, etag]);
        }
    });

    lab.test('returns what the build writes as openapi.json', async () => {
        const { status, headers, body } = await server.call('GET', '/openapi.json');
        expect(status).to.equal(200);
        expect(headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(body, 'openapi.json is not what the routes say: run "npm run openapi"').to.equal(read('openapi.json'));
        expect(body.info.version).to.equal(read('package.json').version);
    });

    lab.test('is 304 if the client has it', async () => {
        const { headers } = await server.call('GET', '/openapi.json');
        const answer = await server.call('GET', '/openapi.json', undefined, { headers: { 'if-none-match': String(headers.etag) } });
        expect(answer).to.include({ status: 304, text: '' });
        expect(answer.headers.etag).to.equal(headers.etag);
    });

    lab.test('has a name, a summary and an example for each operation', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const description = descriptionFrom(body);
        const groups = body.tags.map(({ name }: { name: string }) => name);
        const described = Object.entries<object>(body.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ place: ['paths', path, method], ...operation })));
        for (const { place, operationId, summary, tags, requestBody, responses } of described) {
            expect(operationId).to.match(/^[a-z][A-Za-z]+$/);
            expect(summary, operationId).to.match(/^[A-Z].{5,80}[^.]$/);
            expect(groups, operationId).to.include(tags);
            const successes = Object.entries<{ content: Record<string, { schema?: object; example: unknown }> }>(responses).filter(([status]) => status.startsWith('2'));
            expect(successes.length, operationId).to.be.within(1, 2);
            const bodies = [...requestBody === undefined ? [] : [{ where: ['requestBody'], content: requestBody.content }], ...successes.map(([status, { content }]) => ({ where: ['responses', status], content }))];
            for (const { where, content } of bodies) {
                const [[type, { schema, example }] = ['', { schema: undefined, example: undefined }]] = Object.entries<{ schema?: object; example: unknown }>(content);
                // Bytes of pictures, sounds, videos and zips have no schema.
                expect(typeof example, operationId).to.equal(type === 'application/json' ? 'object' : type === 'text/event-stream' ? 'string' : 'undefined');
                if (schema !== undefined) {
                    expect(faultsOf(description, example, ...place, ...where, 'content', type, 'schema'), operationId).to.equal([]);
                }
            }
        }

        const ids = described.map(({ operationId }) => operationId);
        expect(new Set(ids).size).to.equal(ids.length);
    });

    lab.test('describes each field', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const silent: string[] = [];
        const visit = (value: Record<string, unknown>, place: string): void => {
            for (const [name, field] of Object.entries<ReturnType<typeof JSON.parse>>(Object(value.properties))) {
                if (field.$ref === undefined && field.description === undefined) {
                    silent.push(`${place}/${name}`);
                }
            }

            for (const [key, inner] of Object.entries(value)) {
                // A schema that narrows an error applies to all of them.
                if (typeof inner === 'object' && inner !== null && !['example', 'examples', 'allOf'].includes(key)) {
                    visit(Object(inner), `${place}/${key}`);
                }
            }
        };

        visit(body, '');
        expect(silent).to.equal([]);
    });

    lab.test('bounds each text, list and integer, so that a client knows what it has to keep', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const needed = { string: ['maxLength'], array: ['maxItems'], integer: ['minimum', 'maximum', 'format'] };
        const unbounded: string[] = [];
        const visit = (value: unknown, place: string): void => {
            const schema: Record<string, unknown> = Object(value);
            for (const [type, keywords] of Object.entries(needed)) {
                if ([schema.type].flat().includes(type) && schema.enum === undefined && schema.const === undefined && !keywords.every((keyword) => keyword in schema)) {
                    unbounded.push(place);
                }
            }

            for (const [key, inner] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
                if (!['example', 'examples'].includes(key)) {
                    visit(inner, `${place}/${key}`);
                }
            }
        };

        visit(body, '');
        expect(unbounded).to.equal([]);
    });

    lab.test('has valid examples for each error', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const description = descriptionFrom(body);
        for (const [name, response] of Object.entries<{ content: ReturnType<typeof JSON.parse> }>(body.components.responses)) {
            for (const { value } of Object.values<{ value: object }>(response.content['application/json'].examples)) {
                expect(faultsOf(description, value, 'components', 'responses', name, 'content', 'application/json', 'schema')).to.equal([]);
            }
        }
    });

    lab.test('gives each enum one type, and each component a name that begins with a letter, for generators of clients', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const untyped: string[] = [];
        const visit = (value: unknown, place: string): void => {
            const { enum: values, type }: { enum?: unknown; type?: unknown } = Object(value);
            if (Array.isArray(values) && typeof type !== 'string') {
                untyped.push(`${place}: ${JSON.stringify(type)}`);
            }

            for (const [key, inner] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
                visit(inner, `${place}/${key}`);
            }
        };

        visit(body, '');
        expect(untyped).to.be.empty();
        const names = Object.values<object>(body.components).flatMap(Object.keys);
        expect(names.filter((name) => !/^[A-Za-z][\w.-]*$/.test(name))).to.be.empty();
    });

    lab.test('gives a parameter that means different things a name for each', () => {
        const own = hapiServer();
        for (const [name, meaning] of [['first', 'here'], ['second', 'there'], ['third', 'here']] as const) {
            const operation = operations('Service', { [name]: { summary: name, answers: { 200: Joi.string().example('') } } });
            const query = Joi.object({ since: Joi.string().description(meaning).example('1') });
            own.route({ method: 'GET', path: `/${name}`, handler: () => '', options: { ...operation(name), validate: { query } } });
        }

        const described: ReturnType<typeof read> = JSON.parse(describe(own, { historyDays: 30, maxImportBytes: 1024 ** 2, trashDays: 30 }));
        const used = Object.values<{ get: { parameters: object[] } }>(described.paths).map(({ get }) => get.parameters);
        expect(used).to.equal(['query.since', 'query.since.second', 'query.since'].map((name) => [{ $ref: `#/components/parameters/${name}` }]));
        expect(described.components.parameters['query.since.second'].description).to.equal('there');
    });

    lab.test('says the settings of the service, and no names of them', async () => {
        const other = await startTestServer({ config: { historyDays: 14, maxImportBytes: 3 * 1024 ** 2, trashDays: 5 } });
        const { paths, tags } = (await other.call('GET', '/openapi.json')).body;
        await other.stop();
        expect(paths['/users/{user}/projects/{project}'].delete.description).to.contain('restored from the trash for 5 days');
        expect(tags.find(({ name }: { name: string }) => name === 'Trash').description).to.contain('for 5 days');
        expect(paths['/users/{user}/projects/{project}/history'].get.description).to.contain('kept for 14 days');
        expect(paths['/users/{user}/imports'].post.description).to.contain('at most 3 MiB (`MAX_IMPORT_MIB`)');
        expect(JSON.stringify(read('openapi.json'))).to.not.match(/\{[A-Z_]+\}/);
    });

    lab.test('describes the Link header of each list that has a next page', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const lists = Object.values<object>(body.paths).flatMap((methods) => Object.values(methods)).map(({ operationId, responses }) => ({ operationId, response: responses[200] }))
            .filter(({ response }) => response?.content['application/json']?.example.next !== undefined);
        expect(lists.length).to.be.above(12);
        expect(lists.filter(({ response }) => response.headers.Link === undefined).map(({ operationId }) => operationId)).to.equal([]);
    });

    lab.test('says which token each operation needs, and where it is optional', async () => {
        const { paths } = (await server.call('GET', '/openapi.json')).body;
        expect(paths['/projects'].get.security).to.equal([]);
        expect(paths['/tokens'].get.security).to.equal([{ token: ['user'] }, { bearer: ['user'] }]);
        expect(paths['/users/{user}/projects'].post.security).to.equal([{ token: ['projects'] }, { bearer: ['projects'] }, { oauth2: ['projects'] }, { openIdConnect: ['projects'] }]);
        expect(paths['/view-project/{project}'].post.security).to.equal([{}, { token: [] }, { bearer: [] }, { oauth2: [] }, { openIdConnect: [] }]);
    });

    lab.test('describes the format of an Idempotency-Key', async () => {
        const { schema } = (await server.call('GET', '/openapi.json')).body.components.parameters['header.Idempotency-Key'];
        const fits = (key: string): boolean => new RegExp(schema.pattern).test(key);
        expect(['x'.repeat(16), 'x'.repeat(255), `"${'x'.repeat(16)}"`].every(fits)).to.be.true();
        expect(['', 'x'.repeat(15), 'x'.repeat(256), 'a key of some words'].some(fits)).to.be.false();
    });

    lab.test('describes every route except the pages and scripts for browsers and the schemas of files, and nothing else', async () => {
        const { body } = await server.call('GET', '/openapi.json');
        const routes = server.server.table()
            .filter(({ method, path, settings }) => method !== '*' && !settings.isInternal && path !== '/' && !path.startsWith('/docs') && !path.startsWith('/schemas/') && !path.startsWith('/client/')
                && !path.startsWith('/letters/'))
            .map(({ method, path }) => `${method} ${path}`);
        const described = Object.entries<object>(body.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
        expect(described.sort()).to.equal(routes.sort());
    });
});
