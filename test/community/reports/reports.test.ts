import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_TOLD_REPORTERS } from '../../../src/community/reporters/tell';
import { MAX_REPORTS_A_DAY, REPORTS_TO_REOPEN } from '../../../src/limits';
import { openAuthor, TIME } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

type Body = Answer['body'];

describe('reports of comments and people', () => {
    let server: TestServer;
    let author: Author;
    let troll: Author;
    let moderator: Author;
    let readers: Author[];
    let project: MadeProject;
    let serial = 600_000_000;

    const db = (): TestServer['database']['db'] => server.database.db;

    before(async () => {
        server = await startTestServer();
        [author, troll, moderator] = [await openAuthor(server), await openAuthor(server), await openAuthor(server, undefined, { moderator: true })];
        readers = await Promise.all(Array.from({ length: 2 + REPORTS_TO_REOPEN }, () => openAuthor(server)));
    });

    beforeEach(async () => {
        await db().raw('truncate reports, report_queue, thing_reports, thing_report_queue, comments, notice_events');
        project = await author.project({ title: 'Garden' });
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** Adds a comment of the troll, or somebody else. */
    const comment = async ({ by = troll, on = project, text = 'Ugly', set = '' } = {}): Promise<string> => {
        const id = String(++serial);
        await db().raw('insert into comments (project_id, id, user_id, text, page_id, mentions) values (?, ?, ?, ?, ?, array[?::bigint])', [on.id, id, by.id, text, on.page.id, author.id]);
        if (set !== '') {
            await db().raw(`update comments set ${set} where id = ?`, [id]);
        }

        return id;
    };

    const reader = (n: number): Author => readers[n] ?? author;
    const reportComment = (id: string, by: Author, reason = 'hurtful', text?: string): Promise<Answer> => by.call('POST', `/comments/${id}/reports`, { reason, ...text !== undefined && { text } });
    const reportUser = (id: string, by: Author, reason = 'hurtful'): Promise<Answer> => by.call('POST', `/users/${id}/reports`, { reason });
    const reportProject = (by: Author, of = project): Promise<Answer> => by.call('POST', `/projects/${of.id}/reports`, { reason: 'spam' });
    const queue = async (query = ''): Promise<Body[]> => (await moderator.call('GET', `/moderation/reports?count=100${query}`)).body.reports;
    const decide = (path: string, state: string, more: object = {}, by = moderator): Promise<Answer> => by.call('PATCH', `/moderation/reports/${path}`, { state, note: 'Seen', ...more });
    const own = async (by: Author): Promise<Body[]> => (await by.call('GET', `/users/${by.id}/reports`)).body.reports;
    const log = async (): Promise<[act: string, type: string, id: string, reason: string | null]> => {
        const { body: { entries: [{ act, target, reason }] } } = await moderator.call('GET', '/moderation/log?count=1');
        return [act, target.type, target.id, reason];
    };

    const told = async (): Promise<string[]> => (await db().raw(`select user_id from notice_events where kind = 'decision' and project_id = 0 and by_id is null and thing_id is null order by user_id`)).rows.map((row: { user_id: string }) => row.user_id);
    const sorted = (...people: Author[]): string[] => people.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));

    it('are sent once by each user for a comment, and can be changed', async () => {
        const id = await comment();
        const made = await reportComment(id, reader(0));
        const { created_at: at, ...rest } = made.body.report;
        expect([made.status, made.body.status, rest]).to.equal([201, 'created', { kind: 'comment', thing_id: id, project_id: project.id, reason: 'hurtful', text: '' }]);
        expect(at).to.match(TIME);
        await reportComment(id, reader(1), 'spam', 'About "me"');
        const again = await reportComment(id, reader(0), 'personal', 'My street');
        expect([again.status, again.body]).to.equal([200, { status: 'updated', report: { ...rest, reason: 'personal', text: 'My street', created_at: at } }]);
        const [entry, ...others] = await queue();
        expect(others).to.equal([]);
        expect(entry).to.include({ kind: 'comment', count: 2, reasons: { personal: 1, spam: 1 }, state: 'open', guests: [], project: { id: project.id, title: 'Garden' } });
        expect(entry.newest.map((one: Body) => [one.by.id, one.reason, one.text])).to.equal([[reader(1).id, 'spam', 'About "me"'], [reader(0).id, 'personal', 'My street']]);
        const { created_at: written, ...shown } = entry.comment;
        expect(written).to.match(TIME);
        expect(shown).to.equal({
            id, project_id: project.id, author: { id: troll.id, username: troll.username }, text: 'Ugly', page: project.page.id, element: null, reply_to: null,
            mentions: [{ id: author.id, username: author.username }], edited_at: null, removed: null, held: false
        });
    });

    it('are sent for a person with a public page', async () => {
        const made = await reportUser(troll.id, reader(0));
        expect([made.status, made.body.report]).to.include([201]);
        expect(made.body.report).to.include({ kind: 'user', thing_id: troll.id, project_id: null, reason: 'hurtful' });
        expect((await reportUser(troll.id, reader(0), 'spam')).status).to.equal(200);
        const [entry] = await queue();
        expect(entry).to.include({ kind: 'user', user: { id: troll.id, username: troll.username }, count: 1, reasons: { spam: 1 } });

        const { rows: [pupil] } = await db().raw(`insert into users (username, username_key, publish) values ('pupil-${++serial}', 'pupil-${serial}', 'everybody') returning id`);
        expect((await reportUser(pupil.id, reader(0))).body.message).to.equal('There is no such user, or it has been deleted.');
        await db().raw(`insert into projects (user_id, version, title) values (?, '1', 'Public')`, [pupil.id]);
        expect((await reportUser(pupil.id, reader(0))).status).to.equal(201);
        expect((await reportUser('me', reader(0))).status).to.equal(403);
        expect((await reportUser('999999999', reader(0))).body.message).to.equal('There is no such user, or it has been deleted.');
    });

    it('need a comment of somebody else that the sender reads, and a reason', async () => {
        const hidden = await author.project({ visibility: 'private' });
        const [own1, held, removed, secret] = [await comment({ by: reader(0) }), await comment({ set: 'held_at = now()' }), await comment({ set: `removed_at = now(), removed_by = 'owner'` }), await comment({ on: hidden })];
        const deleted = await author.project();
        const gone = await comment({ on: deleted });
        await author.call('DELETE', deleted.url, {});
        const cases: [who: Author, id: string, status: number][] = [
            [reader(0), own1, 403], [reader(1), own1, 201], [reader(0), held, 404], [troll, held, 403], [moderator, held, 201], [reader(0), removed, 404], [moderator, removed, 404],
            [reader(0), secret, 404], [author, secret, 201], [moderator, secret, 201], [reader(0), gone, 404], [moderator, gone, 404], [reader(0), '999999999', 404]
        ];
        for (const [by, id, status] of cases) {
            const answer = await reportComment(id, by);
            expect([id, answer.status]).to.equal([id, status]);
            if (status === 404) {
                expect(answer.body.message).to.equal('There is no such comment, or it has been deleted.');
            }
        }

        for (const wrong of [{}, { reason: 'dull' }, { reason: 'spam', text: 'x'.repeat(1001) }]) {
            expect((await reader(1).call('POST', `/comments/${own1}/reports`, wrong)).status).to.equal(400);
        }

        // That a moderator has read a private project is noted.
        expect((await moderator.call('GET', '/moderation/log?count=100')).body.entries.filter(({ act, target }: Body) => act === 'read' && target.project_id === hidden.id)).to.have.length(1);
    });

    it(`are, with those of projects, at most ${MAX_REPORTS_A_DAY} of a user in 24 hours, also if they come at once`, async () => {
        const many = await openAuthor(server);
        const { body: { results } } = await author.bulk(Array.from({ length: MAX_REPORTS_A_DAY - 3 }, (_one, n) => ({ type: 'projects', method: 'create', data: { title: `Ugly ${n}` } })));
        await db().raw(`insert into reports (project_id, user_id, reason, text, round) select id, ?, 'spam', '', 0 from unnest(?::bigint[]) id`, [many.id, results.map(({ id }: Body) => id)]);
        const ids = [await comment(), await comment(), await comment(), await comment()];
        const answers = await Promise.all([...ids.map((id) => reportComment(id, many)), reportUser(troll.id, many), reportProject(many)]);
        const refused = answers.filter(({ status }) => status !== 201);
        expect(refused.map(({ status, body }) => [status, body.code])).to.equal(Array(3).fill([429, 'rate_limited']));
        expect(Number(refused[0]?.headers['retry-after'])).to.be.between(86_300, 86_401);
    });

    it('are one queue with those of projects, the most reported first, in pages without gaps or repetitions', async () => {
        const [first, second] = [await comment(), await comment()];
        const another = await author.project();
        for (const by of readers.slice(0, 3)) {
            await reportComment(first, by);
        }

        for (const by of readers.slice(0, 2)) {
            await reportUser(troll.id, by);
            await reportProject(by, another);
        }

        await reportComment(second, reader(0));
        await reportProject(reader(0));
        // The same id and number in each kind.
        await db().raw(`insert into thing_report_queue (project_id, type, thing_id, open, count) values (0, 'user', ?, true, 1)`, [author.id]);
        await db().raw('update comments set id = ? where id = ?', [project.id, second]);
        await db().raw('update thing_report_queue set thing_id = ? where thing_id = ?', [project.id, second]);
        const keyOf = ({ kind, ...entry }: Body): string => `${kind} ${entry[kind].id}`;
        const all = (await queue()).map(keyOf);
        expect(all.slice(0, 1)).to.equal([`comment ${first}`]);
        expect(all.slice(1, 3).sort()).to.equal([`project ${another.id}`, `user ${troll.id}`]);
        const equals = [`project ${project.id}`, `comment ${project.id}`];
        expect(all.filter((one) => equals.includes(one))).to.equal(equals);
        expect(all).to.have.length(6);
        for (const count of [1, 2, 3, 4]) {
            for (const kind of [undefined, 'project', 'comment', 'user']) {
                const seen: string[] = [];
                let next: string | null = '';
                while (next !== null && seen.length < 9) {
                    const { body, headers }: Answer = await moderator.call('GET', `/moderation/reports?count=${count}${next === '' ? '' : `&after=${next}`}${kind === undefined ? '' : `&kind=${kind}`}`);
                    seen.push(...body.reports.map(keyOf));
                    next = body.next;
                    expect(headers.link?.includes(`kind=${kind}`) ?? true).to.equal(next === null || kind !== undefined);
                }

                expect(seen).to.equal(all.filter((one) => kind === undefined || one.startsWith(kind)));
            }
        }

        expect((await moderator.call('GET', '/moderation/reports?kind=page')).status).to.equal(400);
    });

    it('leave the queue with the comment, its project or the person', async () => {
        const [removed, gone] = [await comment(), await comment({ on: await author.project() })];
        const person = await openAuthor(server);
        await Promise.all([reportComment(removed, reader(0)), reportComment(gone, reader(0)), reportUser(person.id, reader(0))]);
        expect(await queue()).to.have.length(3);
        await db().raw(`update comments set removed_at = now(), removed_by = 'author' where id = ?`, [removed]);
        await db().raw('update projects set deleted_at = now() where id = (select project_id from comments where id = ?)', [gone]);
        await db().raw('update users set deleted_at = now() where id = ?', [person.id]);
        expect(await queue()).to.equal([]);
        expect((await Promise.all([decide(`comments/${removed}`, 'kept'), decide(`comments/${gone}`, 'kept'), decide(`users/${person.id}`, 'kept')])).map(({ status }) => status)).to.equal([404, 404, 404]);
    });

    it('are in a queue whose pages are bounded in bytes', async () => {
        const ids: string[] = [];
        for (let n = 0; n < 12; ++n) {
            const id = await comment();
            await reportComment(id, reader(0));
            ids.push(id);
        }

        await db().raw(`update comments set text = repeat('\u{1F3A8}', 2000) where id = any(?::bigint[])`, [ids]);
        const [seen, sizes]: [string[], number[]] = [[], []];
        for (let page = ''; page !== 'null';) {
            const { text, body: { reports, next } } = await moderator.call('GET', `/moderation/reports?count=100${page}`);
            seen.push(...reports.map(({ comment: { id } }: Body) => id));
            sizes.push(Buffer.byteLength(text));
            page = next === null ? 'null' : `&after=${next}`;
        }

        expect([sizes.length, Math.max(...sizes) < 64 * 1024, seen.sort()]).to.equal([2, true, ids.sort()]);
    });

    it('go with the account of whoever sent them, with the person, and with the project', async () => {
        const [leaving, person] = [await openAuthor(server), await openAuthor(server)];
        const id = await comment();
        await Promise.all([reportComment(id, leaving), reportComment(id, reader(0)), reportUser(person.id, reader(0))]);
        await db().raw('delete from users where id in (?, ?)', [leaving.id, person.id]);
        expect((await queue()).map(({ kind, count }) => [kind, count])).to.equal([['comment', 1]]);
        await author.call('DELETE', project.url, {});
        const { body: { trash: [entry] } } = await author.call('GET', `/users/${author.id}/trash`);
        expect((await author.call('DELETE', `/users/${author.id}/trash/${entry.id}`, {})).status).to.equal(200);
        expect((await db().raw('select (select count(*) from thing_reports) + (select count(*) from thing_report_queue) as n')).rows[0].n).to.equal('0');
    });

    for (const [state, log0, shown] of [['kept', 'keep', [null, false]], ['held', 'hold', [null, true]], ['removed', 'remove', ['moderator', false]]] as const) {
        it(`of a comment end with a decision, which is in the log and which the reporters read: ${state}`, async () => {
            const id = await comment();
            await Promise.all([reportComment(id, reader(0)), reportComment(id, reader(1), 'spam'), reportComment(id, moderator)]);
            expect((await own(reader(0)))[0]).to.include({ kind: 'comment', thing_id: id, project_id: project.id, outcome: null });
            const { status, body } = await decide(`comments/${id}`, state, { note: 'Hurts', rule: 'hurtful' });
            expect([status, body.report.kind, body.report.state, body.report.count, body.report.comment.id]).to.equal([200, 'comment', state, 3, id]);
            expect(await log()).to.equal([log0, 'comment', id, 'Hurts']);
            const { rows: [row] } = await db().raw('select removed_by, held_at is not null as held from comments where id = ?', [id]);
            expect([row.removed_by, row.held]).to.equal([...shown]);
            expect(await queue()).to.equal([]);
            expect(await told()).to.equal(sorted(reader(0), reader(1)));
            expect((await own(reader(1)))[0]).to.include({ reason: 'spam', outcome: state });
            // A held comment can be released; what was decided otherwise is over.
            expect((await decide(`comments/${id}`, 'kept')).status).to.equal(state === 'held' ? 200 : 404);
            if (state === 'held') {
                expect((await db().raw('select held_at from comments where id = ?', [id])).rows[0].held_at).to.be.null();
                expect((await log())[0]).to.equal('release');
                expect((await own(reader(1)))[0].outcome).to.equal('held');
            }
        });
    }

    it('of a person end with a suspension, or with nothing', async () => {
        const person = await openAuthor(server);
        await reportUser(person.id, reader(0));
        const kept = await decide(`users/${person.id}`, 'kept');
        expect([kept.status, kept.body.report.state, kept.body.report.user.id]).to.equal([200, 'kept', person.id]);
        expect(await log()).to.equal(['keep', 'user', person.id, 'Seen']);
        expect((await own(reader(0)))[0]).to.include({ kind: 'user', thing_id: person.id, project_id: null, outcome: 'kept' });
        expect((await decide(`users/${person.id}`, 'suspended')).status).to.equal(404);

        await db().raw(`update thing_report_queue set decided_at = now() - interval '8 days'`);
        expect((await reportUser(person.id, reader(0))).status).to.equal(201);
        expect((await decide(`users/${person.id}`, 'suspended', { until: '2001-01-01T00:00:00Z' })).status).to.equal(400);
        expect((await decide(`users/${person.id}`, 'removed')).status).to.equal(400);
        expect((await decide(`users/${person.id}`, 'suspended', { until: '2036-04-01T00:00:00Z' })).body.report.state).to.equal('suspended');
        expect(await log()).to.equal(['suspend', 'user', person.id, 'Seen']);
        expect((await person.call('POST', '/users/me/projects', { title: 'No' })).body.code).to.equal('suspended');
        expect((await own(reader(0)))[0].outcome).to.equal('suspended');
        expect(await told()).to.equal([reader(0).id, reader(0).id]);

        // Moderators are not suspended, and decide nothing about themselves.
        const other = await openAuthor(server, undefined, { moderator: true });
        const said = await comment({ by: other });
        await Promise.all([reportUser(other.id, reader(0)), reportComment(said, reader(0))]);
        expect((await decide(`users/${other.id}`, 'suspended')).status).to.equal(403);
        expect((await decide(`users/${other.id}`, 'kept', {}, other)).body.message).to.equal('This is about you. Another moderator has to decide.');
        expect((await decide(`comments/${said}`, 'kept', {}, other)).body.message).to.equal('This is about you. Another moderator has to decide.');
        expect((await queue()).map(({ count }) => count)).to.equal([1, 1]);
        expect((await decide(`users/${other.id}`, 'kept')).status).to.equal(200);
    });

    it('are decided about once, by moderators', async () => {
        const id = await comment();
        await Promise.all([reportComment(id, reader(0)), reportUser(troll.id, reader(0))]);
        const other = await openAuthor(server, undefined, { moderator: true });
        const answers = await Promise.all([decide(`comments/${id}`, 'kept'), decide(`comments/${id}`, 'kept', {}, other), decide(`comments/${id}`, 'removed', {}, other)]);
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 404, 404]);
        for (const path of [`comments/${id}`, 'comments/999999999', `users/${troll.id}`, 'users/999999999']) {
            const refused = await decide(path, 'kept', {}, reader(1));
            expect([refused.status, refused.body.message]).to.equal([403, 'Only moderators can do this.']);
        }

        for (const wrong of [{ state: 'open' }, { note: '' }, { rule: 'dull' }, { more: 1 }]) {
            expect((await decide(`users/${troll.id}`, 'kept', wrong)).status).to.equal(400);
        }
    });

    it('bring a comment back after a decision by one report if it was edited, or else by several', async () => {
        const id = await comment();
        await reportComment(id, reader(0));
        await decide(`comments/${id}`, 'kept');
        for (const by of readers.slice(0, REPORTS_TO_REOPEN - 1)) {
            expect((await reportComment(id, by)).status).to.equal(201);
            expect(await queue()).to.equal([]);
        }

        await reportComment(id, reader(REPORTS_TO_REOPEN - 1));
        expect((await queue())[0]).to.include({ count: REPORTS_TO_REOPEN });
        await decide(`comments/${id}`, 'kept');
        await db().raw(`update comments set text = 'Uglier', edited_at = now() + interval '1 second' where id = ?`, [id]);
        await reportComment(id, reader(0));
        expect((await queue())[0]).to.include({ count: 1 });
    });

    it('are listed for their sender, newest first, with what came of those of projects too', async () => {
        const sender = await openAuthor(server);
        const id = await comment();
        await reportProject(sender);
        await reportComment(id, sender, 'spam', 'One');
        await reportUser(troll.id, sender);
        const kinds = async (query = ''): Promise<Body> => (await sender.call('GET', `/users/me/reports${query}`)).body;
        expect((await kinds()).reports.map(({ kind, outcome }: Body) => [kind, outcome])).to.equal([['user', null], ['comment', null], ['project', null]]);
        await decide(project.id, 'held');
        expect((await own(sender)).map(({ outcome }) => outcome)).to.equal([null, null, 'held']);
        expect(await told()).to.equal([sender.id]);

        // At the same time, in pages, and in few bytes.
        await db().raw(`update reports set at = '2026-01-01'; update thing_reports set at = '2026-01-01'`);
        for (const count of [1, 2]) {
            const seen: string[] = [];
            for (let from = ''; from !== 'null';) {
                const { reports, next } = await kinds(`?count=${count}${from}`);
                seen.push(...reports.map(({ kind }: Body) => kind));
                from = next === null ? 'null' : `&after=${next}`;
            }

            expect(seen).to.equal(['user', 'comment', 'project']);
        }

        await db().raw(`insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round) select 1, 'comment', n, ?, 'spam', repeat('\u{1F3A8}', 1000), 0 from generate_series(1, 60) n`, [sender.id]);
        await db().raw(`insert into thing_report_queue (project_id, type, thing_id) select 1, 'comment', n from generate_series(1, 60) n`);
        const { text, body } = await sender.call('GET', '/users/me/reports?count=100');
        expect(Buffer.byteLength(text)).to.be.below(64 * 1024);
        expect(Number(body.reports.length)).to.be.between(5, 20);
        expect(body.next).to.not.be.null();
        expect((await reader(0).call('GET', `/users/${sender.id}/reports`)).status).to.equal(403);
        expect((await moderator.call('GET', `/users/${sender.id}/reports`)).status).to.equal(403);
    });

    it(`tell at most the newest ${MAX_TOLD_REPORTERS} reporters of a decision`, async () => {
        const id = await comment();
        await reportComment(id, reader(0));
        await db().raw(`
            insert into users (username, username_key) select 'many-' || n, 'many-' || n from generate_series(1, ${MAX_TOLD_REPORTERS + 20}) n;
            insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round, at) select ${project.id}, 'comment', ${id}, id, 'spam', '', 0, now() + interval '1 minute' from users where username like 'many-%'`);
        await decide(`comments/${id}`, 'removed');
        expect(await told()).to.have.length(MAX_TOLD_REPORTERS);
        expect(await told()).to.not.include(reader(0).id);
    });
});
