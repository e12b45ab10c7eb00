import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { keepSending } from '../../../src/accounts/webhooks/jobs';
import type { SenderOptions } from '../../../src/accounts/webhooks/jobs';
import { KEPT_DELIVERIES, MAX_WAITING } from '../../../src/limits';
import { openAuthor, waiting } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { expectQuick } from '../../support/clock';
import { until } from '../../support/host';
import { hasShards, notInShards } from '../../support/on-cluster';
import { startReceiver, verified } from '../../support/receiver';
import type { Received, Receiver } from '../../support/receiver';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

interface Said {
    type: string;
    data: { project: { id: string; user_id: string; title: string; revision: number; visibility: string }; remixed_from?: string | null; from_revision?: number; by?: string; featured?: boolean; held?: boolean; remix?: { id: string; user_id: string } };
}

const sayingOf = ({ body }: Received): Said => JSON.parse(body);
const typesOf = (receiver: Receiver): string[] => receiver.received.map((one) => sayingOf(one).type);
const all = ['project.created', 'project.changed', 'project.deleted', 'project.remixed', 'project.featured', 'project.held'];

describe('webhooks are sent', () => {
    let server: TestServer;
    const ends: (() => Promise<void> | void)[] = [];
    const logged: unknown[] = [];

    before(async () => {
        server = await startTestServer({ fresh: true, config: { webhooksTo: ['127.0.0.0/8'] } });
    });

    after(() => server.stop());

    afterEach(async () => {
        await Promise.all(ends.splice(0).map((end) => end()));
        await server.database.db.raw('delete from webhooks');
    });

    const logger = { warn: (...line: unknown[]): void => void logged.push(line), info: () => undefined };

    /** Begins to send. @returns a function that ends it */
    const start = (options: Partial<SenderOptions> = {}): (() => Promise<void>) => {
        const end = keepSending({ db: server.database.db, logger, to: ['127.0.0.0/8'], every: 20, firstRetry: 0.1, ...options });
        ends.push(end);
        return end;
    };

    const receive = async (): Promise<Receiver> => {
        const receiver = await startReceiver();
        ends.push(() => receiver.stop());
        return receiver;
    };

    const hook = async ({ token }: Author, url: string, more: object = {}): Promise<{ id: string; secret: string }> => {
        const { status, text, body } = await server.call('POST', '/users/me/webhooks', { url, events: all, ...more }, { token });
        expect(status, text).to.equal(201);
        return { id: body.webhook.id, secret: body.secret };
    };

    const shown = async ({ token }: Author, id: string): Promise<Answer['body']> => (await server.call('GET', '/users/me/webhooks', undefined, { token })).body.webhooks.find((one: { id: string }) => one.id === id);
    const deliveries = async ({ token }: Author, id: string): Promise<Answer['body'][]> => (await server.call('GET', `/users/me/webhooks/${id}/deliveries?count=100`, undefined, { token })).body.deliveries;
    const retitle = async ({ token }: Author, project: MadeProject, title: string): Promise<void> => {
        expect((await server.call('PATCH', project.url, { title }, { token })).status).to.equal(200);
    };

    it('signed, for each event, in order, once', async () => {
        const receiver = await receive();
        const [ada, bea, mod] = [await openAuthor(server), await openAuthor(server), await openAuthor(server, undefined, { moderator: true })];
        const { id, secret } = await hook(ada, receiver.url);
        start();
        const project = await ada.project({ title: 'First' });
        await until(() => receiver.received.length === 1);
        await retitle(ada, project, 'Second');
        await until(() => receiver.received.length === 2);
        expect((await server.call('PATCH', `${project.url}/feature`, { featured: true }, { token: mod.token })).status).to.equal(200);
        const remix = await server.call('POST', `${project.url}/remixes`, {}, { token: bea.token });
        expect(remix.status).to.equal(201);
        expect((await server.call('POST', `${project.url}/remixes`, { visibility: 'private' }, { token: bea.token })).status).to.equal(201);
        expect((await server.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'A look' }, { token: mod.token })).status).to.equal(200);
        await until(() => receiver.received.length === 5);
        expect((await server.call('DELETE', project.url, {}, { token: ada.token })).status).to.equal(200);
        await until(() => receiver.received.length === 6);
        await server.call('GET', '/users/me/trash', undefined, { token: ada.token }).then(({ body }) => server.call('POST', `/users/me/trash/${body.trash[0].id}/restore`, {}, { token: ada.token }));
        await until(() => receiver.received.length === 7);
        await sleep(100);

        expect(typesOf(receiver)).to.equal(['project.created', 'project.changed', 'project.featured', 'project.remixed', 'project.held', 'project.deleted', 'project.created']);
        const [made, changed, featured, remixed, held, deleted] = receiver.received.map(sayingOf);
        expect(made?.data).to.equal({ project: { id: project.id, user_id: ada.id, title: 'First', visibility: 'public', revision: 1 }, by: ada.id, remixed_from: null });
        expect(changed?.data).to.equal({ project: { id: project.id, user_id: ada.id, title: 'Second', visibility: 'public', revision: 2 }, by: ada.id, from_revision: 1 });
        expect([featured?.data.featured, held?.data.held, deleted?.data.by]).to.equal([true, true, ada.id]);
        expect(remixed?.data.remix).to.equal({ id: remix.body.project.id, user_id: bea.id });
        for (const one of receiver.received) {
            expect(verified(one, secret)).to.equal(JSON.parse(one.body));
            expect(one.headers['content-type']).to.equal('application/json');
        }

        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(7);
        const listed = await deliveries(ada, id);
        expect(listed.map(({ message }) => message)).to.equal(receiver.received.map(({ headers }) => headers['webhook-id']).reverse());
        expect(listed.map(({ state, attempts, response_status: status, error }) => [state, attempts, status, error])).to.equal(listed.map(() => ['delivered', 1, 204, null]));
    });

    it('in order for each project by several instances, while a receiver fails every third time, and what is sent again is the same', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        await hook(ada, receiver.url);
        let count = 0;
        receiver.answer = (response) => response.writeHead(++count % 3 === 0 ? 500 : 200).end();
        // From 9 to 10, and from 99 to 100, the order of numbers is not that of texts.
        if (!hasShards) {
            await server.database.db.raw('alter table webhook_events alter column id restart with 8');
        }

        const projects = await Promise.all([1, 2, 3].map(() => ada.project({ title: '0' })));
        const change = (title: string): Promise<unknown> => Promise.all(projects.map((project) => retitle(ada, project, title)));
        await change('1');
        start({ firstRetry: 0.02 });
        start({ firstRetry: 0.02 });
        for (let n = 2; n <= 20; n++) {
            await change(String(n));
        }

        const arrived = (): Said[] => {
            const seen = new Map<string, string>();
            return receiver.received.filter(({ headers, body }) => {
                const id = String(headers['webhook-id']);
                expect(seen.get(id) ?? body).to.equal(body);
                const isNew = !seen.has(id);
                seen.set(id, body);
                return isNew;
            }).map(sayingOf);
        };

        await until(() => projects.every(({ id }) => arrived().some(({ data }) => data.project.id === id && data.project.revision === 21)));
        for (const { id } of projects) {
            const own = arrived().filter(({ data }) => data.project.id === id);
            expect(own[0]?.type).to.equal('project.created');
            // Each goes on where the one before ended.
            expect(own.slice(1).map(({ data }) => data.from_revision)).to.equal(own.slice(0, -1).map(({ data }) => data.project.revision));
        }
    });

    it('to a good receiver within a second, beside others that hang, flood, or are not there', async () => {
        const good = await receive();
        const bad = await Promise.all([receive(), receive(), receive()]);
        bad.forEach((receiver, n) => {
            receiver.answer = (response) => {
                if (n === 1) {
                    response.writeHead(200);
                    const flood = (): void => {
                        while (!response.destroyed && response.write('x'.repeat(65_536))) {
                            // More.
                        }
                    };

                    response.on('drain', flood);
                    flood();
                }
            };
        });
        const authors = await Promise.all(bad.map(() => openAuthor(server)));
        const ada = await openAuthor(server);
        await Promise.all(authors.map((author, n) => hook(author, String(bad[n]?.url))));
        await Promise.all(authors.map((author) => hook(author, 'http://127.0.0.1:1/')));
        await hook(ada, good.url);
        const projects = await Promise.all(authors.map((author) => author.project()));
        const own = await ada.project();
        start({ every: 200, post: { timeout: 3000 } });
        const wrote = new Map<string, number>();
        for (let n = 0; n < 40; n++) {
            await Promise.all(authors.map((author, at) => retitle(author, projects[at] ?? own, `Title ${n}`)));
            await retitle(ada, own, `Title ${n}`);
            wrote.set(`Title ${n}`, Date.now());
            await sleep(100);
        }

        await until(() => good.received.some((one) => sayingOf(one).data.project.title === 'Title 39'));
        const delays = good.received.filter((one) => wrote.has(sayingOf(one).data.project.title)).map((one) => one.at - Number(wrote.get(sayingOf(one).data.project.title))).sort((a, b) => a - b);
        expect(delays.length).to.be.above(10);
        expectQuick(Number(delays[Math.floor(delays.length * 0.95)]), 1000);
    });

    it('signed with two secrets after one was replaced', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id, secret } = await hook(ada, receiver.url);
        const { body } = await server.call('PATCH', `/users/me/webhooks/${id}`, { secret: true }, { token: ada.token });
        expect(body.webhook.previous_secret_until).to.be.a.string();
        start();
        await ada.project();
        await until(() => receiver.received.length === 1);
        for (const one of receiver.received) {
            expect([verified(one, secret), verified(one, body.secret)].length).to.equal(2);
        }

        await server.database.db.raw(`update webhooks set previous_until = now() where id = ?`, [id]);
        expect((await shown(ada, id)).previous_secret_until).to.be.null();
        await ada.project();
        await until(() => receiver.received.length === 2);
        const [, last] = receiver.received;
        expect(last && verified(last, body.secret)).to.be.an.object();
        expect(() => last && verified(last, secret)).to.throw();
    });

    it('of projects of others only while one is a member', async () => {
        const receiver = await receive();
        const [ada, bea] = [await openAuthor(server), await openAuthor(server)];
        const project = await ada.project({ title: 'Shared', visibility: 'private' });
        const member = `${project.url}/members/${bea.username}`;
        expect((await server.call('PUT', member, { role: 'viewer' }, { token: ada.token })).status).to.be.within(200, 201);
        const { id } = await hook(bea, receiver.url, { projects: [project.id] });
        await retitle(ada, project, 'Seen');
        start();
        await until(() => receiver.received.length === 1);
        const mod = await openAuthor(server, undefined, { moderator: true });
        const held = `/moderation/projects/${project.id}/hold`;
        await server.call('PUT', held, { reason: 'A look' }, { token: mod.token });
        await retitle(ada, project, 'Held');
        await until(async () => (await server.database.db.raw('select 1 from webhook_events union all select 1 from webhook_deliveries where state = ?', ['waiting'])).rows.length === 0);
        expect((await server.call('DELETE', held, {}, { token: mod.token })).status).to.equal(200);
        await until(() => receiver.received.length === 2);
        expect((await server.call('DELETE', member, {}, { token: ada.token })).status).to.equal(200);
        await retitle(ada, project, 'Unseen');
        await until(async () => (await server.database.db.raw('select 1 from webhook_events union all select 1 from webhook_deliveries where state = ?', ['waiting'])).rows.length === 0);
        await sleep(50);
        expect(receiver.received.map((one) => [sayingOf(one).type, sayingOf(one).data.project.title])).to.equal([['project.changed', 'Seen'], ['project.held', 'Held']]);
        expect(await deliveries(bea, id)).to.have.length(2);
    });

    it('to nobody whose account is deleted, and to nobody for what others watch', async () => {
        const receiver = await receive();
        const [ada, bea] = [await openAuthor(server), await openAuthor(server)];
        await hook(ada, receiver.url);
        await hook(bea, receiver.url, { events: ['project.deleted'] });
        await ada.project();
        await bea.project();
        expect((await server.call('DELETE', `/users/${ada.id}`, {}, { token: ada.token })).status).to.equal(200);
        start();
        await until(async () => (await server.database.db.raw('select 1 from webhook_events')).rows.length === 0);
        await sleep(100);
        expect(receiver.received).to.equal([]);
    });

    it('of what happens after they were made, where they watch, with changes that follow each other as one', async () => {
        const [first, second, third] = [await receive(), await receive(), await receive()];
        const ada = await openAuthor(server);
        await hook(ada, first.url);
        const other = await ada.project();
        const project = await ada.project();
        await retitle(ada, project, '2');
        await hook(ada, second.url);
        await hook(ada, third.url, { projects: [other.id] });
        await retitle(ada, project, '3');
        await retitle(ada, other, '2');
        expect((await server.call('DELETE', project.url, {}, { token: ada.token })).status).to.equal(200);
        start();
        await until(() => first.received.length + second.received.length + third.received.length >= 9);
        const of = (receiver: Receiver, { id }: MadeProject): unknown[] => receiver.received.map(sayingOf).filter(({ data }) => data.project.id === id).map(({ type, data }) => [type, data.from_revision, data.project.revision]);
        expect(of(first, project)).to.equal([['project.created', undefined, 1], ['project.changed', 1, 3], ['project.deleted', 3, 4]]);
        expect(of(second, project)).to.equal([['project.changed', 2, 3], ['project.deleted', 3, 4]]);
        expect(of(third, project)).to.equal([]);
        expect([of(first, other), of(second, other), of(third, other)]).to.equal([[['project.created', undefined, 1], ['project.changed', 1, 2]], [['project.changed', 1, 2]], [['project.changed', 1, 2]]]);
    });

    it('of all that has happened at once, however much it is', notInShards('the events are in the shards of their projects'), async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url, { events: ['project.changed'] });
        await retitle(ada, await ada.project(), '2');
        await server.database.db.raw(`insert into webhook_events (project_id, user_id, event, revision, from_revision, at, data)
            select project_id, user_id, event, revision + n, from_revision + n, at, data from webhook_events, generate_series(1, 1000) n where event = 'project.changed' order by n`);
        start({ every: 60_000 });
        await until(() => receiver.received.length === 1);
        expect(receiver.received.map((one) => sayingOf(one).data.from_revision)).to.equal([1]);
        expect((await deliveries(ada, id)).map(({ revision }) => revision)).to.equal([1002]);
    });

    /** Has this many messages wait for a webhook, which is due since so many minutes. */
    const fill = async (author: Author, { url }: Receiver, messages: number, minutes = 1): Promise<string> => {
        const { db } = server.database;
        const { id } = await hook(author, url);
        await db.raw(`insert into webhook_deliveries (webhook_id, event, at, data, due_at) select ?, 'webhook.test', now(), '{}', now() - interval '1 minute' from generate_series(1, ?)`, [id, messages]);
        await db.raw('update webhooks set due_at = now() - make_interval(mins => ?) where id = ?', [minutes, id]);
        return id;
    };

    it('while others at all slots are slow, which then have slots of their own', async () => {
        const [slow, quick] = [await receive(), await receive()];
        const { db } = server.database;
        const held: ServerResponse[] = [];
        slow.answer = (response) => void held.push(response);
        // More than there are slots, two of each owner, and all due before the good one.
        for (let n = 0; n < 14; n++) {
            const author = await openAuthor(server);
            await fill(author, slow, 2, 4);
            await fill(author, slow, 2, 4);
        }

        const [ada, bea] = [await openAuthor(server), await openAuthor(server)];
        await fill(ada, quick, 30);
        const end = start({ post: { timeout: 60_000 } });
        // None of the slow ones is answered before.
        await until(() => quick.received.length === 30 && held.length === 28);
        // Each has taken long by then.
        await sleep(1500);
        held.splice(0).forEach((response) => response.writeHead(204).end());
        const known = async (): Promise<number> => (await db.raw('select count(*)::int as count from webhooks where slow')).rows[0].count;
        await until(async () => await known() === 28);
        // They hang again with their second messages. And one that is quick again counts as such.
        const id = await fill(bea, quick, 1);
        await db.raw('update webhooks set slow = true where id = ?', [id]);
        held.splice(0).forEach((response) => response.writeHead(204).end());
        slow.answer = (response) => response.writeHead(204).end();
        await until(async () => await known() < 28 && quick.received.length === 31);
        await end();
    });

    it('to owners in turn, and to those with the most to send all of it', async () => {
        const [busy, other] = [await receive(), await receive()];
        const [ada, bea] = [await openAuthor(server), await openAuthor(server)];
        for (let n = 0; n < 3; n++) {
            await fill(ada, busy, 40, 9);
        }

        await fill(bea, other, 2, 1);
        // Ada has two at a time, so Bea has her turn before the third.
        let heard = -1;
        other.answer = (response) => {
            heard = heard === -1 ? busy.received.length : heard;
            response.writeHead(204).end();
        };

        start();
        await until(() => busy.received.length === 120 && other.received.length === 2);
        expect(heard).to.be.below(100);
    });

    it('as one change, while those before it wait', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url, { events: ['project.changed', 'project.deleted'] });
        const project = await ada.project();
        receiver.answer = (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
        const end = start();
        await retitle(ada, project, '1');
        await until(() => receiver.received.length === 1);
        for (const title of ['2', '3', '4']) {
            await retitle(ada, project, title);
            await until(async () => (await server.database.db.raw('select 1 from webhook_events')).rows.length === 0);
        }

        const listed = await deliveries(ada, id);
        expect(listed.map(({ event, revision, state }) => [event, revision, state])).to.equal([['project.changed', 5, 'waiting'], ['project.changed', 2, 'waiting']]);
        // The receiver's wish counts, for an hour at most.
        expect(Date.parse(listed[1].next_attempt_at) - Date.now()).to.be.within(3_500_000, 3_600_000);
        expect(listed[1]).to.include({ response_status: 503, error: 'The answer was 503, and only 2xx says that it arrived.' });
        expect((await shown(ada, id)).failing_since).to.be.a.string();
        await end();
        await server.call('DELETE', project.url, {}, { token: ada.token });
        receiver.answer = (response) => response.writeHead(200).end();
        start();
        // Again at once, because a person asks for it; all else follows.
        expect((await server.call('POST', `/users/me/webhooks/${id}/deliveries/${listed[1].id}`, {}, { token: ada.token })).body.delivery).to.include({ id: listed[1].id, state: 'waiting' });
        await until(() => receiver.received.length === 4);
        expect(receiver.received.map(({ headers }) => headers['webhook-id']).slice(0, 2)).to.equal([listed[1].message, listed[1].message]);
        expect(receiver.received.slice(1).map(sayingOf).map(({ type, data }) => [type, data.from_revision, data.project.revision])).to.equal([['project.changed', 1, 2], ['project.changed', 2, 5], ['project.deleted', 5, 6]]);
        expect((await shown(ada, id)).failing_since).to.be.null();
    });

    it('until they have failed for three days, are gone, or too many wait: then the webhook is switched off, and says why', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { db } = server.database;
        receiver.answer = (response) => response.writeHead(500).end();
        const { id } = await hook(ada, receiver.url);
        start();
        await ada.project();
        await until(() => receiver.received.length === 1);
        await until(async () => (await db.raw('select 1 from webhooks where leased_until is null and failures > 0 and id = ?', [id])).rows.length === 1);
        await db.raw(`update webhook_deliveries set first_attempt_at = now() - interval '3 days 1 minute', due_at = now() where webhook_id = ?`, [id]);
        await db.raw(`update webhooks set failing_since = now() - interval '3 days 1 minute', due_at = now() where id = ?`, [id]);
        await until(async () => !(await shown(ada, id)).enabled);
        expect(await shown(ada, id)).to.include({ enabled: false, reason: 'failing', waiting: 0 });
        expect((await deliveries(ada, id)).map(({ state }) => state)).to.equal(['failed']);

        // It costs nothing, and is told nothing, until it is switched on again.
        await ada.project();
        expect((await db.raw('select 1 from webhook_events')).rows).to.equal([]);
        for (const path of ['test', `deliveries/${(await deliveries(ada, id))[0].id}`]) {
            expect((await server.call('POST', `/users/me/webhooks/${id}/${path}`, {}, { token: ada.token })).body.code).to.equal('webhook_off');
        }

        receiver.answer = (response) => response.writeHead(410).end();
        expect((await server.call('PATCH', `/users/me/webhooks/${id}`, { enabled: true }, { token: ada.token })).body.webhook).to.include({ enabled: true, reason: null, failing_since: null });
        await ada.project();
        await until(async () => !(await shown(ada, id)).enabled);
        expect((await shown(ada, id)).reason).to.equal('gone');

        expect((await server.call('PATCH', `/users/me/webhooks/${id}`, { enabled: true }, { token: ada.token })).status).to.equal(200);
        await db.raw(`insert into webhook_deliveries (webhook_id, project_id, event, revision, at, data, due_at) select ?, n, 'project.changed', 1, now(), '{}', now() + interval '1 day' from generate_series(1, ?) n`, [id, MAX_WAITING]);
        expect((await server.call('POST', `/users/me/webhooks/${id}/test`, {}, { token: ada.token })).body.code).to.equal('webhook_full');
        await ada.project();
        await until(async () => !(await shown(ada, id)).enabled);
        expect(await shown(ada, id)).to.include({ reason: 'overfull', waiting: 0 });

        // What was sent long ago is forgotten as new ones are sent.
        receiver.answer = (response) => response.writeHead(200).end();
        await server.call('PATCH', `/users/me/webhooks/${id}`, { enabled: true }, { token: ada.token });
        await ada.project();
        await until(async () => (await db.raw('select count(*)::int as count from webhook_deliveries where webhook_id = ?', [id])).rows[0].count === KEPT_DELIVERIES);
    });

    it('again by the next instance, with the same id, if one ends or dies meanwhile', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url);
        receiver.answer = () => undefined;
        const end = start({ post: { timeout: 60_000 } });
        await ada.project();
        await until(() => receiver.received.length === 1);
        const began = Date.now();
        await end();
        expect(Date.now() - began).to.be.above(2500);
        expectQuick(Date.now() - began, 6000);
        receiver.answer = (response) => response.writeHead(200).end();
        // An instance that dies keeps its lease until that ends.
        await server.database.db.raw(`update webhooks set leased_until = now() + interval '300 milliseconds', due_at = now() where id = ?`, [id]);
        start();
        await until(() => receiver.received.length === 2);
        expect(receiver.received[0]?.headers['webhook-id']).to.equal(receiver.received[1]?.headers['webhook-id']);
        expect(receiver.received[0]?.body).to.equal(receiver.received[1]?.body);
        await until(async () => (await deliveries(ada, id))[0].state === 'delivered');
        expect((await deliveries(ada, id))[0]).to.include({ attempts: 2, state: 'delivered' });
    });

    it('no more after the service was asked to end', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url);
        for (let n = 0; n < 2; n++) {
            expect((await server.call('POST', `/users/me/webhooks/${id}/test`, {}, { token: ada.token })).status).to.equal(201);
        }

        // It is looking what there is to send: then it does not even take the webhook.
        const written = async (): Promise<string> => (await server.database.db.raw('select xmin::text as written from webhooks where id = ?', [id])).rows[0].written;
        const before_ = await written();
        let looked: Promise<void> | undefined;
        await server.database.db.transaction(async (trx) => {
            await trx.raw('lock table webhooks in access exclusive mode');
            const endLooking = start();
            await until(async () => await waiting(server) > 0);
            looked = endLooking();
        });
        await looked;
        expect([await written(), receiver.received]).to.equal([before_, []]);

        // It is sending the first of two.
        let sent: Promise<void> | undefined;
        const endSending = start();
        receiver.answer = (response) => {
            sent = endSending();
            response.writeHead(204).end();
        };

        await until(() => sent !== undefined);
        await sent;
        expect((await deliveries(ada, id)).map(({ state }) => state)).to.equal(['waiting', 'delivered']);
        expect(receiver.received).to.have.length(1);
    });

    it('no more by an instance whose webhook another one has taken', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url);
        const held: ServerResponse[] = [];
        receiver.answer = (response) => void held.push(response);
        for (let n = 0; n < 2; n++) {
            expect((await server.call('POST', `/users/me/webhooks/${id}/test`, {}, { token: ada.token })).status).to.equal(201);
        }

        const end = start();
        await until(() => held.length === 1);
        await server.database.db.raw(`update webhooks set leased_until = now() + interval '1 hour' where id = ?`, [id]);
        held.forEach((response) => response.writeHead(204).end());
        await until(async () => (await deliveries(ada, id))[1].state === 'delivered');
        await sleep(50);
        await end();
        expect((await deliveries(ada, id)).map(({ state }) => state)).to.equal(['waiting', 'delivered']);
        expect((await server.database.db.raw('select leased_until > now() as leased from webhooks where id = ?', [id])).rows).to.equal([{ leased: true }]);
    });

    it('again about five seconds after a redirect, which is not followed', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url);
        receiver.answer = (response) => response.writeHead(308, { location: receiver.url }).end();
        start({ firstRetry: undefined });
        const began = Date.now();
        await server.call('POST', `/users/me/webhooks/${id}/test`, {}, { token: ada.token });
        await until(async () => (await deliveries(ada, id))[0].response_status !== null);
        const [delivery] = await deliveries(ada, id);
        expect(delivery).to.include({ state: 'waiting', attempts: 1, response_status: 308, error: 'The answer was 308. Redirects are not followed: give the webhook the address that they lead to.' });
        expect(Date.parse(delivery.next_attempt_at) - began).to.be.within(3700, 6300 + Date.now() - began);
        expect(receiver.received).to.have.length(1);
    });

    it('as tests', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url);
        start();
        expect((await server.call('POST', `/users/me/webhooks/${id}/test`, {}, { token: ada.token })).body.delivery).to.include({ event: 'webhook.test', project_id: null, revision: null });
        await until(() => receiver.received.length === 1);
        expect(JSON.parse(String(receiver.received[0]?.body))).to.include({ type: 'webhook.test', data: { webhook_id: id } });
    });

    it('later if the database fails meanwhile', async () => {
        const receiver = await receive();
        const ada = await openAuthor(server);
        const { id } = await hook(ada, receiver.url);
        await server.database.db.raw('alter table webhook_deliveries rename column duration_ms to was_duration_ms');
        start();
        await ada.project();
        await until(() => logged.length > 0);
        await server.database.db.raw('alter table webhook_deliveries rename column was_duration_ms to duration_ms');
        await server.database.db.raw(`update webhooks set leased_until = now() where id = ?`, [id]);
        await until(async () => (await deliveries(ada, id))[0]?.state === 'delivered');
        const [first] = receiver.received;
        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).to.equal(new Set([first?.headers['webhook-id']]));
    });
});
