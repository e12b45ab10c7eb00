import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor, startWhileLocked, TIME } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a project that is held', () => {
    let server: TestServer;
    let author: Author;
    let editor: Author;
    let stranger: Author;
    let moderator: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        [stranger, editor, author] = [await openAuthor(server), await openAuthor(server), await openAuthor(server)];
        await stranger.project();
        moderator = await openAuthor(server, undefined, { moderator: true });
    });

    beforeEach(async () => {
        project = await author.project({ title: 'Heldenlied', description: '#heldenlied' });
        await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'editor')`, [project.id, editor.id]);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const hold = (reason = 'Spam', by = moderator): Promise<Answer> => by.call('PUT', `/moderation/projects/${project.id}/hold`, { reason });
    const release = (by = moderator): Promise<Answer> => by.call('DELETE', `/moderation/projects/${project.id}/hold`);
    const paths = (): string[] => ['', '/pages', `/pages/${project.page.id}`, `/pages/${project.page.id}/elements`, '/remixes', '/changes?since=0', '/events'].map((path) => `${project.url}${path}`).concat(`/projects/${project.id}`);

    it('is readable by its owner and by moderators alone', async () => {
        const { body } = await hold();
        expect(body.project.author.id).to.equal(author.id);
        const { at, ...held } = body.project.held;
        expect([body.status, held, body.project.id, body.project.revision]).to.equal(['updated', { reason: 'Spam' }, project.id, 1]);
        expect(at).to.match(TIME);
        for (const path of paths()) {
            const answers = await Promise.all([server.call('GET', path), ...[stranger, editor, author, moderator].map((one) => one.call('GET', path))]);
            expect(answers.map(({ status }) => status), path).to.equal([404, 404, 404, 200, 200]);
            for (const { headers } of answers.slice(3)) {
                expect(headers['cache-control'], path).to.equal('private, no-cache');
            }
        }

        for (const [one, status] of [[editor, 404], [author, 200], [moderator, 200]] as const) {
            expect((await one.call('GET', `${project.url}/history`)).status).to.equal(status);
        }

        expect((await author.call('GET', project.url)).body.project.held).to.equal({ reason: 'Spam', at });
    });

    it('is in no list, no tag and no count', async () => {
        const remix = await stranger.remix(project);
        const seen = async (): Promise<string[]> => {
            const lists = ['/projects?count=100', '/projects/tagged/heldenlied?count=100', '/discover?count=100', `/users/${author.id}/projects?count=100`];
            const answers = await Promise.all(lists.map((list) => server.call('GET', list)));
            const { body: { featured } } = await server.call('GET', '/featured-tags');
            return [...answers.map(({ body }) => String(body.projects.filter(({ id }: { id: string }) => id === project.id).length)), featured.includes('heldenlied') ? '1' : '0'];
        };

        const remixes = async (): Promise<number> => (await author.call('GET', `/projects/${project.id}`)).body.project.stats.remixes;

        await moderator.call('PATCH', `${project.url}/feature`, { featured: true });
        expect([await seen(), await remixes()]).to.equal([['1', '1', '1', '1', '1'], 1]);
        await moderator.call('PUT', `/moderation/projects/${remix.id}/hold`, { reason: 'Spam' });
        expect(await remixes()).to.equal(0);
        await hold();
        expect(await seen()).to.equal(['0', '0', '0', '0', '0']);
        const { body: { projects } } = await author.call('GET', `/users/${author.id}/projects?visibility=all&count=1`);
        expect(projects[0]).to.include({ id: project.id });
        expect(projects[0].held.reason).to.equal('Spam');
        await release();
        expect(await seen()).to.equal(['1', '1', '1', '1', '1']);
    });

    it('can be edited and deleted by its owner, but not released, made a member of, or remixed', async () => {
        await hold();
        expect((await author.call('PATCH', project.url, { title: 'Better' })).body.project).to.include({ title: 'Better' });
        await author.element(project.page);
        expect((await author.call('PATCH', project.url, { visibility: 'public' })).body.project.held.reason).to.equal('Spam');
        expect((await server.call('GET', project.url)).status).to.equal(404);
        expect((await editor.call('PATCH', project.url, { title: 'Better' })).status).to.equal(404);
        expect((await release(author)).body).to.include({ code: 'forbidden', message: 'Only moderators can do this.' });
        for (const [one, status, code] of [[author, 403, 'held'], [moderator, 403, 'held'], [editor, 404, 'not_found'], [stranger, 404, 'not_found']] as const) {
            const { status: answered, body } = await one.call('POST', `${project.url}/remixes`, {});
            expect([answered, body.code]).to.equal([status, code]);
        }

        expect((await stranger.call('POST', `/projects/${project.id}/reports`, { reason: 'spam' })).status).to.equal(404);
        expect((await stranger.call('POST', `/view-project/${project.id}`)).status).to.equal(404);
        expect((await author.call('DELETE', project.url, {})).status).to.equal(200);
    });

    it('is as before when it is released', async () => {
        const revision = async (): Promise<[number, unknown]> => {
            const { body, headers } = await author.call('GET', project.url);
            return [body.project.revision, headers.etag];
        };

        const before_ = await revision();
        await hold();
        const during = await revision();
        expect(during[0]).to.equal(before_[0]);
        expect(during[1]).to.not.equal(before_[1]);
        await hold('Also hurtful');
        expect((await author.call('GET', project.url, undefined, { headers: { 'if-none-match': String(during[1]) } })).body.project.held.reason).to.equal('Also hurtful');
        const { body } = await release();
        expect(body.project.held).to.be.undefined();
        expect(await revision()).to.equal(before_);
        expect((await server.call('GET', project.url)).status).to.equal(200);
        expect((await editor.call('PATCH', project.url, { title: 'Better' })).status).to.equal(200);
        expect((await author.call('GET', `${project.url}/history`)).body.changes.map(({ kind }: { kind: string }) => kind)).to.equal(['edit', 'create']);
        expect((await release()).body).to.include({ code: 'not_found', message: 'There is no such hold of this project, or it has been deleted.' });
    });

    it('is released once, also if several do it at the same time', async () => {
        await hold();
        const answers = await startWhileLocked(server, ['projects', project.id], [release, release]);
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 404]);
    });

    it('closes its reports, and comes from them', async () => {
        const report = (by: Author): Promise<Answer> => by.call('POST', `/projects/${project.id}/reports`, { reason: 'hurtful' });
        const queued = async (): Promise<boolean> => (await moderator.call('GET', '/moderation/reports?count=100')).body.reports.some((one: Answer['body']) => one.project.id === project.id);
        await report(stranger);
        expect(await queued()).to.be.true();
        await hold();
        expect(await queued()).to.be.false();
        await release();
        await author.call('PATCH', project.url, { title: 'Worse' });
        await report(editor);
        expect(await queued()).to.be.true();
        const { body } = await moderator.call('PATCH', `/moderation/reports/${project.id}`, { state: 'held', note: 'As before' });
        expect(body.report).to.include({ state: 'held', count: 1 });
        expect(await queued()).to.be.false();
        expect((await author.call('GET', project.url)).body.project.held.reason).to.equal('As before');
        expect((await server.call('GET', project.url)).status).to.equal(404);
    });

    it('needs a project that is there, and a reason', async () => {
        for (const wrong of [{}, { reason: '' }, { reason: 'x'.repeat(1001) }, { reason: 'Spam', until: '2036-01-01T00:00:00Z' }]) {
            expect((await moderator.call('PUT', `/moderation/projects/${project.id}/hold`, wrong)).status).to.equal(400);
        }

        expect((await moderator.call('PUT', '/moderation/projects/999999/hold', { reason: 'Spam' })).status).to.equal(404);
        expect((await moderator.call('DELETE', '/moderation/projects/999999/hold')).status).to.equal(404);
        for (const id of ['999999', project.id]) {
            expect((await stranger.call('PUT', `/moderation/projects/${id}/hold`, { reason: 'Spam' })).body).to.include({ statusCode: 403, message: 'Only moderators can do this.' });
        }
    });
});
