import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { keepSending } from '../../../src/accounts/webhooks/jobs';
import { MAX_PLACE_WEBHOOKS, MAX_WAITING } from '../../../src/limits';
import { run } from '../../../src/operations/cli/main';
import { count, openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { fakeHost, until } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startReceiver, verified } from '../../support/receiver';
import type { Receiver } from '../../support/receiver';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('the command for webhooks', () => {
    let test: TestServer;
    let host: FakeHost;
    let ada: Author;
    let receiver: Receiver;

    before(async () => {
        test = await startTestServer({ config: { webhooksTo: ['127.0.0.0/8'] } });
        ada = await openAuthor(test, 'ada');
        receiver = await startReceiver();
    });

    after(async () => {
        receiver?.stop();
        await test.stop();
    });

    afterEach(async () => {
        await test.database.db.raw('delete from webhooks');
        await test.database.db.raw('delete from webhook_events');
        await test.database.db.raw('update projects set watched = false where watched');
        receiver.received.splice(0);
    });

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url, WEBHOOKS_TO: '127.0.0.0/8' });
        return run(['webhook', ...argv], host);
    };

    const add = async (...more: string[]): Promise<{ id: string; secret: string }> => {
        expect(await admin('add', receiver.url, ...more), host.err).to.equal(0);
        const [id = '', secret = ''] = host.out.trim().split('\t');
        return { id, secret };
    };

    const lines = (): string[][] => host.out.trim().split('\n').slice(1).map((line) => line.split('\t'));
    const marked = (): Promise<number> => count(test, 'from projects where watched');

    /** Sends for a while. @param instances so many at once */
    const sending = async (work: () => Promise<void>, instances = 1): Promise<void> => {
        const ends = Array.from({ length: instances }, () => keepSending({ db: test.database.db, logger: { warn: () => undefined, info: () => undefined }, to: ['127.0.0.0/8'], every: 20 }));
        try {
            await work();
        }
        finally {
            await Promise.all(ends.map((end) => end()));
        }
    };

    it('has a program told of everything that happens, by ids and kinds alone, in order, by several instances', async () => {
        const bea = await openAuthor(test);
        const before_ = await ada.project({ title: 'Secret before', visibility: 'private' });
        const { id, secret } = await add();
        expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
        expect(await marked()).to.equal(await count(test, 'from projects'));
        await sending(async () => {
            await ada.call('PATCH', before_.url, { title: 'Secret title' });
            const made = await bea.project({ title: 'Secret after', description: 'Secret words' });
            await ada.call('POST', `${made.url}/remixes`, {});
            await ada.call('DELETE', before_.url, {});
            await until(() => receiver.received.length === 5);
            const said = receiver.received.map(({ body }) => JSON.parse(body));
            const of = (project: string): unknown[] => said.filter(({ data }) => data.project.id === project).map(({ type, data }) => [type, data.from_revision, data.project.revision]);
            expect(of(before_.id)).to.equal([['project.changed', 1, 2], ['project.deleted', 2, 3]]);
            expect(of(made.id)).to.equal([['project.created', undefined, 1], ['project.remixed', undefined, 1]]);
            expect(said.find(({ type }) => type === 'project.created').data).to.equal({ project: { id: made.id, user_id: bea.id, revision: 1 }, by: bea.id, remixed_from: null });
        }, 3);

        for (const one of receiver.received) {
            expect(one.body).to.not.match(/secret|title|private|public/i);
            expect(verified(one, secret)).to.equal(JSON.parse(one.body));
        }

        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(5);
        expect(await admin('deliveries', id, '--count', '2')).to.equal(0);
        expect(lines().map((line) => [line[1], line[3], line[4], line[7]])).to.equal([['project.deleted', 'delivered', '1', '204'], ['project.remixed', 'delivered', '1', '204']]);
    });

    it('also by the webhooks of users, which go on as before', async () => {
        const own = await ada.project();
        expect((await ada.call('POST', '/users/me/webhooks', { url: receiver.url, events: ['project.changed'], projects: [own.id] })).status).to.equal(201);
        const { id } = await add('--events', 'project.changed');
        await sending(async () => {
            await ada.call('PATCH', own.url, { title: 'Read' });
            await until(() => receiver.received.length === 2);
        });
        expect(receiver.received.map(({ body }) => JSON.parse(body).data.project.title).sort()).to.equal(['Read', undefined]);
        // Nobody watches the others any more.
        expect(await admin('off', id)).to.equal(0);
        expect(await marked()).to.equal(1);
        expect(await admin('on', id)).to.equal(0);
        expect(await marked()).to.equal(await count(test, 'from projects'));
        expect(await admin('remove', id)).to.equal(4);
        expect(await admin('remove', id, '--yes')).to.equal(0);
        expect(await marked()).to.equal(1);
        await ada.project();
        expect(await count(test, 'from webhook_events')).to.equal(0);
    });

    it('tells of a project that was being made when the webhook was', async () => {
        const trx = await test.database.db.transaction();
        await trx.raw(`insert into projects (user_id, version, title) values (?, '1', 'x')`, [ada.id]);
        const adding = add();
        await until(async () => await count(test, 'from webhooks') === 1);
        expect(await count(test, `from projects where title = 'x'`)).to.equal(0);
        // It has looked for such transactions, and found this one.
        await until(async () => await count(test, `from pg_stat_activity where query like '%xact_start < %' and state = 'idle'`) > 0);
        await trx.commit();
        await adding;
        expect(await count(test, `from projects where title = 'x' and watched`)).to.equal(1);
    });

    it('lists them, gives another secret, sends tests, and sends again', async () => {
        const { id, secret } = await add('--events', 'project.held, project.featured');
        expect(await admin('list')).to.equal(0);
        expect(lines().map((line) => line.slice(0, 6))).to.equal([[id, receiver.url, 'project.held,project.featured', 'on', '0', '-']]);
        expect(host.out).to.not.contain(secret);
        expect(await admin('secret', id)).to.equal(0);
        const next = String(host.out.trim().split('\t')[1]);
        expect(next).to.match(/^whsec_/).and.to.not.equal(secret);
        expect(await admin('test', id)).to.equal(0);
        await sending(async () => {
            await until(() => receiver.received.length === 1);
            const [first] = receiver.received;
            expect([secret, next].map((key) => first && verified(first, key))).to.equal([1, 2].map(() => JSON.parse(String(first?.body))));

            await until(async () => await count(test, `from webhook_deliveries where state = 'delivered'`) === 1);
            expect(await admin('deliveries', id)).to.equal(0);
            const [[delivery = '', event] = []] = lines();
            expect(event).to.equal('webhook.test');
            expect(await admin('again', id, delivery)).to.equal(0);
            await until(() => receiver.received.length === 2);
            expect(receiver.received[1]?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
        });

        // Those of users are looked at, and sent to again; what else is done with them is theirs.
        const { body: { webhook } } = await ada.call('POST', '/users/me/webhooks', { url: receiver.url, events: ['project.held'] });
        expect(await admin('list', '--user', 'ADA')).to.equal(0);
        expect(lines().map((line) => line.slice(0, 2))).to.equal([[webhook.id, new URL(receiver.url).host]]);
        expect(await admin('test', webhook.id)).to.equal(0);
        for (const action of ['secret', 'on', 'off']) {
            expect(await admin(action, webhook.id)).to.equal(1);
            expect(host.err).to.equal(`The webhook ${webhook.id} is of a user, who alone can do this.\n`);
        }

        expect(await admin('remove', webhook.id, '--yes')).to.equal(1);
        expect(await admin('off', id)).to.equal(0);
        expect(await admin('list')).to.equal(0);
        expect(lines()[0]?.[3]).to.match(/^off since 20[^:]*:[0-9:.]*Z$/);
        await test.database.db.raw(`update webhooks set reason = 'gone' where id = ?`, [id]);
        expect(await admin('list')).to.equal(0);
        expect(lines()[0]?.[3]).to.match(/Z: gone$/);
        expect(await admin('test', id)).to.equal(1);
        expect(host.err).to.equal(`The webhook ${id} is switched off.\n`);
    });

    it('makes at most so many, also if several are made at once', async () => {
        await test.database.db.raw(`insert into webhooks (url, events, secret) select 'https://x', array['project.held'], sha256('x') from generate_series(1, ?)`, [MAX_PLACE_WEBHOOKS - 1]);
        const hosts = [0, 1].map(() => fakeHost({ DATABASE_URL: test.database.url, WEBHOOKS_TO: '127.0.0.0/8' }));
        const codes = await Promise.all(hosts.map((each) => run(['webhook', 'add', receiver.url], each)));
        expect(codes.sort()).to.equal([0, 1]);
        expect(hosts.map(({ err }) => err).join('')).to.equal(`There are ${MAX_PLACE_WEBHOOKS} webhooks of the place already. Remove one first.\n`);
        expect(await count(test, 'from webhooks')).to.equal(MAX_PLACE_WEBHOOKS);
    });

    it('says what is wrong', async () => {
        for (const [argv, text] of [
            [[], 'What to do must be list, add,'], [['sing'], ', not "sing".'], [['add'], 'The address is missing.'], [['add', 'ftp://x'], 'The address or the events are wrong'],
            [['add', receiver.url, '--events', 'project.sung'], 'The events are project.created,'], [['secret'], 'The id of the webhook is missing.'], [['test', 'x'], '"x" is no id.'],
            [['again', '1'], 'The id of the delivery is missing.'], [['deliveries', '1', '--count', '0'], '--count must be'], [['list', 'all'], 'Too many arguments']
        ] as const) {
            expect(await admin(...argv), argv.join(' ')).to.equal(2);
            expect(host.err, argv.join(' ')).to.contain(text);
        }

        expect(await admin('add', 'http://10.0.0.1/')).to.equal(1);
        expect(host.err).to.contain('WEBHOOKS_TO');
        expect(await admin('deliveries', '999')).to.equal(1);
        expect(host.err).to.equal('There is no webhook 999.\n');
        const { id } = await add();
        expect(await admin('again', id, '999')).to.equal(1);
        expect(host.err).to.equal(`The webhook ${id} has no such delivery.\n`);
        await test.database.db.raw(`insert into webhook_deliveries (webhook_id, event, at, data) select ?, 'webhook.test', now(), '{}' from generate_series(1, ?)`, [id, MAX_WAITING]);
        expect(await admin('test', id)).to.equal(1);
        expect(host.err).to.equal(`Too much waits for the webhook ${id} already.\n`);
    });
});
