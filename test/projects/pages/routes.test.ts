import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_ACTIONS, MAX_PAGES } from '../../../src/limits';
import { known, nested, ofBytes, openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { interrupted } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MAX = 2 ** 31 - 1;
const MIN = -(2 ** 31);
const MIB = 1024 * 1024;

describe('pages', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;
    let project: MadeProject;
    let column = 0;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        project = await ada.project();
    });

    after(() => server.stop());

    const makePage = (fields = {}): Promise<Made> => ada.page(project, { x: ++column, y: 7, ...fields });
    const read = async (url: string): Promise<Made['thing']> => (await server.call('GET', url)).body.page;

    it('that are deleted while they are read are 404', async () => {
        const going = await ada.project();
        const { db } = server.database;
        const rows = [{ url: going.page.url, table: 'pages', id: going.page.id }, { url: `${going.url}/pages`, table: 'projects', id: going.id }];
        for (const { url, table, id } of rows) {
            const answer = await interrupted(/string_agg/, () => db(table).where({ id }).update({ deleted_at: db.fn.now() }), () => server.call('GET', url));
            expect(answer.body, url).to.include({ statusCode: 404, code: 'not_found' });
        }
    });

    it('are made at a place', async () => {
        const answer = await ada.call('POST', `${project.url}/pages`, { x: -3, y: 0, styles: { colour: 'red' } });
        expect(answer.status).to.equal(201);
        const { page } = answer.body;
        expect(answer.body).to.equal({ status: 'created', page });
        expect(answer.headers.location).to.equal(`${project.url}/pages/${page.id}`);
        expect(known(page)).to.equal({ project_id: project.id, user_id: ada.id, x: -3, y: 0, styles: { colour: 'red' }, revision: 1, elements: [] });
    });

    it('are read with their elements, in order of creation', async () => {
        const page = await makePage();
        const elements = [await ada.element(page, { type: 'b' }), await ada.element(page, { type: 'a' }), await ada.element(page, { type: 'c' })];
        const { status, body, headers } = await server.call('GET', page.url);
        expect(status).to.equal(200);
        expect(body).to.equal({
            status: 'success',
            page: { ...page.thing, revision: 4, history: body.page.history, elements: elements.map(({ thing }) => thing) }
        });
        expect(headers.etag).to.equal('"4"');

        const list = await server.call('GET', `${project.url}/pages`);
        expect(list.body.status).to.equal('success');
        expect(list.body.pages.at(-1)).to.equal(body.page);
        expect(list.body.pages[0]).to.equal(project.page.thing);
        expect(Object.keys(list.body)).to.equal(['status', 'pages']);
    });

    it('are each what was asked for, if many are asked for at once, small ones and large ones', async () => {
        const sizes = [10, 20_000, 100, 40_000, 1, 300_000, 33_000, 20];
        const pages = await Promise.all(sizes.map(async (bytes) => {
            const page = await makePage();
            await ada.element(page, { type: 'text', attributes: ofBytes(bytes + 20) });
            return page;
        }));
        // An own server, which has not cached them.
        const other = await startTestServer({ database: server.database });
        const urls = pages.flatMap(({ url }) => [url, `${url}/elements`, url.replace(/[0-9]+$/, '999999')]);
        const answers = await Promise.all(urls.map((url) => other.call('GET', url)));
        const one = await Promise.all(urls.map((url) => server.call('GET', url)));
        await other.server.stop();
        expect(answers.map(({ status }) => status)).to.equal(sizes.flatMap(() => [200, 200, 404]));
        const shown = (found: typeof answers): unknown[] => found.filter(({ status }) => status === 200).map(({ body }) => body);
        expect(shown(answers)).to.equal(shown(one));
    });

    it('are 304 if the client has them, and support HEAD', async () => {
        const page = await makePage();
        for (const url of [page.url, `${project.url}/pages`]) {
            const first = await server.call('GET', url);
            const tag = String(first.headers.etag);
            expect(tag).to.match(/^"\d+"$/);
            for (const held of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
                const answer = await server.call('GET', url, undefined, { headers: { 'if-none-match': held } });
                expect([answer.status, answer.text, answer.headers.etag]).to.equal([304, '', tag]);
            }

            // The second response comes from the cache, and is the same.
            const again = await server.call('GET', url, undefined, { headers: { 'if-none-match': '"1234"' } });
            expect([again.status, again.text]).to.equal([200, first.text]);
            const head = await server.call('HEAD', url);
            expect([head.status, head.text, head.headers.etag]).to.equal([200, '', tag]);

            await ada.element(page);
            expect((await server.call('GET', url, undefined, { headers: { 'if-none-match': tag } })).status).to.equal(200);
        }
    });

    const changes: { change: object; then: (page: Made) => object }[] = [
        { change: { x: 0, y: -50 }, then: () => ({ x: 0, y: -50 }) },
        { change: { x: 0 }, then: () => ({ x: 0 }) },
        { change: { y: 0 }, then: () => ({ y: 0 }) },
        { change: { x: MAX, y: MIN }, then: () => ({ x: MAX, y: MIN }) },
        { change: { x: MIN, y: MAX }, then: () => ({ x: MIN, y: MAX }) },
        { change: { styles: { b: [1] } }, then: () => ({ styles: { b: [1] } }) },
        { change: { styles: {} }, then: () => ({ styles: {} }) }
    ];
    for (const { change, then } of changes) {
        it(`are changed by ${JSON.stringify(change)}, each field as a whole, and keep the others`, async () => {
            const page = await makePage({ styles: { a: 1 } });
            const element = await ada.element(page);
            const { status, body } = await ada.call('PATCH', page.url, change);
            expect(status).to.equal(200);
            expect(body).to.equal({
                status: 'updated',
                page: { ...page.thing, ...then(page), revision: 3, elements: [element.thing], history: body.page.history }
            });
            expect(await read(page.url)).to.equal(body.page);
        });
    }

    it('may be moved to their own place', async () => {
        const { url, thing } = await makePage();
        expect((await ada.call('PATCH', url, { x: thing.x, y: thing.y })).body.page).to.include({ x: thing.x, y: thing.y, revision: 2 });
    });

    it('cannot share a place', async () => {
        const one = await makePage();
        const two = await makePage();
        const { x, y } = one.thing;
        const taken = { statusCode: 409, code: 'coordinates_taken' };
        expect((await ada.call('POST', `${project.url}/pages`, { x, y })).body).to.include(taken);
        expect((await ada.call('PATCH', two.url, { x, y })).body).to.include(taken);
        expect((await ada.call('PATCH', two.url, { x })).body).to.include(taken);
        expect(await read(two.url)).to.equal(two.thing);

        // Pages of another project do not matter, and the place of a deleted page is free.
        await ada.page(await ada.project(), { x, y });
        await ada.call('DELETE', one.url);
        expect((await ada.call('PATCH', two.url, { x })).body.page).to.include({ x, y });
    });

    it('are deleted with their elements', async () => {
        const page = await makePage();
        const element = await ada.element(page);
        const shown = await read(page.url);
        const { status, body } = await ada.call('DELETE', page.url);
        expect(status).to.equal(200);
        expect(body).to.equal({ status: 'deleted', page: { ...shown, revision: 3, history: body.page.history } });
        const gone = [
            ['GET', page.url], ['PATCH', page.url, { x: 1 }], ['DELETE', page.url], ['GET', `${page.url}/elements`],
            ['POST', `${page.url}/elements`, { type: 'text' }], ['GET', element.url], ['PATCH', element.url, { styles: {} }], ['DELETE', element.url]
        ] as const;
        const stranger = await openAuthor(server);
        for (const [method, url, payload] of gone) {
            for (const author of [ada, stranger]) {
                expect((await author.call(method, url, payload)).body, `${method} ${url}`).to.include({ statusCode: 404, code: 'not_found' });
            }
        }

        expect((await server.call('GET', `${project.url}/pages`)).text).to.not.contain(`"id":"${page.id}"`);
    });

    it('are written by their owner, and also deleted by moderators', async () => {
        const page = await makePage();
        const stranger = await openAuthor(server);
        for (const [method, url, body] of [['POST', `${project.url}/pages`, { x: 900, y: 900 }], ['PATCH', page.url, { x: 900 }], ['DELETE', page.url, {}]] as const) {
            expect((await stranger.call(method, url, body)).body, method).to.include({ statusCode: 403, code: 'forbidden' });
            expect((await server.call(method, url, body)).status).to.equal(401);
        }

        expect((await moderator.call('PATCH', page.url, { x: 900 })).status).to.equal(403);
        expect(await read(page.url)).to.equal(page.thing);
        expect((await moderator.call('DELETE', page.url)).status).to.equal(200);
    });

    it('are not written with another revision', async () => {
        const page = await makePage();
        await ada.element(page);
        const current = await read(page.url);
        const rows: { body: object; headers: Record<string, string>; status: number }[] = [
            { body: { revision: 1 }, headers: {}, status: 409 }, { body: {}, headers: { 'if-match': '"1"' }, status: 412 },
            { body: { revision: 1 }, headers: { 'if-match': '"2"' }, status: 409 }, { body: { revision: 2 }, headers: { 'if-match': '"1"' }, status: 409 }
        ];
        for (const { body, headers, status } of rows) {
            for (const [method, change] of [['PATCH', { x: 901 }], ['DELETE', {}]] as const) {
                const answer = await ada.call(method, page.url, { ...change, ...body }, { headers });
                expect(answer.body, answer.text).to.include({ statusCode: status, code: 'revision_conflict', current });
            }
        }

        expect(await read(page.url)).to.equal(current);
        expect((await ada.call('PATCH', page.url, { x: 901, revision: 2 })).body.page).to.include({ x: 901, revision: 3 });
        expect((await ada.call('PATCH', page.url, { x: 902 }, { headers: { 'if-match': '"3"' } })).body.page).to.include({ x: 902, revision: 4 });
        expect((await ada.call('DELETE', page.url, undefined, { headers: { 'if-match': '"4"' } })).status).to.equal(200);
    });

    const good: object[] = [{ styles: nested(32) }, { styles: ofBytes(2 * MIB) }, { styles: { 'ключ "\\': null, '': [[], {}], n: -0.5e-7, '1': true } }];
    for (const fields of good) {
        it(`keep ${JSON.stringify(fields).slice(0, 60)}`, async () => {
            const { url, thing } = await makePage(fields);
            expect(thing).to.include(fields);
            const other = await makePage();
            expect((await ada.call('PATCH', other.url, fields)).body.page).to.include(fields);
            expect(await read(url)).to.equal(thing);
        });
    }

    const refused: { fields: object; path: string }[] = [
        ...[MAX + 1, MIN - 1, 1.5, '1', null, true, [1], {}].flatMap((value) => [{ fields: { x: value }, path: 'x' }, { fields: { y: value }, path: 'y' }]),
        ...[null, [], 'x', 1, nested(33), ofBytes(2 * MIB + 1)].map((styles) => ({ fields: { styles }, path: 'styles' })),
        { fields: { styles: { a: { b: 'x\u0000' } } }, path: 'styles.a.b' },
        { fields: { z: 1 }, path: 'z' },
        { fields: { elements: [] }, path: 'elements' }
    ];
    it('reject invalid fields, and say where', async () => {
        const { url, thing } = await makePage();
        for (const { fields, path } of refused) {
            const answers = [await ada.call('POST', `${project.url}/pages`, { x: 903, y: 903, ...fields }), await ada.call('PATCH', url, fields)];
            for (const { body } of answers) {
                expect(body, JSON.stringify(fields).slice(0, 80)).to.include({ statusCode: 400, code: 'validation_failed' });
                expect(body.details.map((detail: { path: string }) => detail.path)).to.include(path);
            }
        }

        expect((await ada.call('POST', `${project.url}/pages`, {})).body.details).to.equal([
            { path: 'x', message: '"x" is required' }, { path: 'y', message: '"y" is required' }
        ]);
        for (const nothing of [undefined, {}, { revision: 1 }]) {
            expect((await ada.call('PATCH', url, nothing)).body.details[0].message).to.equal('at least one of "x", "y" and "styles" is needed');
        }

        expect(await read(url)).to.equal(thing);
    });

    it(`are at most ${MAX_PAGES} in a project`, async () => {
        const full = await ada.project();
        for (let x = 1; x < MAX_PAGES; x += MAX_ACTIONS) {
            const length = Math.min(MAX_ACTIONS, MAX_PAGES - x);
            const actions = Array.from({ length }, (_, n) => ({ type: 'pages', method: 'create', data: { projectId: full.id, x: x + n, y: 0 } }));
            expect((await ada.bulk(actions)).status).to.equal(200);
        }

        expect((await server.call('GET', `${full.url}/pages`)).body.pages).to.have.length(MAX_PAGES);
        const revision = async (): Promise<number> => (await server.call('GET', full.url)).body.project.revision;
        const earlier = await revision();

        const more = await ada.call('POST', `${full.url}/pages`, { x: 0, y: 1 });
        expect(more.body).to.include({ statusCode: 409, code: 'page_limit' });
        expect((await ada.bulk([{ type: 'pages', method: 'create', data: { projectId: full.id, x: 0, y: 1 } }])).body).to.include({ statusCode: 409, code: 'page_limit', action: 0 });
        expect(await revision()).to.equal(earlier);

        await ada.call('DELETE', full.page.url);
        expect((await ada.call('POST', `${full.url}/pages`, { x: 0, y: 1 })).status).to.equal(201);
        expect((await ada.call('POST', `${full.url}/pages`, { x: 0, y: 2 })).status).to.equal(409);
    });

    it('are 404 under another project, page or user', async () => {
        const other = await ada.project();
        const stranger = await openAuthor(server);
        const foreign = await stranger.project();
        const page = await makePage();
        const ids = (user: string, inProject: string, id: string): string => `/users/${user}/projects/${inProject}/pages/${id}`;
        const broken = [
            ids(ada.id, other.id, page.id), ids(stranger.id, project.id, page.id), ids(stranger.id, foreign.id, page.id), ids(ada.id, foreign.id, foreign.page.id),
            ids('9223372036854775807', project.id, page.id), ids(ada.id, '9223372036854775807', page.id), ids(ada.id, project.id, '9223372036854775807')
        ];
        for (const url of broken) {
            for (const [method, body] of [['GET', undefined], ['HEAD', undefined], ['PATCH', { x: 905 }], ['DELETE', undefined]] as const) {
                for (const author of [ada, moderator, stranger]) {
                    expect((await author.call(method, url, body)).status, `${method} ${url}`).to.equal(404);
                }
            }
        }

        for (const url of [`/users/${stranger.id}/projects/${project.id}/pages`, `/users/${ada.id}/projects/999999/pages`]) {
            expect((await ada.call('GET', url)).status).to.equal(404);
            expect((await ada.call('POST', url, { x: 905, y: 905 })).status).to.equal(404);
        }

        for (const id of ['abc', '1.5', '-1', '0', '9223372036854775808', '01', '%31', '%2531']) {
            const expected = id === '%31' ? 404 : 400;
            expect((await ada.call('GET', ids(ada.id, other.id, id))).status, id).to.equal(expected);
        }
    });
});
