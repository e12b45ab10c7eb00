import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_REPORTS_A_DAY, REPORTS_TO_REOPEN } from '../../../src/limits';
import { openAuthor, TIME } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('reports', () => {
    let server: TestServer;
    let author: Author;
    let moderator: Author;
    let readers: Author[];
    let project: MadeProject;

    before(async () => {
        server = await startTestServer({ config: { trustedProxies: 1 } });
        author = await openAuthor(server);
        moderator = await openAuthor(server, undefined, { moderator: true });
        readers = await Promise.all(Array.from({ length: 2 + 2 * REPORTS_TO_REOPEN }, () => openAuthor(server)));
    });

    beforeEach(async () => {
        await server.database.db.raw('truncate reports, guest_reports, report_queue');
        project = await author.project({ title: 'Ugly' });
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const report = (by: Author | undefined, reason = 'spam', text?: string, of = project): Promise<Answer> => server.call('POST', `/projects/${of.id}/reports`, { reason, ...text !== undefined && { text } }, by);
    const queue = async (query = ''): Promise<Answer['body'][]> => (await moderator.call('GET', `/moderation/reports${query}`)).body.reports;
    const queued = async (): Promise<string[]> => (await queue('?count=100')).map((entry) => entry.project.id);
    const decide = (state: string, note = 'Seen', of = project, by = moderator): Promise<Answer> => by.call('PATCH', `/moderation/reports/${of.id}`, { state, note });
    const reader = (n: number): Author => readers[n] ?? author;

    it('are sent once by each user for a project, and can be changed', async () => {
        const other = await author.project();
        await report(reader(0), 'other', 'Elsewhere', other);
        const made = await report(reader(0));
        expect(made.status).to.equal(201);
        const { created_at: at, ...rest } = made.body.report;
        expect(at).to.match(TIME);
        expect([made.body.status, rest]).to.equal(['created', { project_id: project.id, reason: 'spam', text: '' }]);
        await report(reader(1), 'spam', 'Shop');
        const changed = await report(reader(0), 'hurtful', 'About "me"');
        expect([changed.status, changed.body]).to.equal([200, { status: 'updated', report: { project_id: project.id, reason: 'hurtful', text: 'About "me"', created_at: at } }]);
        const [entry, ...others] = await queue();
        expect(others.map((one) => [one.project.id, one.reasons, one.newest.map(({ text }: { text: string }) => text)])).to.equal([[other.id, { other: 1 }, ['Elsewhere']]]);
        expect(entry.project).to.include({ id: project.id, title: 'Ugly', user_id: author.id });
        expect(entry).to.include({ count: 2, reasons: { hurtful: 1, spam: 1 }, state: 'open' });
        expect(entry.newest.map((one: Answer['body']) => [one.by.id, one.by.username, one.reason, one.text])).to.equal([
            [reader(1).id, reader(1).username, 'spam', 'Shop'], [reader(0).id, reader(0).username, 'hurtful', 'About "me"']]);
        expect(entry.newest_at).to.equal(entry.newest[0].at);
    });

    it('are sent without an account too, once by each address for a project and day, and open what nobody has decided about', async () => {
        const guest = (reason = 'spam', text?: string, of = project.id): Promise<Answer> => server.call('POST', `/projects/${of}/guest-reports`, { reason, ...text !== undefined && { text } });
        const made = await guest('hurtful', 'Look at page 2');
        expect([made.status, made.body.report.reason]).to.equal([201, 'hurtful']);
        expect((await guest('spam', 'Twice')).status).to.equal(201);
        await report(reader(0), 'spam', 'Shop');
        const [entry] = await queue();
        expect(entry).to.include({ count: 2, reasons: { spam: 2 } });
        expect(entry.guests.map(({ reason, text }: { reason: string; text: string }) => [reason, text])).to.equal([['spam', 'Twice']]);
        expect(entry.newest).to.have.length(1);
        expect((await server.database.db.raw('select viewer from guest_reports')).rows[0].viewer).to.have.length(32);
        const { rows } = await server.database.db.raw(`select string_agg(to_jsonb(g)::text, '') as all from guest_reports g`);
        expect(rows[0].all).to.not.contain('127.0.0.1');

        // At once too: each waits for the one before, and then sees it.
        const again = await author.project({ title: 'Reported at once' });
        const atOnce = await Promise.all(Array.from({ length: 12 }, (_one, n) => guest('spam', `Report ${n}`, again.id)));
        expect(atOnce.map(({ status }) => status)).to.equal(atOnce.map(() => 201));
        expect((await server.database.db.raw('select count(*)::int as n from guest_reports where project_id = ?', [again.id])).rows[0].n).to.equal(1);
        await author.call('DELETE', again.url);

        // A decision stands until the project is changed, or users report it.
        await decide('kept');
        await server.database.db.raw('truncate guest_reports');
        await guest();
        expect(await queue()).to.equal([]);
        await author.call('PATCH', project.url, { title: 'Uglier' });
        await server.database.db.raw('truncate guest_reports');
        await guest();
        expect(await queued()).to.equal([project.id]);

        const hidden = await author.project({ visibility: 'private' });
        expect((await guest('spam', '', hidden.id)).status).to.equal(404);
        expect((await server.call('POST', `/projects/${project.id}/guest-reports`, {})).status).to.equal(400);
        await server.database.db.raw(`insert into guest_reports (project_id, viewer, reason, text, round) select p.id, (select viewer from guest_reports limit 1), 'spam', '', 0 from projects p where p.id <> ? order by p.id desc limit ${MAX_REPORTS_A_DAY}`, [project.id]);
        const { body: { results } } = await author.bulk(Array.from({ length: MAX_REPORTS_A_DAY }, (_one, n) => ({ type: 'projects', method: 'create', data: { title: `Ugly ${n}` } })));
        const statuses: number[] = [];
        for (const { id } of results) {
            statuses.push((await guest('spam', '', id)).status);
        }

        expect(statuses.filter((status) => status === 429).length).to.be.above(0);
        expect((await server.database.db.raw('select count(*)::int as n from guest_reports')).rows[0].n).to.equal(MAX_REPORTS_A_DAY);
    });

    it('are one of all addresses that somebody without an account can have: of IPv6, those of a /64', async () => {
        for (const [address, reports] of [['2001:db8:1:2::1', 1], ['2001:db8:1:2:ffff::9', 1], ['2001:db8:1:3::1', 2], ['192.0.2.1', 3], ['192.0.2.2', 4]] as const) {
            const sent = await server.call('POST', `/projects/${project.id}/guest-reports`, { reason: 'spam' }, { headers: { 'x-forwarded-for': address } });
            const { rows: [{ n }] } = await server.database.db.raw('select count(*)::int as n from guest_reports');
            expect([sent.status, n], address).to.equal([201, reports]);
        }
    });

    it('need a project of somebody else that is there, and a reason', async () => {
        expect((await report(author)).body).to.include({ code: 'forbidden' });
        for (const wrong of [{}, { reason: 'dull' }, { reason: 'spam', text: 'x'.repeat(1001) }, { reason: 'spam', text: null }, { reason: 'spam', text: '\u0000' }]) {
            expect((await readers[0]?.call('POST', `/projects/${project.id}/reports`, wrong))?.status, JSON.stringify(wrong)).to.equal(400);
        }

        await author.call('DELETE', project.url, {});
        const answers = await Promise.all([report(reader(0)), report(reader(0), 'spam', '', { ...project, id: '999999' })]);
        for (const { status, body: { code, message } } of answers) {
            expect([status, code, message]).to.equal([404, 'not_found', 'There is no such project, or it has been deleted.']);
        }

        expect(await queue()).to.equal([]);
    });

    it(`are at most ${MAX_REPORTS_A_DAY} of a user in 24 hours, also if they come at once`, async () => {
        const many = await openAuthor(server);
        // Those of others do not count.
        await report(reader(0));
        const actions = Array.from({ length: MAX_REPORTS_A_DAY + 5 }, (_one, n) => ({ type: 'projects', method: 'create', data: { title: `Ugly ${n}` } }));
        const { body: { results } } = await author.bulk(actions);
        const answers: Answer[] = await Promise.all(results.map(({ id }: { id: string }) => report(many, 'spam', '', { ...project, id })));
        const refused = answers.filter(({ status }) => status !== 201);
        expect(refused.map(({ status, body }) => [status, body.code])).to.equal(Array(5).fill([429, 'rate_limited']));
        for (const { headers } of refused) {
            expect(Number(headers['retry-after'])).to.be.between(86_300, 86_401);
        }

        const [known] = results.filter((_one: unknown, n: number) => answers[n]?.status === 201);
        expect((await report(many, 'other', '', { ...project, id: known.id })).status).to.equal(200);
        await server.database.db.raw(`update reports set at = at - interval '1 day' where user_id = ? and project_id = ?`, [many.id, known.id]);
        expect((await report(many)).status).to.equal(201);
        expect((await report(many, 'spam', '', { ...project, id: results.find((_one: unknown, n: number) => answers[n]?.status === 429).id })).status).to.equal(429);
        expect((await server.database.db.raw('select sum(count)::int as n from report_queue')).rows[0].n).to.equal(MAX_REPORTS_A_DAY + 2);
    });

    it('are listed by project, the most reported first, in pages', async () => {
        const projects: MadeProject[] = [];
        for (let n = 0; n < 5; ++n) {
            const one = await author.project();
            projects.push(one);
            for (const sender of readers.slice(0, 1 + n % 3)) {
                await report(sender, 'spam', '', one);
            }
        }

        const order = [2, 4, 1, 3, 0].map((n) => projects[n]?.id);
        expect(await queued()).to.equal(order);
        const seen: string[] = [];
        let next: string | null = '';
        let pages = 0;
        for (; next !== null && pages < 10; ++pages) {
            const { body }: Answer = await moderator.call('GET', `/moderation/reports?count=2${next === '' ? '' : `&after=${next}`}`);
            seen.push(...body.reports.map((entry: Answer['body']) => entry.project.id));
            next = body.next;
        }

        expect([seen, pages]).to.equal([order, 3]);
        expect((await queue()).length).to.equal(5);
        expect((await moderator.call('GET', '/moderation/reports?after=x')).status).to.equal(400);
        expect((await moderator.call('GET', '/moderation/reports?page=2')).status).to.equal(400);
    });

    it('show the newest ten of a project, and count all', async () => {
        await server.database.db.raw(`
            insert into users (username) select 'crowd-' || n from generate_series(1, 12) as n;
            insert into reports (project_id, user_id, reason, text, round, at) select ${project.id}, id, 'spam', username, 0, now() - interval '1 hour' + id * interval '1 second' from users where username like 'crowd-%';
            insert into report_queue (project_id, open, count) values (${project.id}, true, 12)`);
        const [{ count, reasons, newest }] = await queue();
        expect([count, reasons]).to.equal([12, { spam: 12 }]);
        expect(newest.map(({ text }: { text: string }) => text)).to.equal(Array.from({ length: 10 }, (_one, n) => `crowd-${12 - n}`));
    });

    it('leave the queue with their project, and come back with it', async () => {
        await report(reader(0));
        await author.call('DELETE', project.url, {});
        expect(await queued()).to.equal([]);
        expect((await decide('kept')).status).to.equal(404);
        const { body: { trash: [entry] } } = await author.call('GET', `/users/${author.id}/trash`);
        await author.call('POST', `/users/${author.id}/trash/${entry.id}/restore`, {});
        expect(await queued()).to.equal([project.id]);
    });

    it('go with the account of whoever sent them', async () => {
        const leaving = await openAuthor(server);
        await report(leaving, 'spam');
        await report(reader(0), 'other');
        await server.database.db.raw('delete from users where id = ?', [leaving.id]);
        const [{ count, reasons }] = await queue();
        expect([count, reasons]).to.equal([1, { other: 1 }]);
    });

    it('are closed if the project is kept, and need more people, or a change, to come back', async () => {
        await report(reader(0));
        const { status, body } = await decide('kept', 'It is a joke');
        expect([status, body.status, body.report.state, body.report.count, body.report.project.id]).to.equal([200, 'updated', 'kept', 1, project.id]);
        expect(await queued()).to.equal([]);
        expect((await decide('kept')).body).to.include({ code: 'not_found', message: 'There is no such open report of this project, or it has been deleted.' });
        expect((await report(reader(0), 'dangerous')).status).to.equal(200);
        const others = readers.slice(1);
        for (const another of others.splice(0, REPORTS_TO_REOPEN - 1)) {
            expect((await report(another)).status).to.equal(201);
            expect(await queued()).to.equal([]);
        }

        await report(others.shift());
        const [entry] = await queue();
        expect(entry).to.include({ count: REPORTS_TO_REOPEN, reasons: { spam: REPORTS_TO_REOPEN } });

        await decide('kept');
        await author.call('PATCH', project.url, { title: 'Uglier' });
        await report(others.shift(), 'hurtful');
        expect(await queue()).to.have.length(1);
        expect((await queue())[0]).to.include({ count: 1, reasons: { hurtful: 1 } });
        expect((await server.call('GET', project.url)).status).to.equal(200);
    });

    it('can end with the removal of the project, which only a moderator takes back', async () => {
        await report(reader(0));
        const { body: { report: { state, project: shown } } } = await decide('removed', 'Against the rules');
        expect([state, shown.id]).to.equal(['removed', project.id]);
        expect((await server.call('GET', project.url)).status).to.equal(404);
        expect(await queued()).to.equal([]);
        const { body: { trash: [entry] } } = await author.call('GET', `/users/${author.id}/trash`);
        expect(entry).to.include({ type: 'project', deleted_by: { id: moderator.id, username: moderator.username } });
        const restore = (by: Author): Promise<Answer> => by.call('POST', `/users/${author.id}/trash/${entry.id}/restore`, {});
        expect((await restore(author)).body.code).to.equal('removed_by_moderator');
        expect((await restore(moderator)).status).to.equal(200);
        expect((await server.call('GET', project.url)).status).to.equal(200);
    });

    it('are decided about once, project by project, and with words', async () => {
        const another = await author.project();
        await report(reader(0), 'other', '', another);
        await report(reader(0));
        for (const wrong of [{}, { state: 'kept' }, { state: 'kept', note: '' }, { state: 'open', note: 'x' }, { state: 'kept', note: 'x'.repeat(1001) }]) {
            expect((await moderator.call('PATCH', `/moderation/reports/${project.id}`, wrong)).status).to.equal(400);
        }

        const other = await openAuthor(server, undefined, { moderator: true });
        const answers = await Promise.all([decide('kept'), decide('kept', 'Seen', project, other), decide('removed', 'Seen', project, other)]);
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 404, 404]);
        expect(answers.find(({ status }) => status === 200)?.body.report.project.id).to.equal(project.id);
        expect(await queued()).to.equal([another.id]);
        expect((await decide('kept', 'Seen', another)).body.report).to.include({ count: 1, reasons: { other: 1 } });
        for (const id of ['999999', project.id]) {
            const refused = [await decide('kept', 'x', { ...project, id }, reader(2)), await reader(2).call('GET', '/moderation/reports'), await reader(2).call('GET', '/moderation/log')];
            expect(refused.map((one) => [one.status, one.body.message])).to.equal(Array(3).fill([403, 'Only moderators can do this.']));
        }
    });
});
