import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { moveNotices } from '../../../src/community/notices/outbox';
import { MAX_NOTICES } from '../../../src/community/notices/limits';
import { MAX_LISTED_BYTES } from '../../../src/limits';
import { count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const never = new AbortController().signal;

/** A notice, as it is shown. */
interface Shown {
    kind: string;
    by: object | null;
    project: { id: string } | null;
    comment?: string;
    statement?: string;
    count: number;
    read: boolean;
}

describe('notices', () => {
    let server: TestServer;
    let ada: Author;
    let ben: Author;
    let cem: Author;
    let mod: Author;

    before(async () => {
        server = await startTestServer();
        [ada, ben, cem] = await Promise.all([openAuthor(server), openAuthor(server), openAuthor(server)]);
        mod = await openAuthor(server, undefined, { moderator: true });
        await server.database.db.raw('update users set teacher = true where id = ?', [ada.id]);
    });

    after(() => server.stop());

    const sql = async (text: string, values: readonly (string | number)[] = []): Promise<void> => {
        await server.database.db.raw(text, values);
    };

    const move = (): Promise<boolean> => moveNotices(server.database.db, false, never);

    beforeEach(async () => {
        for (const table of ['notice_events', 'notices', 'notice_readers', 'blocks']) {
            await sql(`delete from ${table}`);
        }
    });

    const list = (who: Actor, query = ''): Promise<Answer> => {
        return server.call('GET', `/users/me/notices${query}`, undefined, { token: who.token });
    };


    /** Somebody's notices, after all events were moved. */
    const told = async (who: Actor): Promise<Answer['body']> => {
        await move();
        const { status, body, text } = await list(who);
        expect(status, text).to.equal(200);
        return body;
    };

    const ok = async (answer: Promise<Answer>, status = 200): Promise<Answer['body']> => {
        const { status: own, text, body } = await answer;
        expect(own, text).to.equal(status);
        return body;
    };

    /** Many notices of ada that are some hours old. */
    const fill = (many: number, kind: string, project: string, by: string): Promise<void> => sql(`
        insert into notices (user_id, kind, project_id, by_ids, things, count, at, first_at)
        select ?, ?, ?, array[?::bigint], '{0}', 1, now() - interval '2 hours', now() - interval '2 hours' from generate_series(1, ?::int)`, [ada.id, kind, project, by, many]);

    const kindsOf = (body: Answer['body']): string[] => body.notices.map(({ kind }: { kind: string }) => kind);
    const titled = ({ id, thing }: MadeProject, owner: Actor): object => ({ id, user_id: owner.id, title: thing.title });
    const named = ({ id, username }: Actor): object => ({ id, username });

    it('tell an author of a remix by somebody else, and not of their own', async () => {
        const project = await ada.project({ title: 'Basil' });
        await ben.remix(project);
        await ada.remix(project);
        const { notices: [notice, ...others], unread, next } = await told(ada);
        expect(others).to.equal([]);
        const { id, at } = notice;
        expect(notice).to.equal({ id, kind: 'remix', at, by: named(ben), project: titled(project, ada), count: 1, read: false });
        expect([unread, next, (await told(ben)).notices]).to.equal([1, null, []]);
    });

    it('tell the owner that a project is featured, but not by whom, and not a moderator of their own', async () => {
        const [project, own] = [await ada.project(), await mod.project()];
        await ok(mod.call('PATCH', `${project.url}/feature`, { featured: true }));
        await ok(mod.call('PATCH', `${own.url}/feature`, { featured: true }));
        const { notices: [notice] } = await told(ada);
        expect([notice.kind, notice.by, notice.project.id]).to.equal(['feature', null, project.id]);
        expect((await told(mod)).notices).to.equal([]);
        await ok(mod.call('PATCH', `${project.url}/feature`, { featured: false }));
        expect((await told(ada)).notices.length).to.equal(1);
    });

    it('tell whom the owner lets in; and the owner, who has joined by a code', async () => {
        const project = await ada.project({ visibility: 'private' });
        await ok(ada.call('PUT', `${project.url}/members/${ben.username}`, { role: 'viewer' }), 201);
        await ok(ada.call('PUT', `${project.url}/members/${ben.username}`, { role: 'editor' }));
        const { invitation } = await ok(ada.call('POST', `${project.url}/invitations`, { role: 'viewer', uses: 2 }), 201);
        await ok(cem.call('POST', '/invitations', { code: invitation.code }));
        const [{ notices: [first, ...more] }, { notices: [second] }] = [await told(ben), await told(ada)];
        expect([first.kind, first.by, first.project, more]).to.equal(['member', named(ada), titled(project, ada), []]);
        expect([second.kind, second.by, second.project]).to.equal(['member', named(cem), titled(project, ada)]);
        expect((await told(cem)).notices).to.equal([]);
    });

    it('tell the pupils of an assignment, the teachers of what is handed in, and the pupil of what is returned', async () => {
        const { class: { id }, code } = await ok(ada.call('POST', '/users/me/classes', { title: 'Year 5' }), 201);
        for (const pupil of [ben, cem]) {
            await ok(pupil.call('POST', '/classes', { code }));
        }

        const { assignment } = await ok(ada.call('POST', `/classes/${id}/assignments`, { title: 'A story' }), 201);
        const shown = { id: assignment.id, class_id: id, title: 'A story' };
        for (const pupil of [ben, cem]) {
            const { notices: [notice] } = await told(pupil);
            expect([notice.kind, notice.by, notice.project, notice.assignment]).to.equal(['assignment', null, null, shown]);
        }


        const works = `/classes/${id}/assignments/${assignment.id}/work`;
        const handIn = async (pupil: Author): Promise<string> => {
            const { work } = await ok(pupil.call('POST', works, {}), 201);
            await ok(pupil.call('PATCH', `${works}/${work.id}`, { state: 'handed_in' }));
            return `${works}/${work.id}`;
        };

        const [work] = [await handIn(ben), await handIn(cem)];
        const { notices: [notice, ...others] } = await told(ada);
        expect([notice.kind, notice.by, notice.assignment, notice.count, others]).to.equal(['handed_in', named(cem), shown, 2, []]);
        await ok(ada.call('PATCH', work, { state: 'returned', note: 'More basil' }));
        await ok(ada.call('PATCH', work, { state: 'accepted' }));
        const { notices: [returned] } = await told(ben);
        expect([returned.kind, returned.by, returned.assignment, returned.count]).to.equal(['returned', null, shown, 2]);
        expect(returned.project.user_id).to.equal(ben.id);
        // Whoever left the class is told nothing of it any more.
        await ok(ada.call('DELETE', `/classes/${id}/pupils/${cem.id}`, {}));
        expect(await told(cem)).to.include({ notices: [], unread: 0 });
        await ok(ada.call('DELETE', `/classes/${id}`, {}));
        expect((await told(ben)).notices).to.equal([]);
        expect(await told(ada)).to.include({ notices: [], unread: 0 });
    });

    it('of one kind on one project within an hour are one, newest and unread again', async () => {
        const [basil, thyme] = [await ada.project(), await ada.project()];
        await ben.remix(basil);
        const { notices: [first] } = await told(ada);
        await ok(ada.call('PUT', '/users/me/notices/read', { until: first.id }));
        expect((await told(ada)).unread).to.equal(0);
        await cem.remix(thyme);
        await cem.remix(basil);
        await mod.remix(basil);
        const { notices, unread } = await told(ada);
        expect(notices.map((one: Shown) => [one.project?.id, one.count, one.by, one.read])).to.equal([
            [basil.id, 3, named(mod), false], [thyme.id, 1, named(cem), false]
        ]);
        expect([unread, notices.every(({ id }: { id: string }) => BigInt(id) > BigInt(first.id))]).to.equal([2, true]);

        await sql(`update notices set first_at = first_at - interval '1 hour'`);
        await ben.remix(basil);
        expect((await told(ada)).notices.map((one: Shown) => one.count)).to.equal([1, 3, 1]);
    });

    it('tell of a follower once, however often they end it and follow again', async () => {
        for (const [at, who] of [ben, ben, cem, ben].entries()) {
            expect((await who.call('PUT', `/users/me/following/${ada.username}`, {})).status).to.equal(201);
            await ok(who.call('DELETE', `/users/me/following/${ada.username}`));
            await (at > 0 && move());
        }

        await sql(`update notices set first_at = first_at - interval '1 day'`);
        await ok(ben.call('PUT', `/users/me/following/${ada.username}`, {}), 201);
        expect((await told(ada)).notices.map((one: Shown) => [one.kind, one.count, one.by])).to.equal([['follow', 2, named(cem)]]);
    });

    it('are read up to one, which never goes back, and never to what is to come', async () => {
        const projects = [await ada.project(), await ada.project(), await ada.project()];
        for (const project of projects) {
            await ben.remix(project);
            await move();
        }

        const { notices: [, middle] } = await told(ada);
        const read = async (until: string): Promise<number> => (await ok(ada.call('PUT', '/users/me/notices/read', { until }))).unread;
        expect(await read(middle.id)).to.equal(1);
        expect(await read('1')).to.equal(1);
        expect((await told(ada)).notices.map((one: { read: boolean }) => one.read)).to.equal([false, true, true]);
        expect(await read('9223372036854775807')).to.equal(0);
        await cem.remix(await ada.project());
        expect((await told(ada)).unread).to.equal(1);
    });

    it('are not made by whom one has blocked, and those that were made go', async () => {
        const project = await ada.project();
        await ben.remix(project);
        expect((await told(ada)).unread).to.equal(1);
        await cem.remix(project);
        expect((await told(ada)).notices[0].count).to.equal(2);
        await sql('insert into blocks (user_id, blocked_id) values (?, ?)', [ada.id, ben.id]);
        expect((await told(ada)).notices.map((one: Shown) => [one.count, one.by])).to.equal([[1, named(cem)]]);
        await sql('insert into blocks (user_id, blocked_id) values (?, ?)', [ada.id, cem.id]);
        expect(await told(ada)).to.include({ notices: [], unread: 0 });
        await ben.remix(project);
        await move();
        expect(await count(server, 'from notices where user_id = ? and 1 < count', [ada.id])).to.equal(1);
        expect(await count(server, 'from notice_events')).to.equal(0);
    });

    it('of a project that one may not read any more are gone at once, and are not counted', async () => {
        const holdOf = ({ id }: MadeProject): string => `/moderation/projects/${id}/hold`;
        const losing: [string, (project: MadeProject) => Promise<unknown>, ((project: MadeProject) => Promise<unknown>)?][] = [
            ['membership', (project) => ada.call('DELETE', `${project.url}/members/${ben.username}`)],
            ['deletion', (project) => ada.call('DELETE', project.url)],
            ['hold', (project) => mod.call('PUT', holdOf(project), { reason: 'A look' }), (project) => mod.call('DELETE', holdOf(project), {})]
        ];
        for (const [what, lose, back] of losing) {
            const project = await ada.project({ visibility: 'private', title: `Secret of ${what}` });
            await ok(ada.call('PUT', `${project.url}/members/${ben.username}`, { role: 'viewer' }), 201);
            expect((await told(ben)).unread, what).to.equal(1);
            await lose(project);
            const { text, body } = await list(ben);
            expect([body.notices, body.unread, text.includes('Secret')], what).to.equal([[], 0, false]);
            if (back !== undefined) {
                await back(project);
                expect((await list(ben)).body.unread, what).to.equal(1);
            }

            await sql('delete from notices');
        }
    });

    it('do not count what somebody did who is blocked, also if it is more than can be told apart', async () => {
        const project = await ada.project({ visibility: 'public' });
        for (const who of [...Array.from({ length: 8 }, () => ben), cem]) {
            expect((await who.call('POST', `${project.url}/comments`, { text: 'x' })).status).to.equal(201);
        }

        expect((await told(ada)).notices.map((one: Shown) => one.count)).to.equal([9]);
        await sql('insert into blocks (user_id, blocked_id) values (?, ?)', [ada.id, ben.id]);
        expect((await told(ada)).notices.map((one: Shown) => [one.count, one.by])).to.equal([[1, named(cem)]]);
    });

    it('of a remix that becomes private go out of the count', async () => {
        const project = await ada.project();
        const [first, second] = [await ben.remix(project), await cem.remix(project)];
        expect((await told(ada)).notices.map((one: Shown) => one.count)).to.equal([2]);
        await ok(cem.call('PATCH', second.url, { visibility: 'private' }));
        expect((await told(ada)).notices.map((one: Shown) => [one.count, one.by])).to.equal([[1, named(ben)]]);
        await ok(ben.call('DELETE', first.url));
        expect(await told(ada)).to.include({ notices: [], unread: 0 });
    });

    it('are not made of what one may not read by then, or by an account that is gone', async () => {
        const [project, other] = [await ada.project({ visibility: 'private' }), await ada.project()];
        const dan = await openAuthor(server);
        await ok(ada.call('PUT', `${project.url}/members/${ben.username}`, { role: 'viewer' }), 201);
        await ok(ada.call('DELETE', `${project.url}/members/${ben.username}`));
        await dan.remix(other);
        await sql('update users set deleted_at = now() where id = ?', [dan.id]);
        await move();
        expect([await count(server, 'from notices'), await count(server, 'from notice_events')]).to.equal([0, 0]);
    });

    it('are moved by one instance at a time, none twice and none lost, also if it is killed', async () => {
        const project = await ada.project();
        await ben.remix(project);
        // As if it were killed between the two: what is to be taken out cannot be.
        await sql(`create function refused() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`);
        await sql('create trigger refused before delete on notice_events for each row execute function refused()');
        await expect(move()).to.reject();
        expect([await count(server, 'from notices'), await count(server, 'from notice_events')]).to.equal([0, 1]);
        await sql('drop trigger refused on notice_events');
        await sql('drop function refused');
        await Promise.all([move(), move(), move()]);
        expect((await told(ada)).notices.map((one: Shown) => one.count)).to.equal([1]);
        expect(await move()).to.equal(false);
    });

    it('are made with what they tell of, or not at all', async () => {
        const project = await ada.project();
        await sql(`alter table notice_events add constraint none check (kind <> 'remix')`);
        expect((await ben.call('POST', `${project.url}/remixes`, {})).status).to.equal(500);
        await sql('alter table notice_events drop constraint none');
        server.faults.splice(0);
        expect(await count(server, 'from projects where remixed_from = ?', [project.id])).to.equal(0);
    });

    it('are kept up to a number', async () => {
        await fill(MAX_NOTICES, 'follow', '0', ben.id);
        await ben.remix(await ada.project());
        expect((await told(ada)).unread).to.equal(MAX_NOTICES);
        expect(await count(server, 'from notices where user_id = ?', [ada.id])).to.equal(MAX_NOTICES);
    });

    it('fill pages and are counted also behind many that one may not see, or only in part', async () => {
        await fill(5, 'follow', '0', ben.id);
        await sql('update notices set by_ids = by_ids || ?::bigint, things = things || 0::bigint, count = 2 where user_id = ?', [cem.id, ada.id]);
        await fill(200, 'follow', '0', cem.id);
        await sql('insert into blocks (user_id, blocked_id) values (?, ?)', [ada.id, cem.id]);
        const [first, { body: all }] = [(await list(ada, '?count=3')).body, await list(ada)];
        const second = (await list(ada, `?count=3&after=${first.next}`)).body;
        expect([first, second, all].map(({ notices, unread, next }) => [notices.length, unread, next === null])).to.equal([[3, 5, false], [2, 5, true], [5, 5, true]]);
        expect([...first.notices, ...second.notices]).to.equal(all.notices);
        expect(all.notices.map((one: Shown) => [one.count, one.by])).to.equal(Array.from({ length: 5 }, () => [1, named(ben)]));
        const { unread } = await ok(ada.call('PUT', '/users/me/notices/read', { until: all.notices[3].id }));
        expect(unread).to.equal(3);
    });

    it('are listed in pages, which are bounded in bytes', async () => {
        const project = await ada.project({ title: '"'.repeat(256) });
        await fill(150, 'feature', project.id, '0');
        const seen: string[] = [];
        for (let query = '?count=100'; ;) {
            const { body, text, headers } = await list(ada, query);
            expect(Buffer.byteLength(text)).to.be.below(MAX_LISTED_BYTES + 1000);
            seen.push(...body.notices.map(({ id }: { id: string }) => id));
            expect(body.unread).to.equal(150);
            if (body.next === null) {
                expect(headers.link).to.be.undefined();
                break;
            }

            query = `?count=100&after=${body.next}`;
            expect(headers.link).to.equal(`</users/${ada.id}/notices?count=100&after=${body.next}>; rel="next"`);
        }

        expect([seen.length, new Set(seen).size]).to.equal([150, 150]);
        expect((await list(ada)).body.notices.length).to.equal(10);
    });

    it('are their own user\'s alone', async () => {
        for (const [who, status] of [[ben, 403], [mod, 403], [ada, 200]] as const) {
            for (const [method, path, body] of [['GET', '', undefined], ['PUT', '/read', { until: '1' }], ['GET', '/events', undefined]] as const) {
                const answer = await server.call(method, `/users/${ada.id}/notices${path}`, body, { token: who.token });
                expect(answer.status, `${method} ${path}`).to.equal(status);
            }
        }

        expect((await server.call('GET', `/users/${ada.id}/notices`)).status).to.equal(401);
        for (const body of [{}, { until: 1 }, { until: 'x' }, { until: '1', more: 1 }]) {
            expect((await ada.call('PUT', '/users/me/notices/read', body)).status).to.equal(400);
        }
    });

    it('of comments are there as long as these are', async () => {
        const project = await ada.project();
        const comment = async (kind: string): Promise<string> => {
            const { rows: [{ id }] } = await server.database.db.raw(`
                insert into comments (project_id, thread_id, reply_to, user_id, text) values (?, 0, 0, ?, 'Nice') returning id`, [project.id, ben.id]);
            await sql(`
                insert into notice_events (project_id, user_id, kind, by_id, thing_id)
                values (?, ?, ?, ?, ?)`, [project.id, ada.id, kind, ben.id, id]);
            return id;
        };

        const [one, other] = [await comment('comment'), await comment('comment')];
        await comment('mention');
        expect(kindsOf(await told(ada)).sort()).to.equal(['comment', 'mention']);
        const counted = async (): Promise<unknown> => {
            const { notices } = await told(ada);
            return notices.filter(({ kind }: Shown) => kind === 'comment').map((notice: Shown) => [notice.comment, notice.count]);
        };

        expect(await counted()).to.equal([[other, 2]]);
        await sql(`update comments set removed_at = now(), removed_by = 'author' where id = ?`, [other]);
        expect(await counted()).to.equal([[one, 1]]);
        await sql('update comments set held_at = now() where id = ?', [one]);
        expect(await counted()).to.equal([]);
    });

    it('of a decision are there also if the project is not', async () => {
        const project = await ada.project({ title: 'Removed' });
        for (const [about, kind, thing] of [[project.id, 'decision', 7], [project.id, 'decision', 8], ['0', 'follow', 0]] as const) {
            await sql('insert into notice_events (project_id, user_id, kind, thing_id) values (?, ?, ?, ?)', [about, ada.id, kind, thing]);
        }

        await ok(ada.call('DELETE', project.url));
        const { notices } = await told(ada);
        expect(notices.map((one: Shown) => [one.kind, one.statement, one.project, one.by])).to.equal([
            ['follow', undefined, null, null], ['decision', '8', null, null], ['decision', '7', null, null]
        ]);
    });
});
