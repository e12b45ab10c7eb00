import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_CHEAP_BYTES } from '../../../src/limits';
import { openAuthor, TIME } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the moderation log', () => {
    let server: TestServer;
    let author: Author;
    let moderator: Author;
    let other: Author;
    let seen: string;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
        other = await openAuthor(server);
        moderator = await openAuthor(server, undefined, { moderator: true });
    });

    const last = async (): Promise<string> => (await server.database.db.raw('select count(*)::text as lines from moderation_log')).rows[0].lines;

    beforeEach(async () => {
        seen = await last();
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** The entries of this test, oldest first. */
    const entries = async (): Promise<Answer['body'][]> => {
        const count = Number(await last()) - Number(seen);
        const { body } = await moderator.call('GET', '/moderation/log?count=100');
        return count === 0 ? [] : body.entries.slice(0, count).reverse();
    };

    const told = async (): Promise<string[]> => (await entries()).map(({ act, target, reason }) => `${act} ${target.type} ${target.id}${reason === null ? '' : `: ${reason}`}`);
    const hold = (project: { id: string }, reason: string): Promise<Answer> => moderator.call('PUT', `/moderation/projects/${project.id}/hold`, { reason });

    it('says who decided what about whose project, and why', async () => {
        const [kept, held, removed] = [await author.project(), await author.project(), await author.project()];
        for (const [project, state] of [[kept, 'kept'], [held, 'held'], [removed, 'removed']] as const) {
            await other.call('POST', `/projects/${project.id}/reports`, { reason: 'spam' });
            expect((await moderator.call('PATCH', `/moderation/reports/${project.id}`, { state, note: `It is ${state}` })).status).to.equal(200);
        }

        await moderator.call('DELETE', `/moderation/projects/${held.id}/hold`);
        await hold(held, 'Again');
        await moderator.call('PUT', `/moderation/users/${author.id}/suspension`, { reason: 'Three times' });
        await moderator.call('DELETE', `/moderation/users/${author.id}/suspension`);
        expect(await told()).to.equal([
            `keep project ${kept.id}: It is kept`, `hold project ${held.id}: It is held`, `remove project ${removed.id}: It is removed`, `release project ${held.id}`, `hold project ${held.id}: Again`,
            `suspend user ${author.id}: Three times`, `unsuspend user ${author.id}`
        ]);
        const [first, ...rest] = await entries();
        expect(first.at).to.match(TIME);
        expect({ ...first, at: '' }).to.equal({
            at: '', moderator: { id: moderator.id, username: moderator.username }, act: 'keep', reason: 'It is kept',
            target: { type: 'project', id: kept.id, project_id: kept.id, owner: { id: author.id, username: author.username } }
        });
        expect(rest.at(-1).target).to.equal({ type: 'user', id: author.id, project_id: null, owner: { id: author.id, username: author.username } });
    });

    it('has what a request that failed tried to do in no line', async () => {
        const project = await author.project();
        expect((await moderator.call('DELETE', `/moderation/projects/${project.id}/hold`)).status).to.equal(404);
        expect((await moderator.call('DELETE', project.url, { revision: 7 })).status).to.equal(409);
        expect((await moderator.bulk([{ type: 'projects', method: 'remove', data: { id: project.id } }, { type: 'projects', method: 'remove', data: { id: '999999' } }])).status).to.equal(404);
        const own = await moderator.project();
        const taken = { type: 'pages', method: 'create', data: { projectId: own.id, x: 0, y: 7 } };
        expect((await moderator.bulk([taken, taken])).status).to.equal(409);
        expect((await other.call('DELETE', project.url, {})).status).to.equal(403);
        expect(await told()).to.equal([]);
    });

    it('has no read that the service could not answer', async () => {
        await server.database.db.raw('alter table trash rename to trash_away');
        expect((await moderator.call('GET', `/users/${other.id}/trash`)).status).to.equal(500);
        await server.database.db.raw('alter table trash_away rename to trash');
        expect(server.faults.splice(0)).to.have.length(1);
        expect(await told()).to.equal([]);
        expect((await moderator.call('GET', `/users/${other.id}/trash`)).status).to.equal(200);
        expect(await told()).to.equal([`read_trash user ${other.id}`]);
    });

    it('has what moderators feature, remove, restore and delete for good, by whichever route', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 1 });
        const [one, two, three] = [await author.element(page), await author.element(page), await author.element(page)];
        await moderator.call('PATCH', `${project.url}/feature`, { featured: true });
        await moderator.call('PATCH', `${project.url}/feature`, { featured: true });
        await moderator.call('PATCH', `${project.url}/feature`);
        await moderator.call('DELETE', one.url);
        await moderator.bulk([{ type: 'elements', method: 'remove', data: { id: two.id } }, { type: 'pages', method: 'remove', data: { id: page.id } }]);
        await moderator.call('DELETE', project.url);
        const expected = [`feature project ${project.id}`, `unfeature project ${project.id}`, `remove element ${one.id}`, `remove element ${two.id}`, `remove page ${page.id}`, `remove project ${project.id}`];
        // A bulk stores its pages before its elements.
        expect((await told()).sort()).to.equal(expected.sort());
        expect((await entries()).map(({ target }) => target.project_id)).to.equal(Array(6).fill(project.id));

        seen = await last();
        const { body: { trash } } = await moderator.call('GET', `/users/${author.id}/trash`);
        for (const [kind, id, method, rest] of [['project', project.id, 'POST', '/restore'], ['page', page.id, 'POST', '/restore'], ['element', one.id, 'DELETE', '']] as const) {
            const entry = trash.find(({ type, thing }: Answer['body']) => type === kind && thing.id === id);
            expect((await moderator.call(method, `/users/${author.id}/trash/${entry.id}${rest}`, {})).status).to.equal(200);
        }

        expect(await told()).to.equal([`read_trash user ${author.id}`, `restore project ${project.id}`, `restore page ${page.id}`, `purge element ${one.id}`]);
        expect((await author.call('GET', three.url)).status).to.equal(200);
    });

    it('has nothing of what authors and their editors do', async () => {
        const project = await author.project();
        const [page, element] = [await author.page(project, { x: 1, y: 1 }), await author.element(project.page)];
        await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'editor')`, [project.id, other.id]);
        expect((await other.call('DELETE', element.url)).status).to.equal(200);
        await author.call('DELETE', page.url);
        const { body: { trash: [entry] } } = await author.call('GET', `/users/${author.id}/trash`);
        await author.call('POST', `/users/${author.id}/trash/${entry.id}/restore`, {});
        await author.call('GET', `${project.url}/history`);
        await author.call('DELETE', project.url);
        // A moderator's own projects are theirs.
        const own = await moderator.project({ visibility: 'private' });
        await moderator.call('GET', own.url);
        await moderator.call('GET', `${own.url}/history`);
        await moderator.call('DELETE', own.url);
        await moderator.call('GET', `/users/${moderator.id}/trash`);
        expect(await told()).to.equal([]);
    });

    it('has every read of a private project, whichever route shows it', async () => {
        const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
        const reads = Object.entries<object>(paths).filter(([path, methods]) => path.includes('{project}') && 'get' in methods).map(([path]) => path);
        expect(reads.length).to.be.at.least(11);
        for (const path of reads) {
            seen = await last();
            // What the source of a remix changed can only be read of a remix.
            const made = await author.project();
            const element = await author.element(made.page);
            const project = path.endsWith('/upstream') ? await author.remix(made) : made;
            await author.call('PATCH', project.url, { visibility: 'private' });
            const ids: Record<string, string> = { user: author.id, project: project.id, page: made.page.id, element: element.id, revision: '1' };
            const url = path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? '') + (path.endsWith('/changes') ? '?since=0' : '');
            expect((await server.call('GET', url, undefined, { token: other.token })).status, url).to.be.within(403, 404);
            expect((await author.call('GET', url)).status, url).to.equal(200);
            expect(await told(), url).to.equal([]);
            // Once an hour is enough.
            for (let again = 0; again < 2; ++again) {
                // The invitations and the classes are for the owner alone. Their 403 tells that the project exists, which is noted too.
                expect((await moderator.call('GET', url)).status, url).to.equal(/\/(?:invitations|classes)$/.test(path) ? 403 : 200);
                expect((await told()).map((line) => line.replace(/_history|_members/, '')), url).to.equal([`read project ${project.id}`]);
            }
        }
    });

    it('has reads in the queue and of who tries to remix, and again after an hour, but not those of members', async () => {
        const project = await author.project({ visibility: 'private' });
        await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'viewer')`, [project.id, other.id]);
        expect((await other.call('POST', `/projects/${project.id}/reports`, { reason: 'hurtful' })).status).to.equal(201);
        await moderator.call('GET', '/moderation/reports');
        expect(await told()).to.equal([`read project ${project.id}`]);
        await moderator.call('GET', project.url);
        expect((await told()).length).to.equal(1);
        const { db } = server.database;
        await db.raw(`
            alter table moderation_log disable trigger moderation_log_kept;
            update moderation_log set at = at - interval '1 hour' where project_id = ${project.id};
            alter table moderation_log enable trigger moderation_log_kept`);
        await moderator.call('GET', project.url);
        expect((await told()).length).to.equal(2);
        const second = await openAuthor(server, undefined, { moderator: true });
        await second.call('GET', project.url);
        expect((await entries()).slice(2).map((entry) => [entry.act, entry.moderator.id])).to.equal([['read', second.id]]);
        seen = await last();

        const another = await author.project({ visibility: 'private' });
        expect((await moderator.call('POST', `${another.url}/remixes`, {})).status).to.equal(403);
        expect(await told()).to.equal([`read project ${another.id}`]);
        const shared = await author.project({ visibility: 'private' });
        await db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'viewer')`, [shared.id, moderator.id]);
        await moderator.call('GET', shared.url);
        expect((await told()).length).to.equal(1);
        // A hold is not for members, so that one is read by the moderator.
        await hold(shared, 'Spam');
        await moderator.call('GET', shared.url);
        expect((await told()).slice(1)).to.equal([`hold project ${shared.id}: Spam`, `read project ${shared.id}`]);
    });

    it('has what a conflict showed to a moderator, but not to members', async () => {
        const project = await author.project();
        const element = await author.element(project.page);
        const remove = (url: string): Promise<Answer> => moderator.call('DELETE', url, { revision: 7 });
        const conflicts = [
            () => remove(project.url), () => remove(project.page.url), () => remove(element.url), () => moderator.call('PATCH', `${project.url}/feature`, { revision: 7 }),
            () => moderator.call('DELETE', project.url, {}, { headers: { 'if-match': '"other"' } }), () => moderator.bulk([{ type: 'elements', method: 'remove', data: { id: element.id, revision: 7 } }]),
            () => moderator.bulk([{ type: 'projects', method: 'remove', data: { id: project.id, revision: 7 } }])
        ];
        const answered = async (): Promise<string[]> => {
            for (const conflict of conflicts) {
                const { status, text } = await conflict();
                expect([409, 412], text).to.include(status);
            }

            return told();
        };

        expect(await answered()).to.equal([]);
        await author.call('PATCH', project.url, { visibility: 'private' });
        for (const conflict of conflicts) {
            seen = await last();
            const { body } = await conflict();
            expect(body.code).to.equal('revision_conflict');
            expect(await told()).to.equal([`read project ${project.id}`]);
            await server.database.db.raw(`
                alter table moderation_log disable trigger moderation_log_kept;
                update moderation_log set at = at - interval '1 hour' where project_id = ${project.id};
                alter table moderation_log enable trigger moderation_log_kept`);
        }

        seen = await last();
        await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'editor')`, [project.id, moderator.id]);
        expect(await answered()).to.equal([]);
    });

    it('has no read of what everybody may see', async () => {
        for (const visibility of ['public', 'unlisted']) {
            const project: MadeProject = await author.project({ visibility });
            for (const path of ['', '/pages', '/remixes', '/changes?since=0', '/events']) {
                expect((await moderator.call('GET', `${project.url}${path}`)).status).to.equal(200);
            }

            await moderator.remix(project);
            await other.call('POST', `/projects/${project.id}/reports`, { reason: 'spam' });
        }

        await moderator.call('GET', '/moderation/reports');
        expect(await told()).to.equal([]);
    });

    it('can only grow, whatever the code does', async () => {
        const { db } = server.database;
        await hold(await author.project(), 'Spam');
        // A cluster sends what is of no row to no shard, and truncates (docs/citus.md).
        const notOnNodes = isCluster ? [] : ['truncate moderation_log', 'delete from moderation_log where false'];
        for (const sql of [`update moderation_log set reason = 'x'`, 'delete from moderation_log', `update moderation_log set act = 'keep' where id = 0`, ...notOnNodes]) {
            const error = await db.raw(sql).then(() => undefined, (thrown) => thrown);
            expect(error?.message, sql).to.contain('The moderation log can only grow');
        }

        expect((await told()).length).to.equal(1);
    });

    it('outlives the accounts and the project that it is about', async () => {
        const [leaving, author_] = [await openAuthor(server, undefined, { moderator: true }), await openAuthor(server)];
        const project = await author_.project();
        await leaving.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'Spam' });
        await server.database.db.raw('delete from users where id in (?, ?)', [leaving.id, author_.id]);
        const [entry] = await entries();
        expect(entry.moderator).to.equal({ id: leaving.id, username: leaving.username });
        expect(entry.target).to.equal({ type: 'project', id: project.id, project_id: project.id, owner: { id: author_.id, username: author_.username } });
    });

    it('is read in pages, newest first', async () => {
        const project = await author.project();
        for (let n = 0; n < 5; ++n) {
            await hold(project, `Reason ${n}`);
        }

        const reasons: string[] = [];
        for (let next: string | null = '', pages = 0; next !== null && pages < 3; ++pages) {
            const { body }: Answer = await moderator.call('GET', `/moderation/log?count=2${next === '' ? '' : `&after=${next}`}`);
            reasons.push(...body.entries.map(({ reason }: { reason: string }) => reason));
            next = body.next;
        }

        expect(reasons.slice(0, 5)).to.equal(['Reason 4', 'Reason 3', 'Reason 2', 'Reason 1', 'Reason 0']);
        const { body } = await moderator.call('GET', `/moderation/log?count=100`);
        expect([body.entries.length > 5, body.next]).to.equal([true, null]);
        expect((await other.call('GET', '/moderation/log')).status).to.equal(403);
    });

    it('has pages of few bytes, however long the reasons are', async () => {
        await server.database.db.raw(`
            insert into moderation_log (act, type, thing_id, owner_id, owner_name, reason) select 'hold', 'user', n, n, 'x', repeat('\u{1F400}', 1000) from generate_series(1, 100) n`);
        const { text, body } = await moderator.call('GET', '/moderation/log?count=100');
        expect(Buffer.byteLength(text)).to.be.at.most(MAX_CHEAP_BYTES);
        const rest = await moderator.call('GET', `/moderation/log?count=100&after=${body.next}`);
        expect([...body.entries, ...rest.body.entries].map(({ target }: { target: { id: string } }) => target.id)).to.equal(
            Array.from({ length: body.entries.length + rest.body.entries.length }, (_one, n) => String(100 - n)));
    });
});
