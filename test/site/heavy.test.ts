
import { setTimeout } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config/index';
import { findContents } from '../../src/site/queries';
import { waiting } from '../support/authoring';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, TestServer } from '../support/server';

export const lab = script();

/** Most bytes of a page of HTML. */
const MAX_HTML = 512 * 1024;

/** Most milliseconds of the processor for one request, so that no step of it holds others up for longer. */
const MAX_TIME = 50;

const ROUNDS = 3;

const everyStyle = {
    left: 1.23, top: 4.56, width: 77.7, height: 88.8, fontSize: 11.1, borderRadius: 3.3, padding: 4.4, color: 'rgb(1 2 3 / 40%)', backgroundColor: 'rgb(4 5 6 / 70%)',
    fontFamily: 'a,b,c,d,e,f,g,h', fontWeight: 700, fontStyle: 'italic', textAlign: 'center', textDecoration: 'underline', whiteSpace: 'pre-wrap', opacity: 0.5, lineHeight: 2,
    letterSpacing: 3, border: '2px solid #333', rotate: 12, zIndex: 4
};

/** Elements that fill a page: its most elements, or most bytes. */
const many = (count: number, type: string, attributes: object, styles: object = {}): object[] => Array.from({ length: count }, () => ({ type, attributes, styles }));

const worst: Readonly<Record<string, object[]>> = {
    'ampersands': many(205, 'text', { text: '&'.repeat(20_000) }),
    'a few ampersands': many(4, 'text', { text: '&'.repeat(20_000) }),
    'angle brackets': many(205, 'text', { text: '<'.repeat(20_000) }),
    'emoji': many(205, 'text', { text: '🌿'.repeat(10_000) }),
    'quotes': many(40, 'image', { src: 'x', alt: '"'.repeat(20_000) }),
    'buttons': many(1000, 'button', { text: 'a', reveals: 'b' }),
    'as many buttons as a page of HTML has': many(300, 'button', { text: '', reveals: '' }),
    'styles': many(1000, 'text', { text: 'a' }, everyStyle),
    'fonts': many(150, 'text', { text: 'a' }, { fontFamily: 'a,b,c,d,e,f,g,h', left: 1, top: 1 }),
    'addresses': many(40, 'image', { src: `https://a.example/?${'&"'.repeat(900)}`, alt: '' })
};

