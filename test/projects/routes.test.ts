import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count, ID, known, openAuthor, TIME } from '../support/authoring';
import type { Author, MadeProject } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('projects', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;

    before(async () => {
        server = await startTestServer({ config: { apiVersion: '7' } });
        ada = await openAuthor(server, 'ada', { language: 'pt_BR' });
        moderator = await openAuthor(server, 'mod', { moderator: true });
    });

    after(() => server.stop());

    const shown = (fields: object): object => ({
        user_id: ada.id, version: '7', title: 'Olá', description: '', tags: [], remixed_from: null, featured: false, visibility: 'public', thumbnail: {}, revision: 1, ...fields
    });

    const authorOf = async (): Promise<object> => {
        const { about: _about, managed: _managed, permissions: { teacher: _teacher, ...permissions }, ...author } = (await ada.call('GET', `/users/${ada.id}`)).body.user;
        return { ...author, permissions };
    };

    it('are created with a first page at (0, 0)', async () => {
        const answer = await ada.call('POST', `/users/${ada.id}/projects`, { title: 'Olá' });
        expect(answer.status).to.equal(201);
        const { project, page } = answer.body;
        expect(Object.keys(answer.body)).to.equal(['status', 'project', 'page']);
        expect(answer.body.status).to.equal('created');
        expect(answer.headers.location).to.equal(`/users/${ada.id}/projects/${project.id}`);
        expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(known(project)).to.equal(shown({ author: await authorOf() }));
        expect(known(page)).to.equal({ project_id: project.id, user_id: ada.id, x: 0, y: 0, styles: {}, revision: 1, elements: [] });
        expect(project.author).to.include({ username: 'ada', locale: { language: 'pt-BR' }, permissions: { staff: false, moderator: false } });
    });

    it('are created with a description, its tags and a thumbnail', async () => {
        const thumbnail = { 320: 'https://example.com/small.png', 4096: 'HTTP://example.com/large.png' };
        const { thing } = await ada.project({ title: 'Olá', description: 'Made of #Wood and #glue', thumbnail });
        expect(known(thing)).to.equal(shown({ author: await authorOf(), description: 'Made of #Wood and #glue', tags: ['wood', 'glue'], thumbnail }));
    });

    it('are read by their path, or by their own id with stats', async () => {
        const { url, id, thing } = await ada.project({ description: '#read' });
        const one = await server.call('GET', url);
        expect(one.body).to.equal({ status: 'success', project: thing });
        expect(one.headers.etag).to.equal(`"${thing.revision}.${thing.author.revision}"`);

        const withStats = await server.call('GET', `/projects/${id}`);
        expect(withStats.body).to.equal({ status: 'success', project: { ...thing, stats: { views: 0, remixes: 0 } } });
        expect(withStats.headers.etag).to.match(/^W\/"/);

        for (const { path, tag } of [{ path: url, tag: one.headers.etag }, { path: `/projects/${id}`, tag: withStats.headers.etag }]) {
            for (const held of [String(tag), `"other", ${String(tag)}`, `W/${String(tag).replace('W/', '')}`, '*']) {
                const { status, text, headers } = await server.call('GET', path, undefined, { headers: { 'if-none-match': held } });
                expect(status, held).to.equal(304);
                expect(text).to.equal('');
                expect(headers.etag).to.equal(tag);
            }

            expect((await server.call('GET', path, undefined, { headers: { 'if-none-match': '"0"' } })).status).to.equal(200);
            const head = await server.call('HEAD', path);
            expect({ status: head.status, text: head.text, etag: head.headers.etag }).to.equal({ status: 200, text: '', etag: tag });
        }
    });

    it('show the current name of the author, and their entity tag changes with it', async () => {
        const author = await openAuthor(server, 'before');
        const { url, id, thing } = await author.project();
        const first = await server.call('GET', url);
        await author.call('PATCH', `/users/${author.id}`, { username: 'after' });
        const second = await server.call('GET', url, undefined, { headers: { 'if-none-match': String(first.headers.etag) } });
        expect(second.status).to.equal(200);
        expect(second.body.project.author.username).to.equal('after');
        expect(second.body.project.revision).to.equal(thing.revision);
        expect((await server.call('GET', `/projects/${id}`)).body.project.author).to.equal(second.body.project.author);

        // The tag from before the change of name no longer matches.
        const tag = String(first.headers.etag);
        expect((await author.call('PATCH', url, { title: 'x' }, { headers: { 'if-match': tag } })).status).to.equal(412);
        expect((await author.call('PATCH', url, { title: 'x' }, { headers: { 'if-match': String(second.headers.etag) } })).status).to.equal(200);
    });

    const thumbnail = { 100: 'https://example.com/a.png' };
    const full = { title: 'Full', description: 'has a #tag', thumbnail };
    const changes: { change: object; then: object }[] = [
        { change: { title: 'New' }, then: { ...full, title: 'New', tags: ['tag'] } },
        { change: { description: 'and #another' }, then: { ...full, description: 'and #another', tags: ['another'] } },
        { change: { description: '' }, then: { ...full, description: '', tags: [] } },
        { change: { thumbnail: { 7: 'http://example.com/b' } }, then: { ...full, thumbnail: { 7: 'http://example.com/b' }, tags: ['tag'] } },
        { change: { thumbnail: {} }, then: { ...full, thumbnail: {}, tags: ['tag'] } },
        { change: { title: 'a', description: 'b', thumbnail: {} }, then: { title: 'a', description: 'b', thumbnail: {}, tags: [] } }
    ];
    for (const { change, then } of changes) {
        it(`are changed by ${JSON.stringify(change)}, each field as a whole, and keep the others`, async () => {
            const { url, thing } = await ada.project(full);
            const { status, body } = await ada.call('PATCH', url, change);
            expect(status).to.equal(200);
            expect(body.status).to.equal('updated');
            const { updated_at, created_at } = body.project.history;
            expect(body.project).to.equal({ ...thing, ...then, revision: 2, history: { created_at, updated_at } });
            expect(created_at).to.equal(thing.history.created_at);
            expect(updated_at >= created_at).to.be.true();
            expect((await server.call('GET', url)).body.project).to.equal(body.project);
        });
    }

    it('are deleted, with everything below', async () => {
        const { url, id, page, thing } = await ada.project({ description: '#gone' });
        const element = await ada.element(page);
        const { status, body } = await ada.call('DELETE', url);
        expect(status).to.equal(200);
        expect(body).to.equal({ status: 'deleted', project: { ...thing, revision: 3, history: body.project.history } });

        const gone = [
            ['GET', url], ['GET', `/projects/${id}`], ['PATCH', url, { title: 'x' }], ['DELETE', url], ['PATCH', `${url}/feature`],
            ['GET', `${url}/pages`], ['POST', `${url}/pages`, { x: 1, y: 1 }], ['GET', page.url], ['PATCH', page.url, { x: 1 }], ['DELETE', page.url],
            ['GET', `${page.url}/elements`], ['POST', `${page.url}/elements`, { type: 'text' }],
            ['GET', element.url], ['PATCH', element.url, { styles: {} }], ['DELETE', element.url],
            ['GET', `${url}/remixes`], ['POST', `${url}/remixes`], ['POST', `/view-project/${id}`]
        ] as const;
        const stranger = await openAuthor(server);
        for (const [method, path, payload] of gone) {
            for (const author of [ada, moderator, stranger]) {
                expect((await author.call(method, path, payload)).body, `${method} ${path}`).to.include({ statusCode: 404, code: 'not_found' });
            }
        }

        expect((await server.call('GET', '/projects/tagged/gone')).body.projects).to.equal([]);
        expect((await server.call('GET', `/users/${ada.id}/projects?count=100`)).text).to.not.contain(`"id":"${id}"`);
    });

    it('are deleted by a moderator, but not by a stranger', async () => {
        const { url } = await ada.project();
        const stranger = await openAuthor(server);
        for (const [method, body] of [['DELETE', undefined], ['PATCH', { title: 'x' }]] as const) {
            expect((await stranger.call(method, url, body)).body).to.include({ statusCode: 403, code: 'forbidden' });
        }

        expect((await moderator.call('PATCH', url, { title: 'x' })).status).to.equal(403);
        expect((await moderator.call('DELETE', url)).status).to.equal(200);
    });

    it('are featured by moderators: with a value, or toggled without', async () => {
        const { url, thing } = await ada.project();
        const rows: { body?: object; featured: boolean }[] = [
            { featured: true }, { featured: false }, { body: {}, featured: true }, { body: { featured: true }, featured: true },
            { body: {}, featured: false }, { body: { featured: false }, featured: false }, { body: { featured: true }, featured: true }
        ];
        for (const [index, { body, featured }] of rows.entries()) {
            const answer = await moderator.call('PATCH', `${url}/feature`, body);
            expect(answer.status).to.equal(200);
            expect(answer.body).to.equal({ status: 'updated', project: { ...thing, featured, revision: 2 + index, history: answer.body.project.history } });
            const listed = await server.call('GET', '/discover?count=100');
            expect(listed.text.includes(`"id":"${thing.id}"`)).to.equal(featured);
        }

        expect((await moderator.call('PATCH', `${url}/feature`, { featured: 'true' })).status).to.equal(400);
        expect((await ada.call('PATCH', `${url}/feature`, {})).status).to.equal(403);
        expect((await moderator.call('PATCH', `${url}/feature`, { featured: true, revision: 1 })).body).to.include({ statusCode: 409, code: 'revision_conflict' });

        // A moderator can feature their own work; an author cannot.
        const own = await moderator.project();
        expect((await moderator.call('PATCH', `${own.url}/feature`, {})).body.project.featured).to.be.true();
    });

    it('cannot be created under another account, or without one', async () => {
        const earlier = await count(server, 'from projects');
        expect((await ada.call('POST', `/users/${moderator.id}/projects`, { title: 'x' })).body).to.include({ statusCode: 403, code: 'forbidden' });
        expect((await ada.call('POST', '/users/999999/projects', { title: 'x' })).body).to.include({ statusCode: 404, code: 'not_found' });
        expect((await server.call('POST', `/users/${ada.id}/projects`, { title: 'x' })).status).to.equal(401);
        expect(await count(server, 'from projects')).to.equal(earlier);
    });

    it('are 404 under another user', async () => {
        const { id } = await ada.project();
        const stranger = await openAuthor(server);
        for (const url of [`/users/${stranger.id}/projects/${id}`, `/users/999999/projects/${id}`, `/users/${ada.id}/projects/999999`]) {
            for (const author of [ada, moderator, stranger]) {
                const answers = [
                    await author.call('GET', url), await author.call('PATCH', url, { title: 'x' }), await author.call('DELETE', url),
                    await author.call('PATCH', `${url}/feature`), await author.call('GET', `${url}/remixes`), await author.call('POST', `${url}/remixes`)
                ];
                expect(answers.map(({ status }) => status), url).to.equal(answers.map(() => 404));
            }
        }
    });

    describe('with a stated revision', () => {
        let project: MadeProject;

        before(async () => {
            project = await ada.project();
            await ada.call('PATCH', project.url, { title: 'moved on' });
        });

        const rows: { why: string; body: object; headers: Record<string, string>; status: number }[] = [
            { why: 'by body', body: { revision: 1 }, headers: {}, status: 409 },
            { why: 'by header', body: {}, headers: { 'if-match': '"1.1"' }, status: 412 },
            { why: 'by a weak tag, which never matches', body: {}, headers: { 'if-match': 'W/"2.1"' }, status: 412 },
            { why: 'by nonsense', body: {}, headers: { 'if-match': 'nonsense' }, status: 412 },
            { why: 'by both, and the body is reported', body: { revision: 1 }, headers: { 'if-match': '"2.1"' }, status: 409 },
            { why: 'from the future', body: { revision: 2147483647 }, headers: {}, status: 409 }
        ];
        for (const { why, body, headers, status } of rows) {
            it(`refuse what is made against another, ${why}`, async () => {
                const { body: { project: current } } = await server.call('GET', project.url);
                for (const [method, change] of [['PATCH', { title: 'lost' }], ['DELETE', {}]] as const) {
                    const answer = await ada.call(method, project.url, { ...change, ...body }, { headers });
                    expect(answer.status).to.equal(status);
                    expect(answer.body).to.include({ statusCode: status, code: 'revision_conflict', current });
                }

                expect((await server.call('GET', project.url)).body.project).to.equal(current);
            });
        }

        it('are written with the current one', async () => {
            const tries: [string, object, Record<string, string>][] = [
                ['PATCH', { title: 'a', revision: 2 }, {}], ['PATCH', { title: 'b' }, { 'if-match': '"3.1"' }],
                ['PATCH', { title: 'c' }, { 'if-match': '"other", "4.1-gzip"' }], ['PATCH', { title: 'd' }, { 'if-match': '*' }],
                ['PATCH', { title: 'e', revision: 6 }, { 'if-match': '"6.1"' }], ['DELETE', { revision: 7 }, { 'if-match': '"7.1"' }]
            ];
            for (const [index, [method, body, headers]] of tries.entries()) {
                const answer = await ada.call(method, project.url, body, { headers });
                expect(answer.status, answer.text).to.equal(200);
                expect(answer.body.project.revision).to.equal(index + 3);
            }
        });

        it('reject invalid revisions', async () => {
            const { url } = await ada.project();
            for (const revision of [0, -1, 1.5, '1', null, 2147483648]) {
                expect((await ada.call('PATCH', url, { title: 'x', revision })).status).to.equal(400);
                expect((await ada.call('DELETE', url, { revision })).status).to.equal(400);
            }
        });
    });

    it('list a user\'s own, newest first, with stats', async () => {
        const author = await openAuthor(server);
        const made = [await author.project(), await author.project(), await author.project()];
        const { status, body } = await server.call('GET', `/users/${author.id}/projects`);
        expect(status).to.equal(200);
        expect(body).to.equal({
            status: 'success', projects: made.reverse().map(({ thing }) => ({ ...thing, stats: { views: 0, remixes: 0 } })), next: null
        });
        expect((await server.call('GET', '/users/999999/projects')).status).to.equal(404);
        expect((await server.call('GET', `/users/${moderator.id}9999/projects`)).status).to.equal(404);
        expect(body.projects[0].id).to.match(ID);
        expect(body.projects[0].history.created_at).to.match(TIME);
    });
});
