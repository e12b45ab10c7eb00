import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = script();

/** Responses with an array that are no list of things: each comes whole, because it is one state, or bounded by what it is about. */
const whole = new Map([
    ['GET /moderation/summary', 'twelve months'],
    ['GET /featured-tags', 'a few tags'],
    ['GET /announcements', 'at most twenty, for a page'],
    ['GET /admin/announcements', 'at most twenty'],
    ['GET /classes/{class_id}', 'one class'],
    ['GET /classes/{class_id}/devices', 'the few devices of a class'],
    ['GET /classes/{class_id}/assignments', 'has pages of its own soon'],
    ['GET /classes/{class_id}/assignments/{assignment}/work', 'has pages of its own soon'],
    ['GET /users/{user}/classes', 'has pages of its own soon'],
    ['GET /users/{user}/identities', 'the ways in to one account'],
    ['GET /users/{user}/passkeys', 'the ways in to one account'],
    ['GET /users/{user}/projects/{project}/classes', 'the few classes of a project'],
    ['GET /users/{user}/projects/{project}/invitations', 'the few that still work'],
    ['GET /users/{user}/projects/{project}/members', 'all who may write to a project'],
    ['GET /users/{user}/projects/{project}/changes', 'all that changed, so that a copy equals the project'],
    ['GET /users/{user}/projects/{project}/history/{revision}', 'one point'],
    ['GET /users/{user}/projects/{project}/lineage', 'one line'],
    ['GET /users/{user}/projects/{project}/pages', 'the contract says so'],
    ['GET /users/{user}/projects/{project}/pages/{page}/elements', 'the contract says so'],
    ['GET /users/{user}/projects/{project}/upstream', 'all that changed']
]);

/** Responses with 201 that repeating does not double, or that must not be kept. */
const notRepeated = new Map([
    ['POST /class-devices', 'uses up a code'],
    ['POST /class-devices/tokens', 'a sign-in, whose secret is shown once'],
    ['POST /classes/{class_id}/devices', 'a code that ends in a quarter of an hour, and is shown once'],
    ['POST /classes/{class_id}/assignments/{assignment}/work', 'the second is 200, with the same'],
    ['POST /comments/{comment}/reports', 'the second is 200, with the same'],
    ['POST /users/{user}/reports', 'the second is 200, with the same'],
    ['POST /projects/{project}/guest-reports', 'a further one of the same address replaces it'],
    ['POST /projects/{project}/reports', 'the second is 200, with the same'],
    ['POST /sign-ins', 'a step of signing in'],
    ['POST /sign-ins/answers', 'a step of signing in, whose answer is used up'],
    ['POST /tokens', 'a sign-in, whose secret is shown once'],
    ['POST /users/{user}/identities', 'a step of signing in'],
    ['POST /users/{user}/passkeys', 'a challenge that is used up']
]);

interface Described {
    parameters: { $ref: string }[];
    responses: Record<string, { content?: Record<string, { schema: { properties?: Record<string, { type?: unknown }> } }> }>;
}

