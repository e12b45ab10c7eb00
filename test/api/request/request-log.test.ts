import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import pino from 'pino';

import { Cast } from '../../support/cast';
import type { Target } from '../../support/cast';
import { PASSWORD, startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

interface Line {
    level: number;
    msg: string;
    method: string;
    route: string;
    status: number;
    ms: number;
    request_id: string;
    user_id?: string;
    err?: { message: string; stack: string };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

lab.experiment('Request ids, logs and internal errors', () => {

    let server: TestServer;
    let cast: Cast;
    let target: Target;
    let token: string;
    let log: string[] = [];

    lab.before(async () => {
        const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
        server = await startTestServer({ logger });
        cast = new Cast(server);
        target = await cast.target();
        token = await cast.token(target.user);
    });

    lab.after(() => server.stop());

    lab.beforeEach(() => {
        log = [];
    });

    const lines = (): Line[] => log.map((line) => JSON.parse(line));

    /** One response of each kind. */
    const calls = (): readonly (readonly [string, string, object | string | undefined, number])[] => [
        ['GET', '/health', undefined, 200],
        ['GET', `/users/${target.user}`, undefined, 200],
        ['HEAD', '/projects', undefined, 200],
        ['OPTIONS', '/projects', undefined, 204],
        ['OPTIONS', '/nowhere', undefined, 404],
        ['POST', `/users/${target.user}/projects`, { title: 'Made' }, 201],
        ['POST', '/tokens', { username: 'nobody', password: PASSWORD }, 401],
        ['POST', '/tokens', '{', 400],
        ['GET', '/users/x', undefined, 400],
        ['GET', '/users/%', undefined, 400],
        ['GET', '/users/9000000', undefined, 404],
        ['GET', '/nowhere', undefined, 404],
        ['PUT', '/projects', undefined, 405]
    ];

    lab.test('a valid request id is used, and returned everywhere', async () => {
        for (const [method, url, body, status] of calls()) {
            for (const id of ['a', 'req_1.2-3', 'x'.repeat(64), '4b8ae4b2-7d2e-4c0e-9b0a-000000000000']) {
                const answer = await server.call(method, url, body, { token, headers: { 'x-request-id': id } });
                expect(answer.status, `${method} ${url}`).to.equal(status);
                expect(answer.headers['x-request-id'], `${method} ${url}`).to.equal(id);
                expect(answer.body?.request_id, `${method} ${url}`).to.equal(status >= 400 && method !== 'HEAD' ? id : undefined);
            }
        }
    });

    lab.test('any other is replaced by our own, which reveals nothing about the host', async () => {
        const seen = new Set();
        for (const id of [undefined, '', ' ', 'x'.repeat(65), 'two words', 'a,b', '"a"', '<script>', 'a\u00e9', '../..', 'a:b']) {
            const { headers } = await server.call('GET', '/health', undefined, { headers: id === undefined ? {} : { 'x-request-id': id } });
            expect(headers['x-request-id']).to.match(UUID);
            seen.add(headers['x-request-id']);
        }

        expect(seen.size).to.equal(11);
    });

    lab.test('a response is one line in the log', async () => {
        for (const [method, url, body, status] of calls()) {
            log = [];
            const answer = await server.call(method, url, body, { token, headers: { 'x-request-id': 'a-line' } });
            const [line, ...others] = lines();
            expect(others).to.equal([]);
            expect(line).to.include({ level: 30, msg: 'response', method: method.toLowerCase(), status: answer.status, request_id: 'a-line' });
            expect(line?.status).to.equal(status);
            expect(Number(line?.ms)).to.be.at.least(0);
            expect(line?.route).to.be.a.string().and.not.include(target.user === '1' ? '/1' : target.user);
        }
    });

    lab.test('the line names the route and the user, if there is one', async () => {
        await server.call('GET', `/users/${target.user}`, undefined, { token });
        await server.call('GET', `/users/${target.user}`, undefined, { token: 'nonsense' });
        await server.call('GET', `/users/${target.user}/projects`);
        expect(lines().map(({ route, user_id }) => [route, user_id])).to.equal([
            ['/users/{user}', target.user], ['/users/{user}', undefined], ['/users/{user}/projects', undefined]
        ]);
    });

    lab.test('no secret ever gets into the log, whatever happens to the request', async () => {
        const { status, body } = await server.call('POST', '/users', { username: 'discreet', password: 'S3cret-passw0rd' });
        expect(status).to.equal(201);
        const secret = body.token.access_token;
        const wrong = 'x'.repeat(42);
        await server.call('POST', '/tokens', { username: 'discreet', password: 'S3cret-passw0rd', label: 'my S3cret-label' });
        await server.call('POST', '/tokens', { username: 'discreet', password: 'S3cret-but-wrong' });
        await server.call('POST', '/users', { username: 'Discreet', password: 'S3cret-passw0rd' });
        await server.call('POST', '/users', { username: 'no name', password: 'S3cret-passw0rd', more: 'S3cret-field' });
        await server.call('POST', '/users', '{"password": "S3cret-passw0rd", }');
        await server.call('GET', '/tokens', undefined, { token: secret });
        await server.call('GET', '/tokens', undefined, { token: wrong });
        await server.call('GET', `/tokens?access_token=${secret}`, undefined, { headers: { cookie: `token=${secret}` } });
        await server.call('GET', `/projects/tagged/S3cret?access_token=${secret}`);

        await server.database.db.raw('alter table users rename column password_hash to broken');
        await server.call('POST', '/tokens', { username: 'discreet', password: 'S3cret-passw0rd' });
        await server.call('POST', '/users', { username: 'other', password: 'S3cret-passw0rd' });
        await server.database.db.raw('alter table users rename column broken to password_hash');
        await server.database.db.raw('alter table users add constraint refuses check (username <> \'other\')');
        await server.call('POST', '/users', { username: 'other', password: 'S3cret-passw0rd' });
        await server.database.db.raw('alter table users drop constraint refuses');

        const all = log.join('');
        expect(lines().filter(({ level }) => level === 50)).to.have.length(3);
        expect(all).to.not.include('S3cret');
        expect(all).to.not.include(secret);
        expect(all).to.not.include(wrong);
        expect(all).to.not.include('$argon2id');
    });

    lab.test('an internal error reveals nothing, and the log has all of it under the same id', async () => {
        server.server.route([
            { method: 'GET', path: '/throwing', options: { app: { cost: 'cheap' } }, handler: () => Promise.reject(new TypeError('the inside is broken')) },
            { method: 'GET', path: '/odd', options: { app: { cost: 'cheap' } }, handler: () => Promise.reject(Object.assign(new Error('with data'), { data: { code: 'secret_code' } })) },
            { method: 'GET', path: '/nothing', options: { app: { cost: 'cheap' } }, handler: () => Object({}).missing }
        ]);
        await server.database.db.raw('alter table elements rename to mislaid');
        const url = `/users/${target.user}/projects/${target.project}/pages/${target.page}/elements`;
        const cases = [['GET', '/throwing', /the inside is broken/], ['GET', '/odd', /with data/], ['GET', '/nothing', /handler method did not return/], ['GET', url, /"elements" does not exist/], ['POST', url, /"elements" does not exist/]] as const;
        for (const [method, path, inside] of cases) {
            log = [];
            const answer = await server.call(method, path, method === 'POST' ? { type: 'text' } : undefined, { token });
            expect(answer.status).to.equal(500);
            expect(answer.body).to.equal({
                statusCode: 500,
                error: 'Internal Server Error',
                message: 'An internal error. It has been logged with the id of this request.',
                code: 'internal_error',
                request_id: answer.headers['x-request-id']
            });
            expect(answer.text).to.not.match(inside);

            const [fault, line, ...others] = lines();
            expect(others).to.equal([]);
            expect(fault).to.include({ level: 50, msg: 'a request failed', request_id: answer.body.request_id });
            expect(fault?.err?.message).to.match(inside);
            expect(fault?.err?.stack).to.include('at ');
            expect(line).to.include({ level: 30, status: 500, request_id: answer.body.request_id });
        }

        await server.database.db.raw('alter table mislaid rename to elements');
        expect((await server.call('GET', url)).status).to.equal(200);
    });

    lab.test('every error has the same shape', async () => {
        const { url, shapes } = { url: `/users/${target.user}`, shapes: [] as [number, string, string][] };
        const other = await cast.target();
        const answers = [
            await server.call('GET', url),
            await server.call('PATCH', url, {}, { token }),
            await server.call('PATCH', url, '{', { token }),
            await server.call('GET', `/users/${other.user}`, undefined, { token }),
            await server.call('PATCH', url, {}, { token: await cast.token(target.user, ['projects']) }),
            await server.call('GET', '/users/9000000', undefined, { token }),
            await server.call('GET', '/nowhere'),
            await server.call('PUT', url),
            await server.call('PATCH', url, { username: other.username }, { token }),
            await server.call('PATCH', url, { language: 'en', revision: 9 }, { token }),
            await server.call('PATCH', url, { language: 'en' }, { token, headers: { 'if-match': '"9"' } }),
            await server.call('PATCH', url, '{}', { token, headers: { 'content-type': 'text/plain' } })
        ];
        for (const { status, headers, body } of answers) {
            expect(headers['content-type']).to.equal('application/json; charset=utf-8');
            expect(body).to.include({ statusCode: status, request_id: headers['x-request-id'] });
            expect(body.message).to.be.a.string().and.match(/[.!]$/);
            expect(Object.keys(body).filter((name) => !['statusCode', 'error', 'message', 'code', 'request_id', 'details', 'current', 'base', 'conflicts', 'changed_by'].includes(name))).to.equal([]);
            shapes.push([status, body.error, body.code]);
        }

        expect(shapes).to.equal([
            [401, 'Unauthorized', 'invalid_token'], [400, 'Bad Request', 'validation_failed'], [400, 'Bad Request', 'malformed_body'],
            [403, 'Forbidden', 'forbidden'], [403, 'Forbidden', 'insufficient_scope'], [404, 'Not Found', 'not_found'], [404, 'Not Found', 'not_found'],
            [405, 'Method Not Allowed', 'method_not_allowed'], [409, 'Conflict', 'username_taken'], [409, 'Conflict', 'revision_conflict'],
            [412, 'Precondition Failed', 'revision_conflict'], [415, 'Unsupported Media Type', 'unsupported_media_type']
        ]);
    });

    lab.test('Range is ignored', async () => {
        for (const range of ['bytes=0-4', 'bytes=999999-']) {
            const { status, body } = await server.call('GET', `/users/${target.user}/projects/${target.project}`, undefined, { headers: { range } });
            expect(status).to.equal(200);
            expect(body.project.id).to.equal(target.project);
        }
    });
});
