import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { bodyOf } from '../../../src/accounts/webhooks/jobs';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { KEPT_DELIVERY_DAYS, MAX_WEBHOOKS, MAX_WEBHOOK_BYTES, MAX_WEBHOOK_PROJECTS } from '../../../src/limits';
import { count, openAuthor, waiting } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { until } from '../../support/host';
import { notOnCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const fields = { url: 'https://hooks.example/in', events: ['project.changed'] };

describe('webhooks', () => {
    let server: TestServer;
    let ada: Author;
    let bea: Author;

    before(async () => {
        server = await startTestServer();
        [ada, bea] = [await openAuthor(server, 'ada'), await openAuthor(server, 'bea')];
    });

    after(() => server.stop());

    const send = (method: string, path: string, body?: object, { token }: { token: string } = ada): Promise<Answer> => server.call(method, `/users/me/webhooks${path}`, body, { token });
    const watches = (id: string): Promise<number> => count(server, 'from webhook_watches where webhook_id = ?', [id]);

    /** The projects that are marked, because somebody perhaps watches them. */
    const marked = async (): Promise<string[]> => (await server.database.db.raw('select id::text as id from projects where watched order by projects.id')).rows.map(({ id }: { id: string }) => id);

    it('are made, listed newest first, changed and deleted by their owner, and show their secret once', async () => {
        const first = await send('POST', '', fields);
        expect(first.status, first.text).to.equal(201);
        const { webhook, secret } = first.body;
        expect(webhook).to.include({ ...fields, projects: null, enabled: true, reason: null, failing_since: null, waiting: 0, previous_secret_until: null });
        expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
        expect(first.headers['cache-control']).to.equal('no-store');
        expect(first.headers.location).to.equal(`/users/${ada.id}/webhooks/${webhook.id}/deliveries`);
        const { body: { webhook: second } } = await send('POST', '', { url: 'https://hooks.example/other', events: ['project.held', 'project.held'] });
        expect(second.events).to.equal(['project.held']);
        const listed = await send('GET', '');
        expect(listed.body.webhooks).to.equal([second, webhook]);
        expect(listed.text).to.not.include('whsec_');

        const changed = await send('PATCH', `/${webhook.id}`, { url: 'https://hooks.example/new', events: ['project.created'] });
        expect(changed.body).to.equal({ status: 'updated', webhook: { ...webhook, url: 'https://hooks.example/new', events: ['project.created'] } });
        const { body: replaced } = await send('PATCH', `/${webhook.id}`, { secret: true });
        expect(replaced.secret).to.match(/^whsec_/).and.to.not.equal(secret);
        expect(Date.parse(replaced.webhook.previous_secret_until) - Date.now()).to.be.within(23.9 * 3_600_000, 24 * 3_600_000);

        expect((await send('DELETE', `/${webhook.id}`)).body.webhook.id).to.equal(webhook.id);
        for (const [method, path] of [['DELETE', ''], ['GET', '/deliveries'], ['POST', '/test'], ['POST', '/deliveries/1']] as const) {
            expect((await send(method, `/${webhook.id}${path}`, method === 'GET' ? undefined : {})).status).to.equal(404);
        }

        expect((await send('PATCH', `/${webhook.id}`, { enabled: false })).status).to.equal(404);
        expect((await send('PATCH', `/${second.id}`, {})).body.message).to.include('at least one of');
        expect((await send('POST', `/${second.id}/deliveries/999999`, {})).status).to.equal(404);
        await send('DELETE', `/${second.id}`);
    });

    it('are at most so many, also if they are made at the same time', async () => {
        const answers = await Promise.all(Array.from({ length: MAX_WEBHOOKS + 3 }, () => send('POST', '', fields, bea)));
        expect(answers.filter(({ status }) => status === 201)).to.have.length(MAX_WEBHOOKS);
        expect(answers.filter(({ body }) => body.code === 'webhook_limit')).to.have.length(3);
    });

    it('have an address on the public internet, and events that there are', async () => {
        const wrong = ['http://hooks.example/', 'https://127.0.0.1/', 'https://2130706433/', 'https://[::1]/', 'https://ada:secret@hooks.example/', 'https://hooks.example/#part', 'ftp://hooks.example/', 'hooks.example', 'https://hooks.example/a b', 'https://', `https://hooks.example/${'x'.repeat(500)}`, 'https://%/'];
        for (const url of wrong) {
            expect((await send('POST', '', { ...fields, url })).body.code, url).to.equal('validation_failed');
        }

        for (const events of [[], ['project.read'], ['webhook.test'], 'project.changed']) {
            expect((await send('POST', '', { ...fields, events })).body.code).to.equal('validation_failed');
        }
    });

    it('watch all of one\'s own projects, or some that one can read as owner or member', async () => {
        const [own, hers] = [await ada.project(), await bea.project({ visibility: 'private' })];
        const refused = await send('POST', '', { ...fields, projects: [own.id, hers.id, '999999'] });
        expect([refused.status, refused.body.details.map(({ path, message }: { path: string; message: string }) => [path, /has (\d+),/.exec(message)?.[1]])]).to.equal([400, [['projects', hers.id], ['projects', '999999']]]);
        expect((await send('POST', '', { ...fields, projects: Array.from({ length: MAX_WEBHOOK_PROJECTS + 1 }, (_none, n) => String(n + 1)) })).status).to.equal(400);
        await bea.call('PUT', `${hers.url}/members/ada`, { role: 'viewer' });
        const { body: { webhook } } = await send('POST', '', { ...fields, projects: [own.id, hers.id, own.id] });
        expect(webhook.projects).to.equal([own.id, hers.id]);
        expect(await watches(webhook.id)).to.equal(2);
        expect(await marked()).to.equal([own.id, hers.id]);

        // Of what nobody watches nothing is noted.
        const other = await ada.project();
        await ada.call('PATCH', other.url, { title: 'x' });
        expect(await count(server, 'from webhook_events where project_id = ?', [other.id])).to.equal(0);
        await ada.call('PATCH', own.url, { title: 'x' });
        await bea.call('PATCH', hers.url, { title: 'x' });
        expect(await count(server, 'from webhook_events where project_id in (?, ?) and event = ?', [own.id, hers.id, 'project.changed'])).to.equal(2);
        expect((await send('PATCH', `/${webhook.id}`, { projects: [hers.id] })).body.webhook.projects).to.equal([hers.id]);
        expect(await watches(webhook.id)).to.equal(1);
        // A mark is not taken off, and nothing is noted all the same.
        await ada.call('PATCH', own.url, { title: 'y' });
        expect(await marked()).to.equal([own.id, hers.id]);
        expect(await count(server, 'from webhook_events where project_id = ? and event = ?', [own.id, 'project.changed'])).to.equal(1);
        expect((await send('PATCH', `/${webhook.id}`, { projects: null })).body.webhook.projects).to.be.null();
        expect(await watches(webhook.id)).to.equal(1);
        expect((await send('PATCH', `/${webhook.id}`, { enabled: false })).body.webhook).to.include({ enabled: false, reason: null });
        expect(await watches(webhook.id)).to.equal(0);
        expect((await send('PATCH', `/${webhook.id}`, { events: ['project.held'] })).body.webhook.enabled).to.be.false();
        expect(await watches(webhook.id)).to.equal(0);
        expect((await send('PATCH', `/${webhook.id}`, { enabled: true })).body.webhook.enabled).to.be.true();
        expect(await watches(webhook.id)).to.equal(1);
        const later = await ada.project();
        expect(await marked()).to.include([own.id, other.id, later.id]);
        await send('DELETE', `/${webhook.id}`);
        await ada.call('PATCH', own.url, { title: 'z' });
        expect(await count(server, 'from webhook_events where project_id = ? and event = ?', [own.id, 'project.changed'])).to.equal(1);
    });

    it('hold up nobody who writes for the same account while many projects are marked', async () => {
        const { body: { results: [first] } } = await ada.bulk(Array.from({ length: 1000 }, (_none, n) => ({ type: 'projects', method: 'create', data: { title: String(n) } })));
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for update', [first.id]);
        const making = send('POST', '', fields);
        await until(async () => await waiting(server) > 0);
        expect((await ada.project()).id).to.be.a.string();
        await lock.rollback();
        const { status, body: { webhook } } = await making;
        expect(status).to.equal(201);
        expect(await count(server, 'from projects p join users u on u.id = p.user_id where u.username = ? and not p.watched', ['ada'])).to.equal(0);
        await send('DELETE', `/${webhook.id}`);
    });

    it('cost an update of a project that nobody watches nothing', notOnCluster('an update there is a statement of its shard'), async () => {
        const triggersOf = async (id: string): Promise<string[]> => {
            const trx = await server.database.db.transaction();
            const { rows: [row] } = await trx.raw(`explain (analyze, format json) update projects set title = 'Other', revision = revision + 1, change_revision = revision + 1, counted_revision = revision + 1 where id = ?`, [id]);
            await trx.rollback();
            return row['QUERY PLAN'][0].Triggers.map((trigger: Record<string, string>) => trigger['Trigger Name']);
        };

        const [own, hers] = [await ada.project(), await bea.project()];
        expect(await triggersOf(own.id)).to.include('projects_history_update').and.to.not.include('projects_watched_update');
        expect(await triggersOf(hers.id)).to.include('projects_watched_update');
    });

    it('list what they were sent, page by page, without what it said', async () => {
        const { body: { webhook } } = await send('POST', '', fields);
        for (let n = 0; n < 3; n++) {
            expect((await send('POST', `/${webhook.id}/test`, {})).status).to.equal(201);
        }

        expect((await send('GET', '')).body.webhooks[0].waiting).to.equal(3);
        const page = await send('GET', `/${webhook.id}/deliveries?count=2`);
        expect(page.body.deliveries.map(({ event, state, attempts }: Record<string, unknown>) => [event, state, attempts])).to.equal([['webhook.test', 'waiting', 0], ['webhook.test', 'waiting', 0]]);
        expect(page.headers.link).to.include('rel="next"');
        const rest = await send('GET', `/${webhook.id}/deliveries?count=2&after=${page.body.next}`);
        expect([rest.body.deliveries.length, rest.body.next]).to.equal([1, null]);

        // Switched off, it gives up what waits. What is old is deleted.
        await send('PATCH', `/${webhook.id}`, { enabled: false });
        expect((await send('GET', `/${webhook.id}/deliveries`)).body.deliveries.map(({ state, error }: Record<string, unknown>) => [state, error])).to.equal(Array.from({ length: 3 }, () => ['failed', 'The webhook was switched off before this was sent.']));
        await server.database.db.raw(`update webhook_deliveries set created_at = now() - interval '${KEPT_DELIVERY_DAYS} days 1 minute' where id = ?`, [page.body.deliveries[0].id]);
        await server.database.db.raw(`update webhook_events set at = now() - interval '2 days'`);
        await server.database.db.raw('delete from webhook_watches');
        await maintain(server.database.db, { trashDays: 30, historyDays: 30, historyMaxBytes: 1e9, assets: server.assets }, new AbortController().signal, true);
        expect((await send('GET', `/${webhook.id}/deliveries`)).body.deliveries).to.have.length(2);
        expect(await count(server, 'from webhook_events')).to.equal(0);
        await send('DELETE', `/${webhook.id}`);
        expect(await count(server, 'from webhook_deliveries where webhook_id = ?', [webhook.id])).to.equal(0);
    });

    it('say no more than their bound, whatever a project is called', async () => {
        const { body: { webhook } } = await send('POST', '', { ...fields, events: ['project.created'] });
        await ada.project({ title: '"'.repeat(128) + '😀'.repeat(128) });
        const { rows: [row] } = await server.database.db.raw('select data::text as data from webhook_events where user_id = ? order by id desc limit 1', [ada.id]);
        expect(Buffer.byteLength(bodyOf({ event: 'project.changed', at: '2026-01-01T00:00:00.000Z', from_revision: 2 ** 31 - 1, data: row.data }))).to.be.below(MAX_WEBHOOK_BYTES);
        await send('DELETE', `/${webhook.id}`);
    });

    it('are only for a token of a sign-in', async () => {
        const { body: { token: { access_token: token } } } = await server.call('POST', '/users/me/tokens', { label: 'A script', scope: ['user', 'projects'] }, { token: ada.token });
        expect((await send('GET', '', undefined, { token })).body.code).to.equal('sign_in_needed');
    });
});
