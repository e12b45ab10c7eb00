import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { pathWith, routes, typeOf } from '../../routes/index';
import { openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the reads of a moderator', () => {
    let server: TestServer;
    let author: Author;
    let moderator: Author;
    let seen: number;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
        moderator = await openAuthor(server, undefined, { moderator: true });
    });

    const lines = async (): Promise<{ act: string; thing_id: string; moderator_id: string }[]> => (await server.database.db.raw('select act, thing_id::text, moderator_id::text from moderation_log order by id')).rows;
    const told = async (): Promise<string[]> => (await lines()).slice(seen).map(({ act, thing_id: id }) => `${act} ${id}`);
    const mark = async (): Promise<void> => {
        seen = (await lines()).length;
    };

    beforeEach(mark);

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    it('are noted on every route that names a project, whatever it answers', async () => {
        const named = routes.filter(({ path, unnoted }) => (path.includes('{project}') || path.endsWith('/bulk')) && unnoted === undefined);
        expect(named.length).to.be.above(35);
        for (const { key: route, method, path, query = '', body: valid = () => (method === 'GET' ? undefined : {}) } of named) {
            const source = await author.project();
            const made = route.includes('/upstream') ? await author.remix(source) : source;
            await author.call('PATCH', made.url, { visibility: 'private' });
            const pages = await author.call('GET', `${made.url}/pages`);
            const page = pages.body.pages[0].id;
            const { id: element } = await author.element({ url: `${made.url}/pages/${page}`, id: page, thing: {} });
            const { body: { comment } } = await author.call('POST', `${made.url}/comments`, { text: 'Mine' });
            const isBulk = route.endsWith('/bulk');
            const ids: Record<string, string> = { user: isBulk ? moderator.id : author.id, project: made.id, page, element, revision: '1', username: author.username, invitation: '1', class_id: '1', comment: comment.id };
            const url = pathWith(path, ids) + query;
            await mark();
            const body = valid(ids);
            const answer = await moderator.call(method, url, body, { headers: typeOf(path, body) });
            expect([400, 401, 404, 500], `${route}: ${answer.text.slice(0, 200)}`).to.not.include(answer.status);
            const reads = (await told()).filter((line) => line.startsWith('read'));
            expect(reads.map((line) => line.replace(/_history|_members/, '')), `${route} ${answer.status}`).to.include(`read ${made.id}`);
            // Once an hour is enough.
            await mark();
            await moderator.call(method, url, body);
            expect(await told(), route).to.not.include(`read ${made.id}`);
        }
    });

    it('are noted by HEAD too, and by nobody\'s but a moderator\'s request', async () => {
        const [project, other] = [await author.project({ visibility: 'private' }), await openAuthor(server)];
        expect((await other.call('GET', project.url)).status).to.equal(404);
        expect((await author.call('GET', project.url)).status).to.equal(200);
        expect(await told()).to.equal([]);
        expect((await moderator.call('HEAD', project.url)).status).to.equal(200);
        expect(await told()).to.equal([`read ${project.id}`]);
    });

    it('are not noted if nothing could be read', async () => {
        const project = await author.project({ visibility: 'private' });
        await server.database.db.raw('alter table pages rename to pages_away');
        const { status } = await moderator.call('GET', `${project.url}/pages`);
        await server.database.db.raw('alter table pages_away rename to pages');
        expect(status).to.equal(500);
        expect(server.faults.splice(0).join()).to.contain('does not exist');
        expect(await told()).to.equal([]);
    });

    it('are noted of projects that are not in the path: sources, ancestors and remixes', async () => {
        const source = await author.project({ title: 'Source' });
        const remix = await moderator.remix(source);
        await author.element(source.page, { attributes: { text: 'private words' } });
        await author.call('PATCH', source.url, { visibility: 'private' });
        await mark();
        const { status, body } = await moderator.call('GET', `${remix.url}/upstream`);
        expect([status, body.source.id]).to.equal([200, source.id]);
        expect(await told()).to.equal([`read ${source.id}`]);

        const [first, other] = [await author.project({ visibility: 'private' }), await openAuthor(server)];
        await author.call('PUT', `${first.url}/members/${other.username}`, { role: 'viewer' });
        const second: Made = await other.remix(first);
        await mark();
        const { body: { ancestors } } = await moderator.call('GET', `${second.url}/lineage`);
        expect(ancestors[0]).to.include({ id: first.id, available: true });
        expect((await told()).sort()).to.equal([`read ${first.id}`, `read ${second.id}`].sort());

        const [third, fourth] = [await author.project({ visibility: 'private' }), await author.project({ visibility: 'private' })];
        await server.database.db.raw('update projects set remixed_from = ? where id = ?', [third.id, fourth.id]);
        await mark();
        const { body: { projects } } = await moderator.call('GET', `${third.url}/remixes`);
        expect(projects.map(({ id }: Made) => id)).to.equal([fourth.id]);
        expect((await told()).sort()).to.equal([`read ${third.id}`, `read ${fourth.id}`].sort());
    });

    it('bring nothing private into a project of their own', async () => {
        const source = await author.project({ title: 'Source' });
        const remix = await moderator.remix(source);
        await author.element(source.page, { attributes: { text: 'private words' } });
        await author.call('PATCH', source.url, { visibility: 'private' });
        expect((await moderator.call('POST', `${remix.url}/upstream/pull`, {})).body.code).to.equal('source_unavailable');
        expect((await moderator.call('GET', `${remix.url}/pages`)).text).to.not.contain('private words');
        for (const fields of [{}, { visibility: 'public' }, { visibility: 'private' }]) {
            expect((await moderator.call('POST', `${source.url}/remixes`, fields)).body.code).to.equal('forbidden');
        }

        // A moderator who is a member has a member's rights.
        await author.call('PUT', `${source.url}/members/${moderator.username}`, { role: 'viewer' });
        expect((await moderator.call('POST', `${remix.url}/upstream/pull`, {})).status).to.equal(200);
        expect((await moderator.call('POST', `${source.url}/remixes`, {})).body.project.visibility).to.equal('private');
    });
});
