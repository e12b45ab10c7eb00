import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openDatabase } from '../../../src/database/statements/connection';
import { atOnce, count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { stored } from '../../support/cast';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

/** Every route that creates something, with two different requests. */
const routes: Record<string, { url: (ada: Author, project: MadeProject) => string; body: (serial: number) => object; other: object; table: string }> = {
    'an account': { url: () => '/users', body: (serial) => ({ username: `new-${serial}`, password: PASSWORD }), other: { username: 'other', password: PASSWORD }, table: 'users' },
    'a project': { url: ({ id }) => `/users/${id}/projects`, body: () => ({ title: 'Once' }), other: { title: 'Twice' }, table: 'projects' },
    'a page': { url: (_ada, { url }) => `${url}/pages`, body: (serial) => ({ x: serial, y: 7 }), other: { x: 1, y: 8 }, table: 'pages' },
    'an element': { url: (_ada, { page }) => `${page.url}/elements`, body: () => ({ type: 'text', attributes: { text: 'Жук 🐞' } }), other: { type: 'image' }, table: 'elements' },
    'a remix': { url: (_ada, { url }) => `${url}/remixes`, body: () => ({}), other: { revision: 1 }, table: 'projects' },
    'a collection': { url: ({ id }) => `/users/${id}/collections`, body: () => ({ title: 'Once' }), other: { title: 'Twice' }, table: 'collections' },
    'a bulk': { url: ({ id }) => `/users/${id}/bulk`, body: () => ({ actions: [{ type: 'projects', method: 'create', data: { title: 'Жук 🐞' } }] }), other: { actions: [] }, table: 'projects' }
};

describe('Idempotency-Key', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let serial = 0;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server);
    });

    beforeEach(async () => {
        project = await ada.project();
    });

    after(() => server.stop());

    const post = (key: string, url: string, body: object | string | undefined, token = ada.token): Promise<Answer> => {
        return server.call('POST', url, body, { token, headers: { 'idempotency-key': key } });
    };

    for (const [name, { url, body, other, table }] of Object.entries(routes)) {
        it(`makes ${name} once, and repeats the response`, async () => {
            const [key, path, sent] = [randomUUID(), url(ada, project), body(++serial)];
            const had = await count(server, `from ${table}`);
            const first = await post(key, path, sent);
            expect([200, 201], first.text).to.contain(first.status);
            expect(await count(server, `from ${table}`)).to.equal(had + 1);

            const held = await stored(server);
            expect(server.faults).to.equal([]);
            for (const quoted of [key, `"${key}"`]) {
                const again = await post(quoted, path, sent);
                expect(server.faults).to.equal([]);
                expect({ status: again.status, text: again.text, location: again.headers.location, type: again.headers['content-type'] })
                    .to.equal({ status: first.status, text: first.text, location: first.headers.location, type: first.headers['content-type'] });
            }

            // Validation errors come first, as always.
            const reused = await post(key, path, name === 'a remix' ? '{ }' : other);
            expect(reused.body.code).to.equal(name === 'a bulk' ? 'validation_failed' : 'key_reused');
            expect(reused.status).to.equal(name === 'a bulk' ? 400 : 422);
            expect(await stored(server)).to.equal(held);
            expect(server.faults).to.equal([]);
        });
    }

    it('counts for one user and one path', async () => {
        const key = randomUUID();
        const bob = await openAuthor(server);
        const [hers, his] = [await post(key, `/users/${ada.id}/projects`, { title: 'x' }), await post(key, `/users/${bob.id}/projects`, { title: 'x' }, bob.token)];
        expect([hers.status, his.status]).to.equal([201, 201]);
        expect(his.body.project.id).to.not.equal(hers.body.project.id);
        expect((await post(key, `${project.url}/pages`, { title: 'x' })).status).to.equal(400);
        expect((await post(key, `${project.url}/pages`, { x: 1, y: 1 })).body).to.include({ statusCode: 422, code: 'key_reused' });
    });

    it('does not keep errors', async () => {
        const key = randomUUID();
        expect((await post(key, `${project.url}/pages`, { x: 0, y: 0 })).body.code).to.equal('coordinates_taken');
        await ada.call('PATCH', project.page.url, { x: 5 });
        expect((await post(key, `${project.url}/pages`, { x: 0, y: 0 })).status).to.equal(201);
    });

    it('is 409 while the first request is in progress', async () => {
        const key = randomUUID();
        const other = await server.database.db.transaction();
        await other.raw('select 1 from projects where id = ? for update', [project.id]);
        const first = post(key, `${project.url}/pages`, { x: 1, y: 1 });
        while (await count(server, `from pg_locks l join pg_database d on d.oid = l.database where l.locktype = 'advisory' and d.datname = current_database()`) === 0) {
            await sleep(10);
        }

        const second = await post(key, `${project.url}/pages`, { x: 1, y: 1 });
        await other.rollback();
        expect(second.body).to.include({ statusCode: 409, code: 'request_in_flight' });
        expect(second.headers['retry-after']).to.equal('1');
        const { status, text } = await first;
        expect(status).to.equal(201);
        expect((await post(key, `${project.url}/pages`, { x: 1, y: 1 })).text).to.equal(text);
    });

    it('lets only one of many requests through, on any instance', async () => {
        const second = await startTestServer({ database: { ...server.database, db: openDatabase({ url: server.database.url, pool: 5 }) } });
        const key = randomUUID();
        const answers: Answer[] = [];
        await atOnce(30, 10, async (n) => {
            const { call } = n % 2 === 0 ? server : second;
            answers.push(await call('POST', `/users/${ada.id}/projects`, { title: 'One of many' }, { token: ada.token, headers: { 'idempotency-key': key } }));
        });
        expect(await count(server, 'from projects where title = ?', ['One of many'])).to.equal(1);
        expect([...new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text))]).to.have.length(1);
        expect(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code).filter((code) => code !== 'request_in_flight')).to.equal([]);
        await second.server.stop();
    });

    describe('of a large response', () => {
        const text = 'x'.repeat(1_100_000);

        it('reads the created thing again', async () => {
            const [key, other] = [randomUUID(), randomUUID()];
            const first = await post(key, `${project.page.url}/elements`, { type: 'x', attributes: { text } });
            const page = await post(other, `${project.url}/pages`, { x: 5, y: 5, styles: { text } });
            expect([first.status, page.status]).to.equal([201, 201]);
            const { rows } = await server.database.db.raw('select octet_length(answer) as bytes from idempotency_keys order by created_at desc limit 2');
            expect(Math.max(...rows.map(({ bytes }: { bytes: number }) => bytes))).to.be.below(1000);
            for (const [made, again] of [[first, await post(key, `${project.page.url}/elements`, { type: 'x', attributes: { text } })], [page, await post(other, `${project.url}/pages`, { x: 5, y: 5, styles: { text } })]] as const) {
                expect({ status: again.status, location: again.headers.location }).to.equal({ status: 201, location: made.headers.location });
                expect(again.text === made.text).to.be.true();
            }

            await ada.call('DELETE', String(first.headers.location));
            await ada.call('DELETE', String(page.headers.location));
            expect((await post(key, `${project.page.url}/elements`, { type: 'x', attributes: { text } })).body).to.include({ statusCode: 404, code: 'not_found', message: 'What this request made has been deleted since.' });
            expect((await post(other, `${project.url}/pages`, { x: 5, y: 5, styles: { text } })).status).to.equal(404);
        });

        it('sends short results of a bulk', async () => {
            const [key, url] = [randomUUID(), `/users/${ada.id}/bulk`];
            const element = await ada.element(project.page, { attributes: { text: text.slice(0, 100_000) } });
            const actions = Array.from({ length: 20 }, () => ({ type: 'elements', method: 'update', data: { id: element.id, styles: {} } }));
            const { body: { results } } = await post(key, url, { actions });
            expect(results[0].attributes.text).to.have.length(100_000);
            const { status, body } = await post(key, url, { actions });
            expect(status).to.equal(200);
            expect(body.results).to.equal(Array.from({ length: 20 }, () => ({ id: element.id, revision: 21, type: 'elements', method: 'update' })));
        });

        it('reads a remix again', async () => {
            const key = randomUUID();
            await ada.call('PATCH', project.url, { thumbnail: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n + 1, `https://example.com/${'x'.repeat(1000)}`])) });
            const first = await post(key, `${project.url}/remixes`, {});
            const again = await post(key, `${project.url}/remixes`, {});
            expect([first.status, again.status]).to.equal([201, 201]);
            expect(again.text).to.equal(first.text);
            await ada.call('DELETE', String(first.headers.location));
            expect((await post(key, `${project.url}/remixes`, {})).status).to.equal(404);
        });

        it('is dropped first if one user has too many', async () => {
            const eve = await openAuthor(server);
            const theirs = await eve.project();
            const send = (key: string): Promise<Answer> => post(key, `${theirs.page.url}/elements`, { type: 'x', attributes: { text: text.slice(0, 100_000) } }, eve.token);
            const [oldest, newest] = [randomUUID(), randomUUID()];
            const { body: { element } } = await send(oldest);
            await server.database.db.raw(`
                insert into idempotency_keys (id, user_id, answer) select sha256(n::text::bytea), ?, convert_to(repeat('x', 10000000), 'UTF8') from generate_series(1, 7) n`, [eve.id]);
            await send(newest);
            expect(await count(server, 'from idempotency_keys where user_id = ?', [eve.id])).to.equal(7);
            expect((await send(oldest)).body.element.id).to.not.equal(element.id);
        });
    });

    it('is dropped after a day', async () => {
        const [key, old] = [randomUUID(), randomUUID()];
        const make = async (which: string): Promise<string> => (await post(which, `/users/${ada.id}/projects`, { title: 'x' })).body.project.id;
        const first = await make(key);
        await make(old);
        await server.database.db.raw(`update idempotency_keys set created_at = now() - interval '24 hours'`);
        expect(await make(key)).to.not.equal(first);
        expect(await count(server, 'from idempotency_keys')).to.equal(1);
    });

    it('stores neither itself nor a token in readable form', async () => {
        const key = randomUUID();
        const { body: { token, user } } = await post(key, '/users', { username: `kept-${++serial}`, password: PASSWORD });
        const { rows } = await server.database.db.raw('select * from idempotency_keys order by created_at desc limit 1');
        const kept = JSON.stringify(rows.map(({ id, answer }: { id: Buffer; answer: Buffer }) => `${id.toString('latin1')} ${answer.toString('latin1')}`));
        for (const secret of [key, token.access_token, user.username, PASSWORD]) {
            expect(kept).to.not.contain(secret);
        }
    });

    it('is rejected if it is easy to guess, or not text', async () => {
        for (const key of ['', '1', 'x'.repeat(15), 'x'.repeat(256), 'with some blanks in it', '"not \\" well formed"', 'é'.repeat(20)]) {
            const { status, body } = await post(key, `/users/${ada.id}/projects`, { title: 'x' });
            expect(status, key).to.equal(400);
            expect(body.details).to.equal([{ path: 'Idempotency-Key', message: '"Idempotency-Key" must be 16 to 255 visible ASCII characters, as a UUID is' }]);
        }
    });

    it('is rejected before what the caller may not do', async () => {
        const bob = await server.open();
        for (const [path, body] of [['tokens', { label: 'A script', scope: ['projects'] }], ['webhooks', { url: 'https://hooks.example/in', events: ['project.changed'] }]] as const) {
            expect((await post('short', `/users/${bob.id}/${path}`, body)).status, path).to.equal(400);
            expect((await post(randomUUID(), `/users/${bob.id}/${path}`, body)).status, path).to.equal(403);
        }
    });

    for (const [name, { url, body, other, table }] of Object.entries(routes).filter(([route]) => route !== 'a bulk')) {
        it(`can be a field of the body that makes ${name}, as pages of other origins send it`, async () => {
            const path = url(ada, project);
            const sent = { ...body(++serial), idempotency_key: randomUUID() };
            const had = await count(server, `from ${table}`);
            const first = await ada.call('POST', path, sent, { headers: { origin: 'https://editor.example' } });
            expect(first.status, first.text).to.equal(201);
            const again = await ada.call('POST', path, sent, { headers: { origin: 'https://editor.example' } });
            expect([again.status, again.body]).to.equal([201, first.body]);
            expect(await count(server, `from ${table}`)).to.equal(had + 1);
            expect((await ada.call('POST', path, { ...sent, idempotency_key: 'short' })).body.details[0].path).to.equal('idempotency_key');
            expect((await ada.call('POST', path, { ...body(++serial), ...other, idempotency_key: sent.idempotency_key })).status).to.be.within(400, 422);
            expect(await count(server, `from ${table}`)).to.equal(had + 1);
        });
    }

    it('can be a field of a bulk', async () => {
        const body = { actions: [{ type: 'projects', method: 'create', data: { title: 'Once' } }], idempotency_key: randomUUID() };
        const send = (sent: object): Promise<Answer> => ada.call('POST', `/users/${ada.id}/bulk`, sent);
        const first = await send(body);
        expect(first.status).to.equal(200);
        expect((await send(body)).body).to.equal(first.body);
        expect((await send({ ...body, actions: [] })).status).to.equal(400);
        expect((await send({ ...body, actions: [{ type: 'projects', method: 'create', data: { title: 'Other' } }] })).body.code).to.equal('key_reused');
        expect((await send({ ...body, idempotency_key: 'short' })).body.details).to.equal([{ path: 'idempotency_key', message: '"idempotency_key" must be text of 16 to 255 visible ASCII characters, as a UUID is' }]);
    });

    it('does not replace an invalid body', async () => {
        const headers = { 'idempotency-key': randomUUID(), 'content-encoding': 'gzip' };
        const { status, body } = await server.call('POST', `/users/${ada.id}/projects`, '{"title": "x"}', { token: ada.token, headers });
        expect({ status, code: body.code }).to.equal({ status: 400, code: 'malformed_body' });
    });

    it('is ignored if nothing is created', async () => {
        const key = randomUUID();
        const change = (title: string): Promise<Answer> => server.call('PATCH', project.url, { title }, { token: ada.token, headers: { 'idempotency-key': key } });
        expect((await change('one')).body.project.title).to.equal('one');
        expect((await change('two')).body.project.title).to.equal('two');
    });

    it('does not repeat responses about a project that the caller may not see any more', async () => {
        const [bob, hidden] = [await openAuthor(server, 'bob-who-left'), await ada.project({ visibility: 'private' })];
        const member = `${hidden.url}/members/bob-who-left`;
        await ada.call('PUT', member, { role: 'editor' });
        const writes: [string, string, object][] = [[randomUUID(), `${hidden.url}/pages`, { x: 3, y: 3 }], [randomUUID(), `${hidden.page.url}/elements`, { type: 'text' }]];
        for (const [key, url, body] of writes) {
            expect((await post(key, url, body, bob.token)).status).to.equal(201);
            expect((await post(key, url, body, bob.token)).status).to.equal(201);
        }

        // A bulk that names several projects, of which one is still the caller's to see.
        const own = await bob.project();
        const many = { actions: [hidden, own].map(({ id }) => ({ type: 'projects', method: 'update', data: { id, title: 'By both' } })) };
        const ofBulk = randomUUID();
        writes.push([ofBulk, `/users/${bob.id}/bulk`, many]);
        const first = await post(ofBulk, `/users/${bob.id}/bulk`, many, bob.token);
        expect(first.status, first.text).to.equal(200);
        expect((await post(ofBulk, `/users/${bob.id}/bulk`, many, bob.token)).body).to.equal(first.body);

        await ada.call('DELETE', member);
        for (const [key, url, body] of writes) {
            const { status, body: { code } } = await post(key, url, body, bob.token);
            expect([status, code]).to.equal([404, 'not_found']);
        }

        const deleting = { actions: [{ type: 'projects', method: 'remove', data: { id: own.id } }] };
        const other = randomUUID();
        const [gone, again] = [await post(other, `/users/${bob.id}/bulk`, deleting, bob.token), await post(other, `/users/${bob.id}/bulk`, deleting, bob.token)];
        expect([gone.status, again.body]).to.equal([200, gone.body]);
    });
});
