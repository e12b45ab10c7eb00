import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_CHEAP_BYTES, MAX_COLLECTED, MAX_COLLECTIONS } from '../../../src/limits';
import { count, openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('collections', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let moderator: Author;
    let projects: MadeProject[];

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        projects = [];
        for (let n = 0; n < 5; ++n) {
            projects.push(await eve.project({ title: `Project ${n}` }));
        }
    });

    after(() => server.stop());

    interface Collection extends Made {
        /** for its owner's writes */
        own: string;
    }

    const make = async (author: Author, fields: object = {}): Promise<Collection> => {
        const { status, body: { collection }, headers, text } = await author.call('POST', `/users/${author.id}/collections`, { title: 'Gardens', ...fields });
        expect(status, text).to.equal(201);
        expect(headers.location).to.equal(`/collections/${collection.id}`);
        return { id: collection.id, thing: collection, url: `/collections/${collection.id}`, own: `/users/${author.id}/collections/${collection.id}` };
    };

    const put = (author: Author, { own }: Collection, { id }: Made, position?: number): Promise<Answer> => author.call('PUT', `${own}/projects/${id}`, position === undefined ? undefined : { position });

    const filled = async (author: Author, made: readonly Made[], fields: object = {}): Promise<Collection> => {
        const collection = await make(author, fields);
        for (const project of made) {
            expect((await put(author, collection, project)).status).to.equal(200);
        }

        return collection;
    };

    const read = ({ url }: Made, { token, query = '' }: { token?: string; query?: string } = {}): Promise<Answer> => server.call('GET', `${url}${query}`, undefined, { token });

    const idsIn = async (collection: Made, token?: string): Promise<string[]> => (await read(collection, { token })).body.projects.map(({ id }: { id: string }) => id);

    const idsOf = (made: readonly Made[]): string[] => made.map(({ id }) => id);

    it('are made, changed and deleted by their owner', async () => {
        const other = await filled(ada, projects.slice(0, 1));
        const asItWas = (await server.call('GET', other.url)).body;
        const { id, thing, url, own } = await make(ada, { title: 'Gärten 🌿' });
        expect(thing).to.equal({ id, user_id: ada.id, title: 'Gärten 🌿', description: '', visibility: 'public', projects: 0, history: { created_at: thing.history.created_at, updated_at: thing.history.created_at } });
        expect((await server.call('GET', url)).body).to.equal({ status: 'success', collection: thing, projects: [], next: null });

        const { status, body } = await ada.call('PATCH', own, { description: 'Of all kinds' });
        expect([status, body.status, body.collection.title, body.collection.description]).to.equal([200, 'updated', 'Gärten 🌿', 'Of all kinds']);
        expect((await ada.call('PATCH', own, { title: 'Gardens', description: '', visibility: 'unlisted' })).body.collection).to.include({ title: 'Gardens', description: '', visibility: 'unlisted' });

        const deleted = await ada.call('DELETE', own);
        expect([deleted.status, deleted.body.status, deleted.body.collection.id]).to.equal([200, 'deleted', id]);
        for (const [method, path] of [['GET', url], ['PATCH', own], ['DELETE', own], ['PUT', `${own}/projects/${projects[0]?.id}`], ['DELETE', `${own}/projects/${projects[0]?.id}`]] as const) {
            expect((await ada.call(method, path, method === 'PATCH' ? { title: 'x' } : undefined)).status, `${method} ${path}`).to.equal(404);
        }

        expect((await server.call('GET', other.url)).body).to.equal(asItWas);
    });

    it('are made without waiting for what others do', async () => {
        const trx = await server.database.db.transaction();
        await trx.raw('select from users where id = ? for no key update', [eve.id]);
        expect((await make(ada)).thing.user_id).to.equal(ada.id);
        await trx.commit();
    });

    it('are checked', async () => {
        const { own } = await make(ada);
        const path = `/users/${ada.id}/collections`;
        for (const body of [{}, { title: '' }, { title: 'x'.repeat(257) }, { title: 'x', description: 'x'.repeat(1001) }, { title: 'x', visibility: 'secret' }, { title: 'x', projects: 1 }, { title: null }, { title: 'a\0b' }, { title: 1 }, 'x']) {
            expect((await ada.call('POST', path, body)).status, JSON.stringify(body)).to.equal(400);
        }

        for (const body of [{}, { title: null }, { visibility: '' }, { user_id: eve.id }]) {
            expect((await ada.call('PATCH', own, body)).status, JSON.stringify(body)).to.equal(400);
        }

        for (const position of [-1, 1.5, '0', null, MAX_COLLECTED + 1]) {
            expect((await ada.call('PUT', `${own}/projects/${projects[0]?.id}`, { position })).status, String(position)).to.equal(400);
        }

        for (const url of ['/collections/x', '/collections/0', '/collections/1?page=1', '/collections/1?after=x', `${path}?count=0`]) {
            expect((await server.call('GET', url)).status, url).to.equal(400);
        }

        expect((await server.call('GET', '/collections/9223372036854775807')).status).to.equal(404);
        expect((await server.call('GET', '/users/9223372036854775807/collections')).status).to.equal(404);
        expect((await ada.call('PUT', `${own}/projects/9223372036854775807`)).status).to.equal(404);
        // A pair of one code unit each counts as one.
        expect((await ada.call('POST', path, { title: '🌿'.repeat(256), description: '🌿'.repeat(1000) })).status).to.equal(201);
    });

    it('are made once by a key', async () => {
        const send = (): Promise<Answer> => ada.call('POST', '/users/me/collections', { title: 'Once' }, { headers: { 'idempotency-key': 'made-of-enough-letters' } });
        expect((await send()).body.collection.id).to.equal((await send()).body.collection.id);
    });

    it('have an order, which a position decides', async () => {
        const [a, b, c, d, e] = projects;
        if (a === undefined || b === undefined || c === undefined || d === undefined || e === undefined) {
            throw new Error('Too few projects');
        }

        const [other, collection] = [await filled(ada, [b, e, a]), await filled(ada, [a, b])];
        expect(await idsIn(collection)).to.equal(idsOf([a, b]));
        for (const [project, position, order] of [
            [c, 0, [c, a, b]], [d, 1, [c, d, a, b]], [e, 4, [c, d, a, b, e]], [e, 0, [e, c, d, a, b]], [e, 4, [c, d, a, b, e]], [c, 2, [d, a, c, b, e]],
            [d, undefined, [a, c, b, e, d]], [a, 0, [a, c, b, e, d]], [a, 500, [c, b, e, d, a]], [e, 1, [c, e, b, d, a]]
        ] as const) {
            const { status, body } = await put(ada, collection, project, position);
            expect([status, body.status, body.collection.projects]).to.equal([200, 'updated', order.length]);
            expect(await idsIn(collection), `${project.thing.title} to ${position}`).to.equal(idsOf(order));
        }

        const { status, body } = await ada.call('DELETE', `${collection.own}/projects/${e.id}`);
        expect([status, body.status, body.collection.projects]).to.equal([200, 'updated', 4]);
        expect((await ada.call('DELETE', `${collection.own}/projects/${e.id}`)).status).to.equal(404);
        expect(await idsIn(collection)).to.equal(idsOf([c, b, d, a]));
        expect(await idsIn(other)).to.equal(idsOf([b, e, a]));
        expect(body.collection.history.updated_at > collection.thing.history.updated_at).to.be.true();
    });

    it('are read by cursors, without skipping or repeating anything while the order changes', async () => {
        await filled(ada, projects.slice().reverse());
        const collection = await filled(ada, projects);
        const seen: string[] = [];
        for (let path = `${collection.url}?count=2`; ;) {
            const { body, headers } = await server.call('GET', path);
            seen.push(...body.projects.map(({ id }: { id: string }) => id));
            expect(body.collection.id).to.equal(collection.id);
            if (body.next === null) {
                expect(headers.link).to.be.undefined();
                break;
            }

            expect(headers.link).to.equal(`<${collection.url}?count=2&after=${body.next}>; rel="next"`);
            path = `${collection.url}?count=2&after=${body.next}`;
            const [first] = seen;
            if (seen.length === 2) {
                // One at the beginning, and the last one read is gone.
                await put(ada, collection, await eve.project(), 0);
                await ada.call('DELETE', `${collection.own}/projects/${seen[1]}`);
                expect(first).to.equal(projects[0]?.id);
            }
        }

        expect(seen).to.equal(idsOf(projects));
        const { headers, body } = await read(collection);
        expect((await server.call('GET', collection.url, undefined, { headers: { 'if-none-match': String(headers.etag) } })).status).to.equal(304);
        expect(body.projects[0].stats).to.equal({ views: 0, remixes: 0 });
    });

    it('are listed newest first: the public ones to everybody, all of them to their owner', async () => {
        const bea = await openAuthor(server);
        const made: Collection[] = [];
        for (const visibility of ['public', 'unlisted', 'private', 'public', 'private']) {
            made.push(await make(bea, { visibility }));
        }

        const list = async (token?: string, more = ''): Promise<string[]> => {
            const { status, body } = await server.call('GET', `/users/${bea.id}/collections${more}`, undefined, { token });
            expect(status).to.equal(200);
            return body.collections.map(({ id }: { id: string }) => id);
        };

        const [one, two, three, four, five] = idsOf(made);
        expect(await list()).to.equal([four, one]);
        expect(await list(eve.token)).to.equal([four, one]);
        expect(await list(moderator.token)).to.equal([four, one]);
        expect(await list('not-a-token')).to.equal([four, one]);
        expect(await list(bea.token)).to.equal([five, four, three, two, one]);
        const all = await bea.call('GET', '/users/me/collections?count=5');
        expect([all.body.collections.length, all.body.next]).to.equal([5, null]);
        expect((await server.call('GET', '/users/me/collections')).status).to.equal(401);

        const first = await server.call('GET', `/users/${bea.id}/collections?count=2`, undefined, { token: bea.token });
        expect(first.headers.link).to.equal(`</users/${bea.id}/collections?count=2&after=${first.body.next}>; rel="next"`);
        expect(first.headers['cache-control']).to.equal('private, no-cache');
        expect(first.headers.vary).to.contain('authorization');
        expect(await list(bea.token, `?count=2&after=${first.body.next}`)).to.equal([three, two]);
        const scoped = await bea.call('POST', '/tokens', { username: bea.username, password: 'correct horse battery', scope: ['user'] });
        expect(await list(scoped.body.token.access_token)).to.equal([four, one]);
        expect((await server.call('GET', '/users/me/collections', undefined, { token: scoped.body.token.access_token })).body.collections).to.have.length(2);
    });

    it('are in pages of few bytes, however much their owner writes', async () => {
        const bea = await openAuthor(server);
        await server.database.db.raw(`
            insert into collections (user_id, title, description, visibility) select ?, repeat('\u{1F400}', 256), repeat('\u{1F400}', 1000), 'public' from generate_series(1, 30)`, [bea.id]);
        const { id } = await make(bea);
        await bea.bulk(Array.from({ length: 30 }, () => ({ type: 'projects', method: 'create', data: { title: 'Long', description: '\u{1F400}'.repeat(1000) } })));
        await server.database.db.raw('insert into collection_projects (collection_id, project_id, place) select ?::bigint, id, id from projects where user_id = ?', [id, bea.id]);
        for (const [url, name, length] of [[`/users/${bea.id}/collections`, 'collections', 31], [`/collections/${id}`, 'projects', 30]] as const) {
            const seen: string[] = [];
            for (let next: string | null = ''; next !== null;) {
                const { text, body }: Answer = await server.call('GET', `${url}?count=100${next}`);
                expect(Buffer.byteLength(text)).to.be.at.most(MAX_CHEAP_BYTES);
                seen.push(...body[name].map((one: { id: string }) => one.id));
                next = body.next && `&after=${body.next}`;
            }

            expect([seen.length, new Set(seen).size], url).to.equal([length, length]);
        }
    });

    it('that are private do not exist for others', async () => {
        const own = await filled(ada, projects.slice(0, 1), { visibility: 'private' });
        const unlisted = await filled(ada, projects.slice(0, 1), { visibility: 'unlisted' });
        const missing = { url: '/collections/999999999', own: `/users/${ada.id}/collections/999999999` };
        const calls = [['GET', 'url', ''], ['PATCH', 'own', ''], ['DELETE', 'own', ''], ['PUT', 'own', `/projects/${projects[1]?.id}`], ['DELETE', 'own', `/projects/${projects[0]?.id}`]] as const;
        const bare = ({ request_id: _id, ...body }: Record<string, unknown>): object => body;
        for (const token of [undefined, eve.token, moderator.token, 'not-a-token']) {
            for (const [method, which, rest] of calls) {
                const send = (to: { url: string; own: string }): Promise<Answer> => server.call(method, `${to[which]}${rest}`, method === 'PATCH' ? { title: 'Mine' } : undefined, { token });
                const [there, nowhere] = [await send(own), await send(missing)];
                expect([there.status, bare(there.body)], `${method} ${token}`).to.equal([nowhere.status, bare(nowhere.body)]);
                expect(there.status).to.equal(token === 'not-a-token' || (token === undefined && method !== 'GET') ? 401 : 404);
                if (token !== undefined && token !== 'not-a-token') {
                    expect((await send(unlisted)).status).to.equal(method === 'GET' ? 200 : 403);
                }
            }
        }

        expect(await idsIn(own, ada.token)).to.have.length(1);
        expect((await read(unlisted, { token: 'not-a-token' })).status).to.equal(200);
        expect((await eve.call('POST', `/users/${ada.id}/collections`, { title: 'Hers' })).status).to.equal(403);
        expect((await ada.call('PATCH', own.own.replace(`/users/${ada.id}`, `/users/${eve.id}`), { title: 'x' })).status).to.equal(404);
        expect((await read(own, { token: ada.token })).body.collection.title).to.equal('Gardens');
    });

    it('show public projects, and to owners and members also theirs; the count is of public ones', async () => {
        const [open, hidden, unlisted, others, held] = [await ada.project(), await ada.project({ visibility: 'private' }), await ada.project({ visibility: 'unlisted' }), await eve.project(), await ada.project()];
        const collection = await filled(ada, [open, hidden, unlisted, others, held]);
        await eve.call('PATCH', others.url, { visibility: 'private' });
        await server.database.db.raw(`update projects set held_at = now(), held_reason = 'x' where id = ?`, [held.id]);
        const shownTo = async (token?: string): Promise<string[]> => {
            const { body: { collection: { projects: number } }, text } = await read(collection, { token });
            expect(number).to.equal(1);
            if (token === undefined) {
                expect([hidden, unlisted, others, held].filter(({ id }) => new RegExp(`"id":"${id}","user_id":"\\d+","version"`).test(text))).to.equal([]);
            }

            return await idsIn(collection, token);
        };

        expect(await shownTo()).to.equal([open.id]);
        expect(await shownTo(moderator.token)).to.equal([open.id]);
        expect(await shownTo(eve.token)).to.equal([open.id, others.id]);
        expect(await shownTo(ada.token)).to.equal([open.id, hidden.id, unlisted.id, held.id]);
        await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'viewer'), (?, ?, 'viewer')`, [hidden.id, eve.id, held.id, eve.id]);
        expect(await shownTo(eve.token)).to.equal([open.id, hidden.id, others.id]);
        expect(await shownTo('not-a-token')).to.equal([open.id]);

        // A position is among what the owner sees.
        const last = await ada.project();
        await put(ada, collection, last, 3);
        expect(await shownTo(ada.token).catch(() => idsIn(collection, ada.token))).to.equal([open.id, hidden.id, unlisted.id, last.id, held.id]);
        await put(ada, collection, last, 4);
        expect(await idsIn(collection, ada.token)).to.equal([open.id, hidden.id, unlisted.id, held.id, last.id]);
        await ada.call('DELETE', last.url);
        expect((await put(ada, collection, last)).body.code).to.equal('not_found');

        // What the caller may not read does not exist for them, moderator or not.
        for (const author of [ada, moderator]) {
            const own = await make(author);
            expect((await put(author, own, others)).body.code).to.equal('not_found');
            expect((await read(own)).body.collection.projects).to.equal(0);
        }
    });

    it('lose what is deleted, and have it back once it is restored', async () => {
        const [a, b] = [await eve.project(), await eve.project()];
        const collection = await filled(ada, [a, b]);
        await eve.call('DELETE', a.url);
        expect([await idsIn(collection), (await read(collection)).body.collection.projects]).to.equal([[b.id], 1]);
        const { body: { trash: [entry] } } = await eve.call('GET', `/users/${eve.id}/trash`);
        expect((await eve.call('POST', `/users/${eve.id}/trash/${entry.id}/restore`, {})).status).to.equal(200);
        expect(await idsIn(collection)).to.equal([a.id, b.id]);
        await eve.call('DELETE', a.url);
        const { body: { trash: [again] } } = await eve.call('GET', `/users/${eve.id}/trash`);
        expect((await eve.call('DELETE', `/users/${eve.id}/trash/${again.id}`)).status).to.equal(200);
        expect(await idsIn(collection)).to.equal([b.id]);
    });

    it('go with their owner\'s account', async () => {
        const zoe = await openAuthor(server);
        const collection = await filled(zoe, projects.slice(0, 2), { visibility: 'unlisted' });
        expect((await zoe.call('DELETE', `/users/${zoe.id}`)).status).to.equal(200);
        expect((await read(collection)).status).to.equal(404);
        expect((await eve.call('PATCH', collection.own, { title: 'Mine' })).status).to.equal(404);
        expect((await server.call('GET', `/users/${zoe.id}/collections`)).status).to.equal(404);
        await server.database.db.raw('delete from users where id = ?', [zoe.id]);
        expect(await count(server, 'from collections where id = ?', [collection.id])).to.equal(0);
        expect(await count(server, 'from collection_projects where collection_id = ?', [collection.id])).to.equal(0);
    });

    it(`hold at most ${MAX_COLLECTED} projects, and a user has at most ${MAX_COLLECTIONS}`, async () => {
        const zoe = await openAuthor(server);
        const collection = await make(zoe);
        const { db } = server.database;
        const { rows } = await db.raw(`insert into projects (user_id, version, title) select ?::bigint, '1', 'Project ' || n from generate_series(1, ?::int) n returning id`, [zoe.id, MAX_COLLECTED + 8]);
        const made: Made[] = rows.map(({ id }: { id: string }) => ({ id }));
        await db.raw('insert into collection_projects (collection_id, project_id, place) select ?, id, id from unnest(?::bigint[]) as id', [collection.id, made.slice(0, MAX_COLLECTED - 3).map(({ id }) => id)]);
        const statuses = (await Promise.all(made.slice(MAX_COLLECTED - 3).map((project) => put(zoe, collection, project, 0)))).map(({ status }) => status);
        expect(statuses.filter((status) => status === 200)).to.have.length(3);
        expect(statuses.filter((status) => status === 409)).to.have.length(8);
        expect((await read(collection)).body.collection.projects).to.equal(MAX_COLLECTED);
        // What is in it can be moved.
        const first = { id: String(made[0]?.id) };
        expect((await zoe.call('PUT', `${collection.own}/projects/${first.id}`, {})).status).to.equal(200);
        await zoe.call('DELETE', `${collection.own}/projects/${first.id}`);
        expect((await zoe.call('PUT', `${collection.own}/projects/${first.id}`, { position: 250 })).status).to.equal(200);
        const again = await put(zoe, collection, await zoe.project());
        expect([again.status, again.body.code]).to.equal([409, 'collection_full']);

        await db.raw(`insert into collections (user_id, title, description, visibility) select ?::bigint, 'x', '', 'public' from generate_series(1, ?::int)`, [zoe.id, MAX_COLLECTIONS - 4]);
        const more = await Promise.all(Array.from({ length: 8 }, () => zoe.call('POST', '/users/me/collections', { title: 'One more' })));
        expect(more.map(({ status }) => status).sort()).to.equal([201, 201, 201, 409, 409, 409, 409, 409]);
        expect(more.find(({ status }) => status === 409)?.body.code).to.equal('collection_limit');
        expect(await count(server, 'from collections where user_id = ?', [zoe.id])).to.equal(MAX_COLLECTIONS);
        await make(ada);
    });

    it('keep one order when many are put into one at once', async () => {
        const collection = await make(ada);
        await Promise.all(Array.from({ length: 30 }, (_, n) => {
            const project = projects[n % projects.length];
            return project && put(ada, collection, project, n % 4);
        }));
        expect((await idsIn(collection)).sort()).to.equal(idsOf(projects).sort());
        expect(await count(server, 'from (select place from collection_projects where collection_id = ? group by place having count(*) > 1) twice', [collection.id])).to.equal(0);
        expect(server.faults).to.equal([]);
    });
});
