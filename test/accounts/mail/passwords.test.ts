import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { addressKey, mailboxOf } from '../../../src/accounts/mail/keys';
import { keepMailing } from '../../../src/accounts/mail/jobs';
import { MAX_MAILS_AN_HOUR, MAX_MAILS_A_DAY, MAX_WAITING_MAILS, PASSWORD_LINK_MINUTES } from '../../../src/limits';
import { count, openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { stored } from '../../support/cast';
import { until } from '../../support/host';
import { keyIn, mailTo, startMailServer } from '../../support/mail-server';
import type { MailServer, ReceivedMail } from '../../support/mail-server';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const FRESH = 'staple of another kind';

describe('a new password by mail', () => {
    let server: TestServer;
    let mails: MailServer;
    let end: (() => Promise<void>) | undefined;
    let serial = 0;

    before(async () => {
        server = await startTestServer();
        mails = await startMailServer();
    });

    afterEach(async () => {
        await stopSending();
        mails.received.length = 0;
        await server.database.db.raw('delete from mail_addresses; delete from mails; delete from mail_links; delete from password_requests');
    });

    after(async () => {
        await mails.stop();
        await server.stop();
    });

    const startSending = (): void => {
        end = keepMailing({ db: server.database.db, logger: { warn: () => undefined, info: () => undefined }, mail: mailTo(mails), every: 20 });
    };

    const stopSending = async (): Promise<void> => {
        await end?.();
        end = undefined;
    };

    const addressOf = async ({ id }: Pick<Author, 'id'>, address: string): Promise<void> => {
        await server.database.db.raw('insert into mail_addresses (user_id, address, key, mailbox, confirmed_at) values (?, ?, ?, ?, now())', [id, address, addressKey(address), mailboxOf(address)]);
    };

    /** Somebody with a confirmed address. */
    const person = async (address = `person-${++serial}@mail.example`): Promise<Author & { address: string }> => {
        const author = await openAuthor(server);
        await addressOf(author, address);
        return { ...author, address };
    };

    const ask = (account: string): Promise<Answer> => server.call('POST', '/new-passwords/mails', { account });
    const choose = (key: string, password = FRESH): Promise<Answer> => server.call('POST', '/new-passwords', { key, password });
    const signIn = ({ username }: Pick<Author, 'username'>, password: string): Promise<Answer> => server.call('POST', '/tokens', { username, password });

    /** The mails, as soon as there is nothing left to send. */
    const sent = async (): Promise<ReceivedMail[]> => {
        await until(async () => await count(server, 'from password_requests') + await count(server, `from mails where state = 'waiting'`) === 0);
        return mails.received;
    };

    const linkTo = async (account: string): Promise<string> => {
        const had = mails.received.length;
        await ask(account);
        await until(() => mails.received.length > had);
        return keyIn(mails.received.at(-1) ?? { text: '' });
    };

    it('is chosen once with the link, and ends all sign-ins, authorizations and other links', async () => {
        const ada = await person('Ada.L@mail.example');
        startSending();
        const [first, key] = [await linkTo(ada.username.toUpperCase()), await linkTo('ada.l@MAIL.example')];
        const [mail] = mails.received;
        expect(mails.received.map(({ to }) => to)).to.equal([['Ada.L@mail.example'], ['Ada.L@mail.example']]);
        expect(mail?.text).to.include([ada.username, 'Our pages', `${PASSWORD_LINK_MINUTES} minutes`, `\nhttps://pages.example/new-password#${first}\n`]);
        const { body: { app } } = await server.call('POST', '/users/me/apps', { name: 'Editor', url: 'https://editor.example', redirect_uris: ['https://editor.example/done'] }, { token: ada.token });
        await server.database.db.raw(`insert into authorizations (id, user_id, app_id, scope, payload, expires_at) values ('x', ?, ?, '{projects}', '{}', now() + interval '1 day')`, [ada.id, app.id]);
        expect((await choose(key, 'short')).body.code).to.equal('validation_failed');

        const done = await choose(key);
        expect(done.body).to.equal({ status: 'updated', user: { id: ada.id, username: ada.username } });
        expect(done.headers['cache-control']).to.equal('no-store');
        expect((await signIn(ada, PASSWORD)).body.code).to.equal('wrong_credentials');
        expect((await server.call('GET', '/users/me', undefined, { token: ada.token })).status).to.equal(401);
        expect(await count(server, 'from authorizations where user_id = ?', [ada.id])).to.equal(0);
        expect((await signIn(ada, FRESH)).status).to.equal(201);
        for (const used of [key, first]) {
            const again = await choose(used, 'one more password');
            expect([again.status, again.body.code]).to.equal([400, 'link_invalid']);
        }

        expect(await count(server, 'from mail_links')).to.equal(0);
        const told = (await sent()).at(-1);
        expect(told?.headers.get('subject')).to.equal('Our pages: your password was changed');
        expect(told?.text).to.not.include('#');
    });

    it('is chosen by one of several requests at once', async () => {
        const ada = await person();
        startSending();
        const key = await linkTo(ada.username);
        const answers = await Promise.all([1, 2, 3, 4].map((n) => choose(key, `password number ${n}`)));
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 400, 400, 400]);
        expect((await signIn(ada, `password number ${answers.findIndex(({ status }) => status === 200) + 1}`)).status).to.equal(201);
    });

    it('is not chosen with a link that has expired, or from before another password or address, nor for an account that is gone', async () => {
        const people = await Promise.all([1, 2, 3, 4, 5, 6].map(() => person()));
        startSending();
        const keys: string[] = [];
        for (const { username } of people) {
            keys.push(await linkTo(username));
        }

        const [late, changed, moved, removed, gone, managed] = people;
        const { db } = server.database;
        const { rows: [{ minutes }] } = await db.raw('select round(extract(epoch from max(expires_at) - now()) / 60)::int as minutes from mail_links');
        expect(minutes).to.equal(PASSWORD_LINK_MINUTES);
        await db.raw('update mail_links set expires_at = now() where user_id = ?', [late?.id ?? '']);
        expect((await server.call('PUT', '/users/me/password', { current_password: PASSWORD, password: 'another password' }, { token: changed?.token })).status).to.equal(200);
        await db.raw(`update mail_addresses set address = 'other@mail.example' where user_id = ?`, [moved?.id ?? '']);
        expect((await server.call('DELETE', '/users/me/address', {}, { token: removed?.token })).status).to.equal(200);
        expect((await server.call('DELETE', '/users/me', {}, { token: gone?.token })).status).to.equal(200);
        await db.raw(`update users set publish = 'nobody' where id = ?`, [managed?.id ?? '']);
        for (const [n, key] of keys.entries()) {
            expect((await choose(key)).body.code, String(n)).to.equal('link_invalid');
        }

        expect((await choose('A'.repeat(43))).body.code).to.equal('link_invalid');
    });

    it('is asked for with the same response, in the same time, whether there is such an account or not', async () => {
        const ada = await person();
        const bare = await openAuthor(server);
        const asked = [ada.username, ada.address, bare.username, 'nobody-there', 'nobody@mail.example', 'not a name, nor an address', '@', ' ', '\u{1F3A8}'];
        const headersOf = ({ headers }: Answer): object => Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'x-request-id' && name !== 'date'));
        // Whatever is looked up of accounts would wait, so the time cannot depend on them.
        const [first, ...others] = await server.database.db.transaction(async (trx) => {
            await trx.raw('lock table users, mail_addresses in access exclusive mode');
            return Promise.all(asked.map(ask));
        });
        expect([first?.status, first?.text]).to.equal([200, '{"status":"success"}']);
        for (const one of others) {
            expect([one.status, one.text, headersOf(one)]).to.equal([first?.status, first?.text, headersOf(first ?? one)]);
        }

        // Each of them has stored a line, and nothing else.
        expect(await count(server, 'from password_requests')).to.equal(asked.length);
        expect(await count(server, 'from mails')).to.equal(0);
        for (const wrong of ['', 'x'.repeat(255), 'two\nlines']) {
            expect((await ask(wrong)).body.code).to.equal('validation_failed');
        }
    });

    it('is sent to nobody without a confirmed address, or without a password to replace', async () => {
        const [deleted, managed, elsewhere, suspended] = [await person(), await person(), await person(), await person()];
        const [bare, pending] = [await openAuthor(server), await openAuthor(server)];
        const { db } = server.database;
        await db.raw(`insert into mail_addresses (user_id, pending, pending_since) values (?, 'pending@mail.example', now())`, [pending.id]);
        expect((await server.call('DELETE', '/users/me', {}, { token: deleted.token })).status).to.equal(200);
        await db.raw(`update users set publish = 'nobody' where id = ?`, [managed.id]);
        await db.raw('update users set password_hash = null where id = ?', [elsewhere.id]);
        await db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [suspended.id]);
        for (const account of [deleted, managed, elsewhere].flatMap(({ username, address }) => [username, address]).concat(bare.username, pending.username, 'pending@mail.example', 'nobody@mail.example', suspended.username)) {
            expect((await ask(account)).status).to.equal(200);
        }

        startSending();
        // A suspended person signs in and reads, so they may need it.
        expect((await sent()).map(({ to }) => to[0])).to.equal([suspended.address]);
    });

    it('is sent for each account that has the address, and once for one that was asked for twice', async () => {
        const [one, two] = [await person('family@mail.example'), await person('Family@mail.example')];
        await Promise.all(['family@mail.example', 'FAMILY@mail.example', one.username, one.username].map(ask));
        startSending();
        const received = await sent();
        expect(received.map(({ to }) => to[0]).sort()).to.equal(['Family@mail.example', 'family@mail.example']);
        expect(received.map(({ text }) => [one, two].filter(({ username }) => text.includes(`account ${username} at`)).length)).to.equal([1, 1]);
    });

    it('floods no mailbox, and does not say so', async () => {
        const people = await Promise.all(['v.ictim@mail.example', 'victim+a@mail.example', 'Victim@mail.example'].map(person));
        startSending();
        for (let n = 0; n < MAX_MAILS_AN_HOUR; n++) {
            for (const { username } of people) {
                expect((await ask(username)).status).to.equal(200);
            }

            await sent();
        }

        expect(mails.received).to.have.length(MAX_MAILS_AN_HOUR);
        const { db } = server.database;
        await db.raw(`update mails set created_at = now() - interval '61 minutes'`);
        const had = mails.received.length;
        for (let hours = 0; hours < 6; hours++) {
            await Promise.all(people.map(({ address }) => ask(address)));
            await sent();
            await Promise.all(people.map(({ address }) => ask(address)));
            await sent();
            await db.raw(`update mails set created_at = created_at - interval '61 minutes'`);
        }

        expect(mails.received.length - had).to.equal(MAX_MAILS_A_DAY - MAX_MAILS_AN_HOUR);
        await db.raw(`update mails set created_at = created_at - interval '1 day'`);
        await ask(people[0]?.username ?? '');
        await sent();
        expect(mails.received.length - had).to.equal(MAX_MAILS_A_DAY - MAX_MAILS_AN_HOUR + 1);
    });

    it('has to wait if many do, whoever asks', async () => {
        const ada = await person();
        await server.database.db.raw(`insert into password_requests (account) select 'nobody' from generate_series(1, ${MAX_WAITING_MAILS})`);
        for (const account of [ada.username, 'nobody-there']) {
            const { status, body, headers } = await ask(account);
            expect([status, body.code, headers['retry-after']]).to.equal([503, 'mail_full', '300']);
        }

        // They are not looked at while many mails wait.
        await server.database.db.raw('delete from password_requests');
        await server.database.db.raw(`insert into mails (kind, user_id, address, mailbox, due_at) select 'password', ?, 'x', 'x', now() + interval '1 hour' from generate_series(1, ${MAX_WAITING_MAILS})`, [ada.id]);
        expect((await ask(ada.username)).status).to.equal(200);
        startSending();
        await new Promise((resolve) => {
            setTimeout(resolve, 200);
        });
        expect(await count(server, 'from password_requests')).to.equal(1);
        await server.database.db.raw('delete from mails');
        expect((await sent()).map(({ to }) => to[0])).to.equal([ada.address]);
    });

    it('changes nothing until a link is used', async () => {
        const ada = await person();
        const stays = await stored(server);
        startSending();
        await linkTo(ada.username);
        await sent();
        await stopSending();
        await server.database.db.raw('delete from mails; delete from mail_links');
        expect(await stored(server)).to.equal(stays);
        expect((await signIn(ada, PASSWORD)).status).to.equal(201);
    });
});