lab.experiment('Every operation of the description', () => {

    let server: TestServer;
    let ada: Actor;
    let operations: [key: string, operation: Described][];

    lab.before(async () => {
        server = await startTestServer();
        ada = await server.open('ada');
        const { body } = await server.call('GET', '/openapi.json');
        operations = Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]): [string, Described] => [`${method.toUpperCase()} ${path}`, operation]));
    });

    lab.after(() => server.stop());

    const takes = ({ parameters }: Described, ...names: string[]): boolean => names.every((name) => parameters.some(({ $ref }) => $ref.split('/').at(-1)?.split('.')[1] === name));

    lab.test('that lists things takes count and after, and returns next', () => {
        const lists = operations.filter(([key, { responses: { 200: ok } }]) => {
            return key.startsWith('GET ') && Object.values(ok?.content?.['application/json']?.schema.properties ?? {}).some(({ type }) => type === 'array') && !whole.has(key);
        });
        expect(lists.length).to.be.above(20);
        expect(lists.filter(([, operation]) => !takes(operation, 'count', 'after') || operation.responses[200]?.content?.['application/json']?.schema.properties?.next === undefined).map(([key]) => key)).to.equal([]);
    });

    lab.test('that creates something takes Idempotency-Key', () => {
        const creations = operations.filter(([key, { responses }]) => key.startsWith('POST ') && responses[201] !== undefined && !notRepeated.has(key));
        expect(creations.length).to.be.above(15);
        expect(creations.filter(([, operation]) => !takes(operation, 'Idempotency-Key')).map(([key]) => key)).to.equal([]);
    });

    const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> => server.call(method, path, body, { token: ada.token, headers });

    const app = (name: string): object => ({ name, url: 'https://editor.example', redirect_uris: ['https://editor.example/signed-in'] });

    /** Things to list: each function makes one. */
    const creations: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
        '/users/me/apps apps': (name) => send('POST', '/users/me/apps', app(name)),
        '/tokens tokens': (name) => send('POST', '/users/me/tokens', { label: name, scope: ['read'] }),
        '/users/me/webhooks webhooks': (name) => send('POST', '/users/me/webhooks', { url: `https://receiver.example/${name.length}`, events: ['project.changed'] }),
        '/users/me/authorizations authorizations': async (name) => {
            const { body } = await send('POST', '/users/me/apps', app(name));
            // Two of one time, so that the id decides.
            await server.database.db.raw(`
                insert into authorizations (id, user_id, app_id, scope, payload, created_at, expires_at, last_used_at)
                values (?, ?, ?, array['read'], '{}', timestamptz '2026-01-01' + ? * interval '1 hour', now() + interval '1 day', now())`, [name, ada.id, body.app.id, Math.floor(name.length / 2)]);
        }
    };
    for (const [list, make] of Object.entries(creations)) {
        lab.test(`of a short list reads it page by page, and whole if no count is given: ${list}`, async () => {
            const [url = '', name = ''] = list.split(' ');
            for (const label of ['a', 'aa', 'aaa', 'aaaa', 'aaaaa']) {
                await make(label);
            }

            const all = await send('GET', url);
            expect(Number(all.body[name].length)).to.be.above(4);
            expect([all.body.next, all.headers.link]).to.equal([null, undefined]);
            const found: unknown[] = [];
            let query = '?count=2';
            for (let pages = 0; query !== '' && pages < 10; ++pages) {
                const { body, headers } = await send('GET', `${url}${query}`);
                expect(Number(body[name].length)).to.be.between(0, 3);
                found.push(...body[name]);
                query = body.next === null ? '' : `?count=2&after=${body.next}`;
                expect(headers.link !== undefined).to.equal(query !== '');
            }

            expect(found).to.equal(all.body[name]);
            const { body: { next } } = await send('GET', `${url}?count=1`);
            expect((await send('GET', `${url}?after=${next}`)).body[name]).to.equal(all.body[name].slice(1));
            expect((await send('GET', `${url}?page=2`)).body.code).to.equal('validation_failed');
            expect((await send('GET', `${url}?after=x`)).body.code).to.equal('validation_failed');
        });
    }

    for (const [path, list, body] of [
        ['/users/me/apps', '/users/me/apps', { ...app('once'), confidential: true }],
        ['/users/me/tokens', '/tokens', { label: 'once', scope: ['read'] }],
        ['/users/me/webhooks', '/users/me/webhooks', { url: 'https://receiver.example/once', events: ['project.changed'] }]
    ] as const) {
        lab.test(`that creates with a secret does it once for a key: ${path}`, async () => {
            const count = async (): Promise<number> => Object.values<unknown[]>((await send('GET', list)).body).find((one) => Array.isArray(one))?.length ?? 0;
            const before = await count();
            const headers = { 'idempotency-key': `a key of sixteen${path}`.replaceAll(' ', '-') };
            const first = await send('POST', path, body, headers);
            const second = await send('POST', path, body, headers);
            expect([first.status, second.status]).to.equal([201, 201]);
            expect(second.body).to.equal(first.body);
            expect(await count()).to.equal(before + 1);
            const other = await send('POST', path, { ...body, ...'url' in body ? { url: 'https://other.example' } : { label: 'other' } }, headers);
            expect([other.status, other.body.code]).to.equal([422, 'key_reused']);
        });
    }
});
