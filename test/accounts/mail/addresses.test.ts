import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { keepMailing } from '../../../src/accounts/mail/jobs';
import { ADDRESS_LINK_HOURS, MAX_ACCOUNTS_OF_ADDRESS, MAX_MAILS_AN_HOUR, MAX_MAILS_A_DAY, MAX_WAITING_MAILS } from '../../../src/limits';
import { count, openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { until } from '../../support/host';
import { keyIn, mailTo, startMailServer } from '../../support/mail-server';
import type { MailServer, ReceivedMail } from '../../support/mail-server';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const none = { confirmed: null, confirmed_at: null, pending: null, pending_since: null };

describe('a mail address', () => {
    let server: TestServer;
    let mails: MailServer;
    let end: () => Promise<void>;
    const logged: unknown[] = [];

    before(async () => {
        server = await startTestServer();
        mails = await startMailServer();
        end = keepMailing({ db: server.database.db, logger: { warn: (...line: unknown[]) => void logged.push(line), info: (...line: unknown[]) => void logged.push(line) }, mail: mailTo(mails), every: 20 });
    });

    afterEach(async () => {
        mails.received.length = 0;
        await server.database.db.raw('delete from mail_addresses; delete from mails; delete from mail_links');
    });

    after(async () => {
        await end();
        await mails.stop();
        await server.stop();
    });

    const give = ({ token }: Pick<Author, 'token'>, address: string, current_password = PASSWORD): Promise<Answer> => server.call('PUT', '/users/me/address', { address, current_password }, { token });
    const read = async ({ token }: Pick<Author, 'token'>): Promise<Answer['body']> => (await server.call('GET', '/users/me/address', undefined, { token })).body.address;
    const confirm = ({ token }: Pick<Author, 'token'>, key: string): Promise<Answer> => server.call('POST', '/users/me/address/confirmations', { key }, { token });
    const remove = ({ token }: Pick<Author, 'token'>): Promise<Answer> => server.call('DELETE', '/users/me/address', {}, { token });

    /** The mails to an address, as soon as there are so many. */
    const to = async (address: string, number = 1): Promise<ReceivedMail[]> => {
        const own = (): ReceivedMail[] => mails.received.filter((mail) => mail.to[0] === address);
        await until(() => own().length >= number);
        return own();
    };

    const confirmed = async (author: Author, address: string): Promise<void> => {
        expect((await give(author, address)).status).to.equal(200);
        const [mail] = await to(address);
        expect((await confirm(author, keyIn(mail ?? { text: '' }))).status).to.equal(200);
    };

    it('is confirmed once, by whoever has the mail and the account', async () => {
        const [ada, bea] = [await openAuthor(server, 'ada'), await openAuthor(server, 'bea')];
        expect(await read(ada)).to.equal(none);
        const given = await give(ada, 'Ada@mail.example');
        expect(given.headers['cache-control']).to.equal('private, no-cache');
        expect(given.body).to.equal({ status: 'updated', address: { ...none, pending: 'Ada@mail.example', pending_since: given.body.address.pending_since } });
        const [mail] = await to('Ada@mail.example');
        expect(mail?.from).to.equal('pages@pages.example');
        expect(mail?.headers.get('from')).to.equal('Our pages <pages@pages.example>');
        expect(mail?.headers.get('to')).to.equal('Ada@mail.example');
        expect(mail?.headers.get('auto-submitted')).to.equal('auto-generated');
        expect(mail?.headers.get('x-mailer')).to.be.undefined();
        expect(mail?.text).to.include(['ada', 'Our pages', '24 hours']);
        const key = keyIn(mail ?? { text: '' });
        expect(mail?.text).to.include(`\nhttps://pages.example/account/confirm#${key}\n`);

        const refused = await confirm(bea, key);
        expect([refused.status, refused.body.code]).to.equal([400, 'link_invalid']);
        expect((await confirm(ada, 'A'.repeat(43))).body.code).to.equal('link_invalid');
        expect((await confirm(ada, 'short')).body.code).to.equal('validation_failed');
        const done = await confirm(ada, key);
        expect(done.body).to.equal({ status: 'updated', address: { ...none, confirmed: 'Ada@mail.example', confirmed_at: done.body.address.confirmed_at } });
        expect(await read(ada)).to.equal(done.body.address);
        expect((await confirm(ada, key)).body.code).to.equal('link_invalid');
        // The address before was none, so nobody was told.
        expect(mails.received).to.have.length(1);
    });

    it('is nowhere but in the account and its takeout', async () => {
        const ada = await openAuthor(server);
        await confirmed(ada, 'private@mail.example');
        await give(ada, 'pending@mail.example');
        await to('pending@mail.example');
        const project = await ada.project();
        const paths = ['/users/me', '/tokens', project.url, '/projects', '/search?q=private', '/users/me/projects', `${project.url}/history`, '/users/me/trash', '/users/me/passkeys'];
        for (const path of paths) {
            const { status, text } = await server.call('GET', path, undefined, { token: ada.token });
            expect(status, path).to.equal(200);
            expect(text, path).to.not.include('mail.example');
        }

        const accountIn = async (token: string): Promise<string> => {
            const response = await server.server.inject({ url: '/users/me/takeout', headers: { authorization: `token ${token}` } });
            return String((await unzip(response.rawPayload)).get('account.json'));
        };

        expect(JSON.parse(await accountIn(ada.token)).address).to.include({ confirmed: 'private@mail.example', pending: 'pending@mail.example' });
        const { body: { token: script } } = await server.call('POST', '/users/me/tokens', { label: 'A script', scope: ['user'] }, { token: ada.token });
        expect(await accountIn(script.access_token)).to.not.include('mail.example');
        expect((await server.call('GET', '/users/me/address', undefined, { token: script.access_token })).body.code).to.equal('sign_in_needed');
        expect(JSON.stringify(logged)).to.not.include('mail.example');
        // What was sent is only counted.
        await until(async () => await count(server, `from mails where state = 'waiting'`) === 0);
        expect(await count(server, 'from mails where address is not null')).to.equal(0);
        const { rows } = await server.database.db.raw('select * from mail_links');
        expect(JSON.stringify(rows)).to.not.include(keyIn((await to('pending@mail.example'))[0] ?? { text: '' }));
    });

    it('needs the password, and an address that is one', async () => {
        const ada = await openAuthor(server);
        const wrong = await give(ada, 'ada@mail.example', 'not the password');
        expect([wrong.status, wrong.body.code]).to.equal([403, 'wrong_password']);
        for (const address of [
            '', 'ada', 'ada@', '@mail.example', 'ada@mail', 'ada@mail.', 'a b@mail.example', 'ada@mail.example\r\nBcc: bea@mail.example', 'ada@mail.example, bea@mail.example', 'ada@mail.example;bea@mail.example', 'Ada <ada@mail.example>',
            '"ada"@mail.example', 'ada@[127.0.0.1]', 'ada@127.0.0.1', 'ada.@mail.example', '.ada@mail.example', 'a..b@mail.example', 'ada@-mail.example', 'ada@mail..example', 'ada@mail.example\u0000', '\u00e4da@mail.example', 'ada@mail.example>', `${'a'.repeat(250)}@mail.example`
        ]) {
            const answer = await give(ada, address);
            expect([answer.status, answer.body.code], address).to.equal([400, 'validation_failed']);
        }

        await server.database.db.raw('update users set password_hash = null where id = ?', [ada.id]);
        expect((await give(ada, 'ada@mail.example')).body.code).to.equal('wrong_password');
        expect(await read(ada)).to.equal(none);
        expect(await count(server, 'from mails')).to.equal(0);
    });

    it('is not given if the password is changed at the same time', async () => {
        const ada = await openAuthor(server);
        const [answer] = await startWhileLocked(server, ['users', ada.id], [() => give(ada, 'ada@mail.example')], (trx) => trx.raw(`update users set password_hash = 'x' where id = ?`, [ada.id]));
        expect(answer?.body.code).to.equal('wrong_password');
    });

    it('that is replaced is told, and stays until the new one is confirmed', async () => {
        const ada = await openAuthor(server, undefined, { language: 'pt-BR' });
        await confirmed(ada, 'old@mail.example');
        await give(ada, 'new@mail.example');
        expect(await read(ada)).to.include({ confirmed: 'old@mail.example', pending: 'new@mail.example' });
        const [mail] = await to('new@mail.example');
        expect(mail?.headers.get('content-language')).to.equal('pt');
        expect((await confirm(ada, keyIn(mail ?? { text: '' }))).body.address).to.include({ confirmed: 'new@mail.example', pending: null });
        const [, told] = await to('old@mail.example', 2);
        expect(told?.headers.get('subject')).to.equal('Our pages: o seu endereço mudou');
        expect(told?.text).to.include('https://pages.example/\n').and.to.not.include('new@mail.example');

        // The one that is confirmed needs no mail, however it is written.
        await give(ada, 'third@mail.example');
        const [third] = await to('third@mail.example');
        expect((await give(ada, 'NEW@mail.example')).body.address).to.include({ confirmed: 'new@mail.example', pending: null });
        expect((await confirm(ada, keyIn(third ?? { text: '' }))).body.code).to.equal('link_invalid');
        expect(mails.received.filter((one) => one.to[0] === 'NEW@mail.example')).to.equal([]);
    });

    it('that is removed is told', async () => {
        const ada = await openAuthor(server);
        await confirmed(ada, 'ada@mail.example');
        await give(ada, 'other@mail.example');
        const removed = await remove(ada);
        expect([removed.status, removed.body.status, removed.body.address.confirmed]).to.equal([200, 'deleted', 'ada@mail.example']);
        expect(await read(ada)).to.equal(none);
        const [, told] = await to('ada@mail.example', 2);
        expect(told?.headers.get('subject')).to.equal('Our pages: your address was removed');
        expect((await remove(ada)).status).to.equal(404);
        await give(ada, 'never@mail.example');
        await remove(ada);
        await until(async () => await count(server, `from mails where state = 'waiting'`) === 0);
        expect(mails.received.filter((one) => one.to[0] === 'never@mail.example' && one.headers.get('subject')?.includes('removed'))).to.equal([]);
    });

    it('is not confirmed by a link that is too old, of another address, or from before a new password', async () => {
        const ada = await openAuthor(server);
        await give(ada, 'one@mail.example');
        const [one] = await to('one@mail.example');
        await give(ada, 'two@mail.example');
        const [two] = await to('two@mail.example');
        expect((await confirm(ada, keyIn(one ?? { text: '' }))).body.code).to.equal('link_invalid');

        const { rows: [{ hours }] } = await server.database.db.raw(`select round(extract(epoch from max(expires_at) - now()) / 3600)::int as hours from mail_links`);
        expect(hours).to.equal(ADDRESS_LINK_HOURS);
        await server.database.db.raw(`update mail_links set expires_at = now()`);
        expect((await confirm(ada, keyIn(two ?? { text: '' }))).body.code).to.equal('link_invalid');
        await server.database.db.raw(`update mail_links set expires_at = now() + interval '1 hour'`);
        const changed = await server.call('PUT', '/users/me/password', { current_password: PASSWORD, password: 'another password' }, { token: ada.token });
        expect(changed.status).to.equal(200);
        expect((await confirm(ada, keyIn(two ?? { text: '' }))).body.code).to.equal('link_invalid');
    });

    it('is not sent to what is not wanted any more', async () => {
        const [ada, bea] = [await openAuthor(server), await openAuthor(server)];
        await end();
        await give(ada, 'gone@mail.example');
        await give(ada, 'wanted@mail.example');
        await give(bea, 'removed@mail.example');
        await remove(bea);
        end = keepMailing({ db: server.database.db, logger: { warn: (...line: unknown[]) => void logged.push(line), info: () => undefined }, mail: mailTo(mails), every: 20 });
        await to('wanted@mail.example');
        await until(async () => await count(server, `from mails where state = 'waiting'`) === 0);
        expect(mails.received.map((mail) => mail.to[0])).to.equal(['wanted@mail.example']);
    });

    it('is not of accounts that a class manages, nor changed while an account is suspended, when it can be removed', async () => {
        const [ada, mod, teacher] = [await openAuthor(server), await openAuthor(server, undefined, { moderator: true }), await openAuthor(server)];
        await server.database.db.raw('update users set teacher = true where id = ?', [teacher.id]);
        const { body: { class: { id } } } = await server.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: teacher.token });
        const { body: { pupils: [pupil] } } = await server.call('POST', `/classes/${id}/pupils`, { names: ['Mia'] }, { token: teacher.token });
        const { body: { token: { access_token: token } } } = await server.call('POST', '/tokens', { username: pupil.user.username, password: pupil.passphrase });
        const managed = await give({ token }, 'mia@mail.example', pupil.passphrase);
        expect([managed.status, managed.body.code]).to.equal([403, 'managed_account']);
        expect((await confirm({ token }, 'A'.repeat(43))).body.code).to.equal('managed_account');
        expect(await read({ token })).to.equal(none);

        await confirmed(ada, 'ada@mail.example');
        expect((await server.call('PUT', `/moderation/users/${ada.id}/suspension`, { reason: 'Spam' }, { token: mod.token })).status).to.equal(200);
        expect((await give(ada, 'other@mail.example')).body.code).to.equal('suspended');
        expect((await confirm(ada, 'A'.repeat(43))).body.code).to.equal('suspended');
        expect((await remove(ada)).status).to.equal(200);
    });

    it(`is confirmed for at most ${MAX_ACCOUNTS_OF_ADDRESS} accounts`, async () => {
        const ada = await openAuthor(server);
        await server.database.db.raw(`
            with u as (insert into users (username, username_key) select 'family-' || n, 'family-' || n from generate_series(1, ${MAX_ACCOUNTS_OF_ADDRESS}) n returning id)
            insert into mail_addresses (user_id, address, key, mailbox, confirmed_at) select id, 'family@mail.example', 'family@mail.example', 'x', now() from u`);
        await give(ada, 'Family@mail.example');
        const [mail] = await to('Family@mail.example');
        const key = keyIn(mail ?? { text: '' });
        const { status, body } = await confirm(ada, key);
        expect([status, body.code]).to.equal([409, 'address_limit']);
        await server.database.db.raw(`delete from users where username = 'family-1'`);
        expect((await confirm(ada, key)).status).to.equal(200);
    });

    it('gets few mails, whoever asks and however it is written', async () => {
        const ada = await openAuthor(server);
        for (let n = 0; n < MAX_MAILS_AN_HOUR; n++) {
            expect((await give(await openAuthor(server), n % 2 === 0 ? `t.he.victim+${n}@mail.example` : `The.Victim+${n}@mail.example`)).status).to.equal(200);
        }

        const refused = await give(ada, 'thevictim@mail.example');
        expect([refused.status, refused.body.code, refused.headers['retry-after']]).to.equal([429, 'mail_limit', '3600']);
        expect((await give(ada, 'another@mail.example')).status).to.equal(200);

        // In a day, too.
        await server.database.db.raw(`update mails set created_at = now() - interval '2 hours'`);
        await server.database.db.raw(`insert into mails (kind, user_id, mailbox, state, created_at) select 'confirm', m.user_id, m.mailbox, 'sent', m.created_at from mails m, generate_series(1, ${(MAX_MAILS_A_DAY / MAX_MAILS_AN_HOUR) - 1}) where m.user_id <> ?`, [ada.id]);
        expect((await give(ada, 'thevictim@mail.example')).status).to.equal(429);
        await server.database.db.raw(`update mails set created_at = created_at - interval '1 day'`);
        expect((await give(ada, 'thevictim@mail.example')).status).to.equal(200);
    });

    it('has one account send few mails, to whatever addresses', async () => {
        const ada = await openAuthor(server);
        for (let n = 0; n < MAX_MAILS_AN_HOUR; n++) {
            expect((await give(ada, `victim-${n}@mail.example`)).status).to.equal(200);
            // A mail that is not sent, because another address was given meanwhile, does not count.
            await until(async () => await count(server, `from mails where state = 'waiting'`) === 0);
        }

        expect((await give(ada, 'one-more@mail.example')).body.code).to.equal('mail_limit');
        expect((await read(ada)).pending).to.equal(`victim-${MAX_MAILS_AN_HOUR - 1}@mail.example`);
    });

    it('has to wait if many mails do', async () => {
        const ada = await openAuthor(server);
        await server.database.db.raw(`insert into mails (kind, user_id, address, mailbox, due_at) select 'confirm', (select min(id) from users), 'x', 'x', now() + interval '1 hour' from generate_series(1, ${MAX_WAITING_MAILS})`);
        const { status, body, headers } = await give(ada, 'ada@mail.example');
        expect([status, body.code, headers['retry-after']]).to.equal([503, 'mail_full', '300']);
        expect(await read(ada)).to.equal(none);
    });

    it('is asked for nowhere if the service sends no mail', async () => {
        const off = await startTestServer({ database: server.database, config: { mail: null } });
        const ada = await openAuthor(server);
        for (const [method, path, body] of [
            ['GET', '/users/me/address', undefined], ['PUT', '/users/me/address', { address: 'ada@mail.example', current_password: PASSWORD }], ['POST', '/users/me/address/confirmations', { key: 'A'.repeat(43) }], ['DELETE', '/users/me/address', {}],
            ['POST', '/new-passwords/mails', { account: 'ada' }], ['POST', '/new-passwords', { key: 'A'.repeat(43), password: PASSWORD }]
        ] as const) {
            const answer = await off.call(method, path, body, { token: ada.token });
            expect([answer.status, answer.body.code], `${method} ${path}`).to.equal([404, 'mail_off']);
        }

        await off.server.stop();
    });
});
