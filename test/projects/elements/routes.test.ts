import { gunzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_ACTIONS, MAX_ELEMENTS } from '../../../src/limits';
import { known, nested, ofBytes, openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

describe('elements', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        project = await ada.project();
    });

    after(() => server.stop());

    const full = { type: 'image', attributes: { src: 'data:image/png;base64,AA==' }, styles: { width: 100 } };
    const read = async (url: string): Promise<Made['thing']> => (await server.call('GET', url)).body.element;
    const post = (fields: object): ReturnType<Author['call']> => ada.call('POST', `${project.page.url}/elements`, fields);

    it('are made on a page', async () => {
        const rows = [{ sent: full, kept: full }, { sent: { type: 'text' }, kept: { type: 'text', attributes: {}, styles: {} } }];
        for (const { sent, kept } of rows) {
            const { status, body, headers } = await post(sent);
            expect(status).to.equal(201);
            expect(body).to.equal({ status: 'created', element: body.element });
            expect(headers.location).to.equal(`${project.page.url}/elements/${body.element.id}`);
            expect(known(body.element)).to.equal({ page_id: project.page.id, user_id: ada.id, revision: 1, ...kept });
        }
    });

    it('are read one by one and all together, in order of creation', async () => {
        const page = await ada.page(project, { x: 1, y: 1 });
        const elements = [await ada.element(page, full), await ada.element(page, { type: 'a' }), await ada.element(page)];
        const list = await server.call('GET', `${page.url}/elements`);
        expect(list.body).to.equal({ status: 'success', elements: elements.map(({ thing }) => thing) });
        for (const { url, thing } of elements) {
            const { status, body } = await server.call('GET', url);
            expect(status).to.equal(200);
            expect(body).to.equal({ status: 'success', element: thing });
        }

        const tags = [{ url: `${page.url}/elements`, tag: '"4"' }, ...elements.map(({ url }) => ({ url, tag: '"1"' }))];
        for (const { url, tag } of tags) {
            expect((await server.call('GET', url)).headers.etag).to.equal(tag);
            for (const held of [tag, `W/${tag}`, `"9", ${tag}`, '*']) {
                const answer = await server.call('GET', url, undefined, { headers: { 'if-none-match': held } });
                expect([answer.status, answer.text, answer.headers.etag]).to.equal([304, '', tag]);
            }

            expect((await server.call('GET', url, undefined, { headers: { 'if-none-match': '"77"' } })).status).to.equal(200);
            const head = await server.call('HEAD', url);
            expect([head.status, head.text, head.headers.etag]).to.equal([200, '', tag]);
        }

        expect((await server.call('GET', `${(await ada.page(project, { x: 1, y: 2 })).url}/elements`)).body).to.equal({ status: 'success', elements: [] });
    });

    it('are compressed on request, with a tag that works in If-None-Match', async () => {
        const page = await ada.page(project, { x: 2, y: 1 });
        const { url } = await ada.element(page, { attributes: ofBytes(5000) });
        const { headers, rawPayload } = await server.server.inject({ url, headers: { 'accept-encoding': 'gzip' } });
        expect(headers).to.include({ 'content-encoding': 'gzip', 'etag': '"1-gzip"', 'vary': 'origin,accept-encoding' });
        expect(gunzipSync(rawPayload).toString()).to.equal((await server.call('GET', url)).text);
        for (const encoding of ['gzip', 'identity']) {
            const { status, text } = await server.call('GET', url, undefined, { headers: { 'accept-encoding': encoding, 'if-none-match': '"1-gzip"' } });
            expect([status, text]).to.equal([304, '']);
        }

        expect((await ada.call('PATCH', url, { styles: {} }, { headers: { 'if-match': '"1-gzip"' } })).status).to.equal(200);
    });

    const changes = [
        { attributes: { href: 'x' } }, { attributes: {} }, { styles: { height: 1 } }, { styles: {} }, { attributes: { a: 0 }, styles: { b: null } }
    ];
    for (const change of changes) {
        it(`are changed by ${JSON.stringify(change)}, each field as a whole, and keep the others`, async () => {
            const { url, thing } = await ada.element(project.page, full);
            const { status, body } = await ada.call('PATCH', url, change);
            expect(status).to.equal(200);
            expect(body).to.equal({ status: 'updated', element: { ...thing, ...change, revision: 2, history: body.element.history } });
            expect(body.element.history.created_at).to.equal(thing.history.created_at);
            expect(await read(url)).to.equal(body.element);
        });
    }

    it('are deleted', async () => {
        const { url, id, thing } = await ada.element(project.page, full);
        const lists = [`${project.page.url}/elements`, project.page.url, `${project.url}/pages`];
        // A page may have the same id.
        const shows = async (list: string): Promise<boolean> => (await server.call('GET', list)).text.includes(`"id":"${id}","page_id"`);
        expect(await Promise.all(lists.map(shows))).to.equal([true, true, true]);
        const { status, body } = await ada.call('DELETE', url);
        expect(status).to.equal(200);
        expect(body).to.equal({ status: 'deleted', element: { ...thing, revision: 2, history: body.element.history } });
        const stranger = await openAuthor(server);
        for (const [method, payload] of [['GET', undefined], ['PATCH', { styles: {} }], ['DELETE', undefined]] as const) {
            for (const author of [ada, stranger]) {
                expect((await author.call(method, url, payload)).body, method).to.include({ statusCode: 404, code: 'not_found' });
            }
        }

        expect(await Promise.all(lists.map(shows))).to.equal([false, false, false]);
    });

    it('are written by their owner, and also deleted by moderators', async () => {
        const { url, thing } = await ada.element(project.page);
        const stranger = await openAuthor(server);
        const writes = [['POST', `${project.page.url}/elements`, { type: 'x' }], ['PATCH', url, { styles: { a: 1 } }], ['DELETE', url, undefined]] as const;
        for (const [method, path, body] of writes) {
            expect((await stranger.call(method, path, body)).body, method).to.include({ statusCode: 403, code: 'forbidden' });
            expect((await server.call(method, path, body)).status).to.equal(401);
        }

        expect((await moderator.call('PATCH', url, { styles: { a: 1 } })).status).to.equal(403);
        expect((await moderator.call('POST', `${project.page.url}/elements`, { type: 'x' })).status).to.equal(403);
        expect(await read(url)).to.equal(thing);
        expect((await moderator.call('DELETE', url)).status).to.equal(200);
    });

    it('are not written with another revision', async () => {
        const { url } = await ada.element(project.page);
        await ada.call('PATCH', url, { styles: { a: 1 } });
        const current = await read(url);
        const rows: { body: object; headers: Record<string, string>; status: number }[] = [
            { body: { revision: 1 }, headers: {}, status: 409 }, { body: {}, headers: { 'if-match': '"1"' }, status: 412 },
            { body: {}, headers: { 'if-match': 'W/"2"' }, status: 412 }, { body: { revision: 3 }, headers: { 'if-match': '"2"' }, status: 409 },
            // One tag with a comma is not one of ours, and not two tags.
            { body: {}, headers: { 'if-match': '"1,2"' }, status: 412 }, { body: {}, headers: { 'if-match': '"2,1"' }, status: 412 }
        ];
        for (const { body, headers, status } of rows) {
            for (const [method, change] of [['PATCH', { styles: {} }], ['DELETE', {}]] as const) {
                const answer = await ada.call(method, url, { ...change, ...body }, { headers });
                expect(answer.body, answer.text).to.include({ statusCode: status, code: 'revision_conflict', current });
            }
        }

        expect(await read(url)).to.equal(current);
        expect((await ada.call('PATCH', url, { styles: {}, revision: 2 })).body.element).to.include({ revision: 3 });
        expect((await ada.call('PATCH', url, { styles: {} }, { headers: { 'if-match': '"3"' } })).body.element).to.include({ revision: 4 });
        expect((await ada.call('PATCH', url, { styles: {} }, { headers: { 'if-match': '"9", "4"' } })).body.element).to.include({ revision: 5 });
        expect((await ada.call('PATCH', url, { styles: {} }, { headers: { 'if-match': '*' } })).body.element).to.include({ revision: 6 });
        expect((await ada.call('DELETE', url, { revision: 6 })).status).to.equal(200);
    });

    const kept: object[] = [
        { type: '\u{1F3A8}'.repeat(64) }, { type: '.' }, { attributes: nested(32), styles: nested(32) },
        { attributes: ofBytes(2 * MIB), styles: ofBytes(2 * MIB) }, { attributes: { '': '', 'a b': [1e300, -0.1, true, null], 'ключ': '\u2028"\\' } }
    ];
    for (const fields of kept) {
        it(`keep ${JSON.stringify(fields).slice(0, 60)}`, async () => {
            const page = await ada.page(await ada.project(), { x: 1, y: 1 });
            const { url, thing } = await ada.element(page, fields);
            expect(thing).to.include(fields);
            expect(await read(url)).to.equal(thing);
        });
    }

    it('reject invalid fields, and say where', async () => {
        const { url, thing } = await ada.element(project.page);
        const types: unknown[] = ['', 'x'.repeat(65), '\u{1F3A8}'.repeat(65), null, 1, 'a\u0000'];
        for (const type of types) {
            expect((await post({ type })).body.details[0], String(type)).to.include({ path: 'type' });
        }

        expect((await post({})).body.details).to.equal([{ path: 'type', message: '"type" is required' }]);
        expect((await ada.call('PATCH', url, { type: 'other', styles: {} })).body.details).to.equal([{ path: 'type', message: '"type" is not allowed' }]);
        for (const value of [null, [], 'x', 1, nested(33), ofBytes(2 * MIB + 1)]) {
            for (const field of ['attributes', 'styles']) {
                for (const { body } of [await post({ type: 'x', [field]: value }), await ada.call('PATCH', url, { [field]: value })]) {
                    expect(body).to.include({ statusCode: 400, code: 'validation_failed' });
                    expect(body.details[0].path).to.equal(field);
                }
            }
        }

        for (const nothing of [undefined, {}, { revision: 1 }]) {
            expect((await ada.call('PATCH', url, nothing)).body.details[0].message).to.equal('at least one of "attributes" and "styles" is needed');
        }

        expect(await read(url)).to.equal(thing);
    });

    it(`are at most ${MAX_ELEMENTS} on a page`, async () => {
        const page = await ada.page(project, { x: 5, y: 5 });
        const create = { type: 'elements', method: 'create', data: { pageId: page.id, type: 'x' } };
        for (let made = 0; made < MAX_ELEMENTS; made += MAX_ACTIONS) {
            expect((await ada.bulk(Array.from({ length: Math.min(MAX_ACTIONS, MAX_ELEMENTS - made) }, () => create))).status).to.equal(200);
        }

        expect((await ada.call('POST', `${page.url}/elements`, { type: 'x' })).body).to.include({ statusCode: 409, code: 'element_limit' });
        expect((await ada.bulk([create])).body).to.include({ statusCode: 409, code: 'element_limit', action: 0 });
        const { body } = await server.call('GET', `${page.url}/elements`);
        expect(body.elements).to.have.length(MAX_ELEMENTS);
        expect((await server.call('GET', page.url)).body.page.revision).to.equal(MAX_ELEMENTS + 1);

        await ada.call('DELETE', `${page.url}/elements/${body.elements[500].id}`);
        expect((await ada.call('POST', `${page.url}/elements`, { type: 'x' })).status).to.equal(201);
        expect((await ada.call('POST', `${page.url}/elements`, { type: 'x' })).status).to.equal(409);
    });

    it('are 404 under another page, project or user', async () => {
        const { id } = await ada.element(project.page);
        const page = await ada.page(project, { x: 6, y: 6 });
        const other = await ada.project();
        const stranger = await openAuthor(server);
        const foreign = await stranger.project();
        const at = (user: string, inProject: string, onPage: string, element: string): string => `/users/${user}/projects/${inProject}/pages/${onPage}/elements/${element}`;
        const broken = [
            at(ada.id, project.id, page.id, id), at(ada.id, other.id, project.page.id, id), at(ada.id, other.id, other.page.id, id),
            at(foreign.thing.user_id, project.id, project.page.id, id), at(foreign.thing.user_id, foreign.id, foreign.page.id, id),
            at(ada.id, project.id, project.page.id, '999999'), at(ada.id, project.id, '999999', id), at(ada.id, '999999', project.page.id, id), at('999999', project.id, project.page.id, id)
        ];
        for (const url of broken) {
            for (const [method, body] of [['GET', undefined], ['PATCH', { styles: {} }], ['DELETE', undefined]] as const) {
                for (const author of [ada, stranger]) {
                    expect((await author.call(method, url, body)).status, `${method} ${url}`).to.equal(404);
                }
            }
        }

        for (const url of [`/users/${ada.id}/projects/${other.id}/pages/${page.id}/elements`, `${project.url}/pages/999999/elements`]) {
            expect((await ada.call('GET', url)).status).to.equal(404);
            for (const author of [ada, stranger]) {
                expect((await author.call('POST', url, { type: 'x' })).status).to.equal(404);
            }
        }

        for (const element of ['abc', '1.5', '-1', '0', '9223372036854775808']) {
            expect((await ada.call('GET', `${project.page.url}/elements/${element}`)).status, element).to.equal(400);
        }
    });
});
