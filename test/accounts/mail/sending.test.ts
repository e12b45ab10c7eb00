import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { addressKey, mailboxOf } from '../../../src/accounts/mail/keys';
import { leaseMail, mailKinds, post, retryMail } from '../../../src/accounts/mail/outbox';
import type { LeasedMail } from '../../../src/accounts/mail/outbox';
import { keepMailing } from '../../../src/accounts/mail/jobs';
import type { MailingOptions } from '../../../src/accounts/mail/jobs';
import { defined } from '../../../src/api/errors/defined';
import { written } from '../../../src/accounts/mail/texts';
import { languageNames } from '../../../src/site/languages';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { MAIL_DAYS } from '../../../src/limits';
import { count, openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { expectQuick } from '../../support/clock';
import { listen, until } from '../../support/host';
import { keyIn, mailSettings, mailTo, startMailServer } from '../../support/mail-server';
import type { MailServer } from '../../support/mail-server';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

describe('mails are sent', () => {
    let server: TestServer;
    let mails: MailServer;
    let ada: Author;
    const ends: (() => Promise<void>)[] = [];
    const logged: string[] = [];

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
    });

    beforeEach(async () => {
        mails = await startMailServer();
        logged.length = 0;
        await server.database.db.raw('insert into mail_addresses (user_id, address, key, mailbox, confirmed_at) values (?, ?, ?, ?, now())', [ada.id, 'ada@secret.example', addressKey('ada@secret.example'), mailboxOf('ada@secret.example')]);
    });

    afterEach(async () => {
        await Promise.all(ends.splice(0).map((end) => end()));
        await mails.stop();
        await server.database.db.raw('delete from mail_addresses; delete from mails; delete from mail_links; delete from password_requests');
    });

    after(() => server.stop());

    const logger = { warn: (...line: unknown[]): void => void logged.push(JSON.stringify(line)), info: (...line: unknown[]): void => void logged.push(JSON.stringify(line)) };

    /** Leases a mail that was just made. Its time is kept in whole milliseconds, so it may be due half a millisecond later. */
    const leased = async (): Promise<LeasedMail> => {
        let mail: LeasedMail | undefined;
        await until(async () => {
            mail = await leaseMail(server.database.db);
            return mail !== undefined;
        });
        return defined(mail);
    };

    const start = (options: Partial<MailingOptions> = {}): (() => Promise<void>) => {
        const end = keepMailing({ db: server.database.db, logger, mail: mailTo(mails), every: 20, firstRetry: 0.05, ...options });
        ends.push(end);
        return end;
    };

    const send = (kind: (typeof mailKinds)[number] = 'password', address = 'ada@secret.example'): Promise<void> => post(server.database.db, kind, ada.id, address);
    const waiting = (): Promise<number> => count(server, `from mails where state = 'waiting'`);

    it('again, with another link, until the server takes them, and each link works', async () => {
        let failures = 3;
        mails.toMail = () => (failures-- > 0 ? 451 : 250);
        await send();
        start();
        await until(async () => await waiting() === 0);
        expect(mails.received).to.have.length(1);
        expect(await count(server, 'from mails where attempts = 4')).to.equal(1);
        expect(await count(server, 'from mail_links')).to.equal(4);
        const key = keyIn(mails.received[0] ?? { text: '' });
        expect((await server.call('POST', '/new-passwords', { key, password: 'one more password' })).status).to.equal(200);
        expect(logged.filter((line) => line.includes('is tried again'))).to.have.length(3);
        expect(logged[0]).to.include(['"status":451', '"code":"EMESSAGE"']);
        // The server named the address in its answer.
        expect(logged.join()).to.not.include('secret.example');
    });

    it('never again if the server refuses one for good', async () => {
        mails.toRecipient = () => 550;
        await send();
        start();
        await until(async () => await count(server, `from mails where state = 'refused' and address is null`) === 1);
        expect(mails.connections()).to.equal(1);
        expect(logged.join()).to.include(['given up', '"status":550']).and.to.not.include('secret.example');
        mails.toRecipient = () => 250;
        mails.toMail = () => 554;
        await send();
        await until(async () => await count(server, `from mails where state = 'refused'`) === 2);
    });

    it('later, if the server cannot be reached or does not take the sender', async () => {
        const end = start({ mail: { ...mailSettings } });
        await send();
        await until(() => logged.length > 1);
        expect(logged[0]).to.include('"code":"ESOCKET"');
        await end();
        const strict = await startMailServer({ onMailFrom: (_address, _session, callback) => callback(Object.assign(new Error('Who is that?'), { responseCode: 550 })) });
        const endStrict = start({ mail: mailTo(strict) });
        await until(() => logged.some((line) => line.includes('550')));
        await endStrict();
        await strict.stop();
        expect(await waiting()).to.equal(1);
        start();
        await until(async () => await waiting() === 0);
        expect(mails.received).to.have.length(1);
    });

    it('each once by several instances', async () => {
        for (let n = 0; n < 60; n++) {
            await send('address_changed', `person-${n}@secret.example`);
        }

        for (let n = 0; n < 3; n++) {
            start();
        }

        await until(async () => await waiting() === 0);
        expect(mails.received.map(({ to }) => to[0]).sort()).to.equal(Array.from({ length: 60 }, (_value, n) => `person-${n}@secret.example`).sort());
    });

    it('by another instance, if the one that had begun was killed', async () => {
        await send();
        // It has taken the mail, and is gone.
        expect((await leased()).address).to.equal('ada@secret.example');
        start();
        await sleep(200);
        expect(mails.received).to.equal([]);
        await server.database.db.raw(`update mails set leased_until = now() - interval '1 second'`);
        await until(() => mails.received.length === 1);
    });

    it('when another instance has leased them, which one that took too long does not put off', async () => {
        await send();
        const { db } = server.database;
        const slow = await leased();
        await db.raw(`update mails set leased_until = now() - interval '1 second'`);
        // The end of a lease is its token, in whole milliseconds. In use the next one begins minutes later.
        await sleep(2);
        const other = await leased();
        await retryMail(db, slow, 3600);
        expect(await count(server, 'from mails where leased_until > now() and due_at <= now() and attempts = 2')).to.equal(1);
        await retryMail(db, other, 3600);
        expect(await count(server, 'from mails where leased_until is null and due_at > now()')).to.equal(1);
    });

    it('without costing anybody anything while the server hangs', async () => {
        const sockets: (() => void)[] = [];
        const hanging = createServer((socket) => {
            // It never says a word.
            sockets.push(() => socket.destroy());
            socket.on('error', () => undefined);
        });
        const port = await listen(hanging);
        for (let n = 0; n < 10; n++) {
            await send('address_changed', `person-${n}@secret.example`);
        }

        const end = start({ mail: mailTo({ port }), timeout: 30_000 });
        await until(() => sockets.length === 4);
        const times: number[] = [];
        for (let n = 0; n < 20; n++) {
            const began = performance.now();
            expect((await server.call('POST', '/new-passwords/mails', { account: `nobody-${n}` })).status).to.equal(200);
            times.push(performance.now() - began);
        }

        expectQuick(Math.min(...times), 100);
        // Requests are answered meanwhile, and no more connections are made.
        await until(async () => await count(server, 'from password_requests') === 0);
        expect(sockets).to.have.length(4);
        const began = performance.now();
        await end();
        expect(performance.now() - began).to.be.above(2500);
        expectQuick(performance.now() - began, 8000);
        expect(await waiting()).to.equal(10);
        sockets.forEach((destroy) => destroy());
        hanging.close();
    });

    it('after an attempt that took too long', async () => {
        mails.toMail = () => 'hang';
        await send();
        start({ timeout: 300 });
        await until(() => logged.some((line) => line.includes('is tried again')));
        mails.toMail = () => 250;
        await until(() => mails.received.length === 1);
    });

    it('not any more after some days', async () => {
        await send('address_removed');
        await server.database.db.raw(`update mails set created_at = now() - interval '${MAIL_DAYS} days'`);
        start();
        await sleep(200);
        expect(mails.connections()).to.equal(0);
    });

    it('and forgotten after some days, as are links and addresses that nobody has confirmed', async () => {
        const other = await openAuthor(server);
        await server.database.db.raw(`insert into mail_addresses (user_id, pending, pending_since) values (?, 'somebody@secret.example', now())`, [other.id]);
        await server.database.db.raw(`update mail_addresses set pending = 'other@secret.example', pending_since = now() where user_id = ?`, [ada.id]);
        await send();
        start();
        await until(() => mails.received.length === 1);
        await until(async () => await waiting() === 0);
        const maintained = (): Promise<boolean> => maintain(server.database.db, { historyDays: 30, historyMaxBytes: 1e9, trashDays: 30, assets: server.assets }, new AbortController().signal, true);
        const left = async (): Promise<number[]> => [await count(server, 'from mails'), await count(server, 'from mail_links'), await count(server, 'from mail_addresses'), await count(server, 'from mail_addresses where pending is not null')];
        expect(await maintained()).to.be.true();
        expect(await left()).to.equal([1, 1, 2, 2]);
        await server.database.db.raw(`
            update mails set created_at = now() - interval '${MAIL_DAYS} days';
            update mail_links set expires_at = now() - interval '1 second';
            update mail_addresses set pending_since = now() - interval '${MAIL_DAYS} days'`);
        expect(await maintained()).to.be.true();
        expect(await left()).to.equal([0, 0, 1, 0]);
    });

    it('again if the database fails meanwhile', async () => {
        await send();
        await server.database.db.raw('alter table mail_links rename to mail_links_away');
        start();
        await until(() => logged.some((line) => line.includes('could not be sent')));
        await server.database.db.raw('alter table mail_links_away rename to mail_links');
        await server.database.db.raw('update mails set leased_until = null');
        await until(() => mails.received.length === 1);
    });

    it('in the language of the account, with all that is needed in it', () => {
        const seen = new Set<string>();
        for (const kind of mailKinds) {
            for (const [tag, expected] of [...Object.keys(languageNames).map((one) => [one, one] as const), ['pt-BR', 'pt'], ['sr@latin', 'en'], ['constructor', 'en']] as const) {
                const { subject, text, language } = written({ kind, username: 'ada-1', language: tag }, { site: 'Class 4b', link: 'https://pages.example/x#key' });
                expect(language).to.equal(expected);
                expect(subject).to.include('Class 4b').and.to.not.match(/[\r\n]/);
                expect(text).to.include(['ada-1', 'Class 4b']).and.to.match(/\n\nhttps:\/\/pages\.example\/x#key\n/);
                expect(text.endsWith('\n')).to.be.true();
                seen.add(subject);
                if (kind === 'confirm' || kind === 'password') {
                    expect(text).to.match(kind === 'confirm' ? /24|\u0662\u0664/ : /30|\u0663\u0660/);
                }
            }
        }

        expect(seen.size).to.equal(mailKinds.length * Object.keys(languageNames).length);
    });
});