lab.experiment('Pages of what is heavy', () => {

    let server: TestServer;
    let ana: Actor;
    let hosts = 0;
    const projects = new Map<string, { id: string; page: string }>();

    const make = async (title: string, elements: readonly object[], fields: object = {}): Promise<{ id: string; page: string }> => {
        const { body } = await server.call('POST', '/users/me/projects', { title, ...fields }, { token: ana.token });
        const made = { id: body.project.id, page: body.page.id };
        const actions = elements.map((data) => ({ type: 'elements', method: 'create', data: { pageId: made.page, ...data } }));
        if (actions.length > 0) {
            expect((await server.call('POST', '/users/me/bulk', { actions }, { token: ana.token })).status, title).to.equal(200);
        }

        return made;
    };

    lab.before(async () => {
        await build();
        server = await startTestServer({ config: { site: readConfig({}).site, listMaxAge: 1000 } });
        ana = await server.open('Ana');
        for (const [name, elements] of Object.entries(worst)) {
            projects.set(name, await make(name, elements));
        }
    });

    lab.after(() => server.stop());

    /** Reads a page that is not kept yet. @returns milliseconds of the processor that all of it took, the least of some times, as others use it too */
    const costOf = async (pathAt: (host: string) => string): Promise<number> => {
        const costs: number[] = [];
        for (let n = 0; n < ROUNDS; ++n) {
            const host = `place-${++hosts}.example`;
            const path = pathAt(host);
            const before = process.cpuUsage();
            const { status, text } = await server.call('GET', path, undefined, { headers: { host } });
            const { user, system } = process.cpuUsage(before);
            costs.push((user + system) / 1000);
            expect(status, path).to.equal(200);
            expect(Buffer.byteLength(text), path).to.be.at.most(MAX_HTML);
        }

        return Math.min(...costs);
    };

    lab.test('are read only as far as they are shown', async () => {
        for (const [name, { id, page }] of projects) {
            const contents = await findContents(server.database.db, id, page);
            expect(JSON.stringify(contents).length, name).to.be.below(300 * 1024);
        }
    });

    for (const name of Object.keys(worst)) {
        lab.test(`never hold others up, and are never large: ${name}`, async () => {
            const { id } = { id: '', ...projects.get(name) };
            for (const path of [() => `/p/${id}`, () => `/p/${id}/embed`, (host: string) => `/oembed?url=http://${host}/p/${id}`]) {
                expect(await costOf(path), name).to.be.below(MAX_TIME);
            }
        });
    }

    lab.test('in lists show titles, and no pages', async () => {
        const { body } = await server.call('POST', '/users/me/collections', { title: 'Heavy', visibility: 'public' }, { token: ana.token });
        const collection = body.collection.id;
        const made = [...projects.values()];
        for (let n = 0; n < 24; ++n) {
            const { id } = n < made.length ? { id: '', ...made[n] } : await make('&'.repeat(256), many(3, 'text', { text: '&'.repeat(10_000) }));
            expect((await server.call('PUT', `/users/me/collections/${collection}/projects/${id}`, undefined, { token: ana.token })).status).to.equal(200);
        }

        for (const path of [`/c/${collection}`, '/u/Ana', '/browse/new', '/']) {
            expect(await costOf(() => path), path).to.be.below(MAX_TIME);
            expect((await server.call('GET', path)).text, path).to.not.contain('pagewright-page');
        }
    });

    const headers = { host: 'place.example' };

    lab.test('are made once for each state and language, and never for HEAD or for whoever has them', async () => {
        const { id, page } = await make('Kept', many(1, 'text', { text: 'Before' }));
        const read = (path = `/p/${id}`, more: Record<string, string> = {}, method = 'GET'): ReturnType<TestServer['call']> => server.call(method, path, undefined, { headers: { ...headers, ...more } });
        // Nothing is rendered if what would be rendered cannot be read.
        const broken = async (work: () => Promise<void>): Promise<void> => {
            await server.database.db.raw('alter table elements rename to lost');
            try {
                await work();
            }
            finally {
                await server.database.db.raw('alter table lost rename to elements');
            }
        };

        let etag = '';
        await broken(async () => {
            const head = await read(undefined, {}, 'HEAD');
            expect(head).to.include({ status: 200, text: '' });
            expect(head.headers).to.include({ 'content-type': 'text/html; charset=utf-8' }).and.to.not.include('content-length');
            etag = String(head.headers.etag);
            expect(await read(undefined, { 'if-none-match': etag })).to.include({ status: 304, text: '' });
            expect((await read()).status).to.equal(500);
        });
        server.faults.splice(0);

        const first = await read();
        expect(first.headers.etag).to.equal(etag);
        expect(first.text).to.contain('Before');
        await broken(async () => {
            expect((await read()).text).to.equal(first.text);
        });
        expect((await read(`/p/${id}?lang=pt`)).text).to.contain('<html lang="pt"');
        expect((await read(undefined, { 'accept-language': 'ru' })).text).to.contain('<html lang="ru"');
        expect((await read(undefined, { host: 'other.example' })).text).to.contain('content="http://other.example/p/');

        await server.call('POST', `/users/me/projects/${id}/pages/${page}/elements`, { type: 'text', attributes: { text: 'After' }, styles: {} }, { token: ana.token });
        const second = await read(undefined, { 'if-none-match': etag });
        expect(second.status).to.equal(200);
        expect(second.text).to.contain(['Before', 'After']);
    });

    lab.test('that are kept are for nobody as soon as they are private, held or deleted', async () => {
        const moderator = await server.open(undefined, { moderator: true });
        const secret = 'Nobody else reads this';
        for (const [name, hide] of [
            ['private', (id: string) => server.call('PATCH', `/users/me/projects/${id}`, { visibility: 'private' }, { token: ana.token })],
            ['held', (id: string) => server.call('PUT', `/moderation/projects/${id}/hold`, { reason: 'x' }, { token: moderator.token })],
            ['deleted', (id: string) => server.call('DELETE', `/users/me/projects/${id}`, undefined, { token: ana.token })]
        ] as const) {
            const { id, page } = await make(secret, many(1, 'text', { text: secret }));
            const paths = [`/p/${id}`, `/p/${id}/${page}`, `/p/${id}/embed`, `/p/${id}/${page}/embed`];
            const tags = new Map<string, string>();
            for (const path of paths) {
                const { text, headers: answered } = await server.call('GET', path);
                expect(text).to.contain(secret);
                tags.set(path, String(answered.etag));
            }

            expect((await hide(id)).status, name).to.equal(200);
            for (const path of paths) {
                for (const method of ['GET', 'HEAD']) {
                    const fields: Record<string, string>[] = [{}, { 'if-none-match': String(tags.get(path)) }, { 'if-none-match': '*' }, { authorization: `token ${ana.token}` }];
                    for (const more of fields) {
                        const answer = await server.call(method, path, undefined, { headers: more });
                        expect(answer.status, `${name} ${path}`).to.equal(404);
                        expect(answer.text).to.not.contain(secret);
                        expect(answer.headers.etag).to.be.undefined();
                    }
                }
            }
        }
    });

    lab.test('are for nobody if they become private while they are made', async () => {
        const { id } = await make('Just gone', many(1, 'text', { text: 'x' }));
        const trx = await server.database.db.transaction();
        await trx.raw('lock table elements');
        await trx.raw(`update projects set visibility = 'private' where id = ?`, [id]);
        const answer = server.call('GET', `/p/${id}`);
        while (await waiting(server) === 0) {
            await setTimeout(10);
        }

        await trx.commit();
        expect((await answer).status).to.equal(404);
    });
});
