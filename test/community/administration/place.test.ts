import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { maintain } from '../../../src/operations/maintenance/jobs';
import { MAX_ANNOUNCEMENTS, MAX_COUNTED, MAX_SIGN_UP_CODES } from '../../../src/limits';
import { registerApp } from '../../support/apps';
import { count, openAuthor, TIME } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a place, as the staff runs it', () => {
    let server: TestServer;
    let second: TestServer;
    let staff: Actor;

    before(async () => {
        server = await startTestServer({ config: { listMaxAge: 0, signUp: 'invite' } });
        second = await startTestServer({ config: { listMaxAge: 4000, signUp: 'invite' }, database: { ...server.database, drop: () => Promise.resolve() } });
        staff = await new Cast(server).staff();
    });

    after(async () => {
        expect([...server.faults, ...second.faults]).to.equal([]);
        await second.stop();
        await server.stop();
    });

    const admin = (method: string, path: string, body?: unknown, on = server): Promise<Answer> => on.call(method, `/admin/${path}`, body, { token: staff.token });

    const lastActs = async (most: number): Promise<unknown[]> => (await admin('GET', `log?count=${most}`)).body.entries.map(({ act, target, detail }: Answer['body']) => [act, target.type, target.name, detail]);

    it('announces something until a time, to everybody, a few texts at once', async () => {
        expect((await server.call('GET', '/announcements')).body).to.equal({ status: 'success', announcements: [] });
        const until = '2036-04-01T00:00:00.000Z';
        const { status, body: { announcement } } = await admin('POST', 'announcements', { text: 'Down on <b>Saturday</b>', until });
        expect(status).to.equal(201);
        expect(announcement).to.include({ text: 'Down on <b>Saturday</b>', level: 'info', until, by: staff.username });
        const { id, text, level } = announcement;
        const shown = await server.call('GET', '/announcements');
        expect(shown.body.announcements).to.equal([{ id, text, level, until }]);
        expect((await server.call('GET', '/announcements', undefined, { headers: { 'if-none-match': String(shown.headers.etag) } })).status).to.equal(304);
        for (const wrong of [{ text: '', until }, { text: 'x'.repeat(501), until }, { text: 'x', until: '2020-01-01T00:00:00Z' }, { text: 'x' }, { text: 'x', until, level: 'loud' }]) {
            expect((await admin('POST', 'announcements', wrong)).status).to.equal(400);
        }

        const more = await Promise.all(Array.from({ length: MAX_ANNOUNCEMENTS }, () => admin('POST', 'announcements', { text: 'More', level: 'warning', until })));
        expect(more.filter((answer) => answer.status === 201)).to.have.length(MAX_ANNOUNCEMENTS - 1);
        expect(more.find((answer) => answer.status !== 201)?.body.code).to.equal('announcement_limit');
        expect((await server.call('GET', '/announcements')).body.announcements).to.have.length(MAX_ANNOUNCEMENTS);

        expect((await admin('DELETE', `announcements/${id}`)).body.announcement.id).to.equal(id);
        expect((await admin('DELETE', `announcements/${id}`)).status).to.equal(404);
        expect((await admin('GET', 'announcements')).body.announcements).to.have.length(MAX_ANNOUNCEMENTS - 1);
        expect((await lastActs(MAX_ANNOUNCEMENTS + 1)).filter((line) => String(line).startsWith('withdraw'))).to.equal([['withdraw', 'announcement', text, null]]);
        await server.database.db.raw(`update announcements set until = now() - interval '1 second'`);
        expect((await server.call('GET', '/announcements')).body.announcements).to.equal([]);
    });

    it('reads announcements once in a while for all who ask', async () => {
        expect((await second.call('GET', '/announcements')).body.announcements).to.equal([]);
        await admin('POST', 'announcements', { text: 'New', until: '2036-04-01T00:00:00Z' });
        expect((await second.call('GET', '/announcements')).body.announcements).to.equal([]);
        await server.database.db.raw('delete from announcements');
    });

    it('lists apps, trusts them and ends them', async () => {
        const { body: { code } } = await admin('POST', 'sign-up-codes', {});
        const opened = await server.call('POST', '/users', { username: 'developer', password: PASSWORD, code });
        const developer = { id: opened.body.user.id, token: opened.body.token.access_token };
        const [one, other] = [await registerApp(server, developer), await registerApp(server, developer, { name: 'Other' })];
        await server.database.db.raw(`insert into authorizations (id, user_id, app_id, scope, payload, last_used_at, expires_at) select 'a' || n, ?, ?, '{projects}', '{}', now(), now() + interval '1 day' from generate_series(1, 3) n`, [developer.id, one.id]);
        const { body } = await admin('GET', 'apps?count=1');
        expect(body.apps).to.have.length(1);
        expect(body.apps[0]).to.include({ id: other.id, name: 'Other', owner: { id: developer.id, username: 'developer' }, trusted: false, users: 0 });
        const next = await admin('GET', `apps?after=${body.next}`);
        expect(next.body.apps.map(({ id, users }: Answer['body']) => [id, users])).to.equal([[one.id, 1]]);

        expect((await admin('PATCH', `apps/${one.id}`, { trusted: true })).body.app).to.include({ id: one.id, trusted: true, users: 1 });
        expect((await admin('PATCH', `apps/${one.id}`, { trusted: false })).body.app.trusted).to.be.false();
        expect((await admin('DELETE', `apps/${one.id}`)).body.app).to.include({ id: one.id, users: 1 });
        expect(await count(server, 'from authorizations')).to.equal(0);
        expect(await lastActs(3)).to.equal([['delete_app', 'app', 'Kitchen editor', null], ['distrust_app', 'app', 'Kitchen editor', null], ['trust_app', 'app', 'Kitchen editor', null]]);
        expect((await admin('PATCH', `apps/${one.id}`, { trusted: true })).status).to.equal(404);
        expect((await admin('DELETE', `apps/${one.id}`)).status).to.equal(404);
        await server.database.db.raw(`insert into apps (name, url, redirect_uris) values ('By itself', 'https://a.example', '{https://a.example/}')`);
        expect((await admin('GET', 'apps')).body.apps[0].owner).to.be.null();
    });

    it('lists webhooks by their hosts, and switches them off', async () => {
        const { rows: [{ id }] } = await server.database.db.raw(`insert into webhooks (user_id, url, events, secret) values (?, 'https://hooks.example:8443/services/T0/secret\\?key=hidden', array['project.changed'], sha256('x')) returning id`, [staff.id]);
        await server.database.db.raw(`insert into webhook_deliveries (webhook_id, event, at, data) values (?, 'webhook.test', now(), '{}')`, [id]);
        await server.database.db.raw(`insert into webhook_watches (watched, webhook_id) values (?, ?)`, [-Number(staff.id), id]);
        const { body, text } = await admin('GET', 'webhooks');
        expect(body.webhooks[0]).to.include({ id, owner: { id: staff.id, username: staff.username }, host: 'hooks.example:8443', events: ['project.changed'], enabled: true, reason: null, failing_since: null, waiting: 1 });
        expect(text).to.not.contain('secret').and.to.not.contain('hidden');
        expect((await admin('PATCH', `webhooks/${id}`, { enabled: true })).status).to.equal(400);
        expect((await admin('PATCH', `webhooks/${id}`, { enabled: false })).body.webhook).to.include({ enabled: false, waiting: 0 });
        expect(await count(server, 'from webhook_watches')).to.equal(0);
        const acts = await count(server, 'from admin_log');
        expect((await admin('PATCH', `webhooks/${id}`, { enabled: false })).status).to.equal(200);
        expect(await count(server, 'from admin_log')).to.equal(acts);
        expect(await lastActs(1)).to.equal([['switch_off', 'webhook', 'hooks.example:8443', null]]);
        expect((await admin('PATCH', 'webhooks/999', { enabled: false })).status).to.equal(404);
    });

    it('makes codes that open accounts, and ends them', async () => {
        const { status, body } = await admin('POST', 'sign-up-codes', { uses: 2, expires_in: 3600, note: 'Year 5' });
        const { sign_up_code: made, code } = body;
        expect(status).to.equal(201);
        expect(made).to.include({ uses_left: 2, note: 'Year 5', by: staff.username });
        expect([made.created_at, made.expires_at].every((time) => TIME.test(time))).to.be.true();
        const sign = (name: string): Promise<Answer> => server.call('POST', '/users', { username: name, password: PASSWORD, code });
        expect((await sign('invited-1')).status).to.equal(201);
        const list = await admin('GET', 'sign-up-codes');
        expect(list.body.sign_up).to.equal('invite');
        expect(list.text).to.not.contain(code);
        expect(list.body.sign_up_codes).to.equal([{ ...made, uses_left: 1 }]);
        expect((await admin('DELETE', `sign-up-codes/${made.id}`)).body.sign_up_code.uses_left).to.equal(1);
        expect((await admin('DELETE', `sign-up-codes/${made.id}`)).status).to.equal(404);
        expect((await sign('invited-2')).body.code).to.equal('invitation_invalid');
        expect(await lastActs(2)).to.equal([['delete_code', 'sign_up_code', 'Year 5', null], ['create_code', 'sign_up_code', 'Year 5', null]]);
        expect(await count(server, 'from admin_log where position(? in admin_log::text) > 0', [code])).to.equal(0);
        for (const wrong of [{ uses: 0 }, { uses: 100_001 }, { expires_in: 0 }, { expires_in: 366 * 86_400 }, { note: '' }, { note: 'two\nlines' }]) {
            expect((await admin('POST', 'sign-up-codes', wrong)).status, JSON.stringify(wrong)).to.equal(400);
        }

        await server.database.db.raw(`insert into sign_up_codes (hash, uses_left, expires_at) select sha256(n::text::bytea), 1, now() + interval '1 day' from generate_series(1, ?) n`, [MAX_SIGN_UP_CODES - 1]);
        const answers = await Promise.all([admin('POST', 'sign-up-codes', {}), admin('POST', 'sign-up-codes', {})]);
        expect(answers.map(({ body: { code: error = '' } }) => error.length === 32 || error).sort()).to.equal(['sign_up_code_limit', true]);
        await server.database.db.raw('delete from sign_up_codes');
    });

    it('has the maintenance done now', async () => {
        expect((await admin('GET', 'maintenance')).body.maintenance).to.equal({ done_until: null, due_at: null, running: false });
        const { status, body } = await admin('POST', 'maintenance', {});
        expect([status, body.maintenance.running, body.maintenance.done_until]).to.equal([200, false, null]);
        const keeping = { trashDays: 30, historyDays: 30, historyMaxBytes: 1, assets: server.assets };
        expect(await maintain(server.database.db, keeping, new AbortController().signal)).to.be.true();
        expect(await maintain(server.database.db, keeping, new AbortController().signal)).to.be.false();
        expect((await admin('GET', 'maintenance')).body.maintenance.done_until).to.match(TIME);
        await admin('POST', 'maintenance', {});
        await server.database.db.raw(`update maintenance set claimed_until = now() + interval '1 minute'`);
        expect((await admin('GET', 'maintenance')).body.maintenance.running).to.be.true();
        await server.database.db.raw(`update maintenance set claimed_until = now() - interval '1 minute'`);
        expect(await maintain(server.database.db, keeping, new AbortController().signal)).to.be.true();
        expect(await lastActs(2)).to.equal([['maintain', 'place', null, null], ['maintain', 'place', null, null]]);
    });

    it('is shown in numbers, which all instances keep for a minute', async () => {
        const { body: { code } } = await admin('POST', 'sign-up-codes', {});
        const { body } = await second.call('POST', '/users', { username: 'author', password: PASSWORD, code });
        const project = await second.call('POST', '/users/me/projects', { title: 'One' }, { token: body.token.access_token });
        await second.call('PUT', `/users/me/projects/${project.body.project.id}/presence`, {}, { token: body.token.access_token });
        // What a process counts is written once a minute, and when it ends.
        await second.stop();
        second = await startTestServer({ database: { ...server.database, drop: () => Promise.resolve() } });

        const first = (await admin('GET', 'statistics')).body.statistics;
        expect(first.at).to.match(TIME);
        expect(first.people).to.equal({ count: await count(server, 'from users'), estimated: false });
        expect(first.projects).to.equal({ count: 1, estimated: false });
        expect(first.assets).to.equal({ count: 0, estimated: false });
        expect(Object.values<number>(first.bytes).every((bytes) => bytes > 10_000)).to.be.true();
        expect(Object.keys(first.queues)).to.equal(['webhooks', 'search', 'reports']);
        expect(first.days).to.have.length(30);
        expect(first.days[0]).to.include({ day: first.at.slice(0, 10), edits: 1, sign_ups: 1, errors: 0 });
        expect(Number(first.days[0].requests)).to.be.at.least(3);
        expect(first.days[1]).to.include({ requests: 0, edits: 0, sign_ups: 0, errors: 0 });

        await server.database.db.raw(`insert into webhook_deliveries (webhook_id, event, at, data) select (select min(id) from webhooks), 'webhook.test', now(), '{}' from generate_series(1, ?)`, [MAX_COUNTED + 5]);
        expect((await admin('GET', 'statistics', undefined, second)).body.statistics).to.equal(first);

        // Older than a minute: one instance counts, and the others show what there was.
        await server.database.db.raw(`update kept_statistics set at = at - interval '2 minutes', claimed_until = now() + interval '1 minute'`);
        expect((await admin('GET', 'statistics', undefined, second)).body.statistics).to.equal(first);
        await server.database.db.raw(`update kept_statistics set claimed_until = now()`);
        const later = (await admin('GET', 'statistics')).body.statistics;
        expect(later.queues.webhooks).to.equal({ count: MAX_COUNTED, more: true });

        await server.database.db.raw(`insert into assets (hash, type, size) select encode(sha256(n::text::bytea), 'hex'), 'image/png', 1 from generate_series(1, ?) n`, [MAX_COUNTED + 5]);
        await server.database.db.raw('analyze assets');
        await server.database.db.raw(`update kept_statistics set at = at - interval '2 minutes'`);
        expect((await admin('GET', 'statistics')).body.statistics.assets).to.equal({ count: MAX_COUNTED + 5, estimated: true });
    });

    it('counts the requests of a day, also if they cannot be written at first', async () => {
        const own = await startTestServer();
        const author = await openAuthor(own);
        await own.database.db.raw('alter table daily_counts rename to elsewhere');
        await author.project();
        await own.server.stop();
        await own.database.db.raw('alter table elsewhere rename to daily_counts');
        expect(await count(own, 'from daily_counts')).to.equal(0);
        await author.project();
        await own.server.stop();
        const { rows: [day] } = await own.database.db.raw('select requests::int, edits::int, errors::int, sign_ups::int from daily_counts');
        expect(day).to.equal({ requests: 3, edits: 2, errors: 0, sign_ups: 1 });
        await own.stop();
    });
});
