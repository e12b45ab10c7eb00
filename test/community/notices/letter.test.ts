import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { addressKey, mailboxOf } from '../../../src/accounts/mail/keys';
import { noticeKinds } from '../../../src/community/notices/kinds';
import { offPage, writtenLetter } from '../../../src/community/notices/letter-texts';
import { keepSendingLetters } from '../../../src/community/notices/letters';
import { moveNotices } from '../../../src/community/notices/outbox';
import { languageNames } from '../../../src/site/languages';
import { MAX_IN_LETTER } from '../../../src/community/notices/limits';
import { count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { until } from '../../support/host';
import { mailTo, startMailServer } from '../../support/mail-server';
import type { MailServer, ReceivedMail } from '../../support/mail-server';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

const logger = { warn: () => undefined, info: () => undefined };

describe('the daily letter', () => {
    let server: TestServer;
    let mails: MailServer;
    let ada: Author;
    let ben: Author;
    const ends: (() => Promise<void>)[] = [];

    before(async () => {
        server = await startTestServer();
        [ada, ben] = await Promise.all([openAuthor(server), openAuthor(server)]);
    });

    after(() => server.stop());

    const sql = async (text: string, values: readonly (string | number | Buffer)[] = []): Promise<void> => {
        await server.database.db.raw(text, values);
    };

    const address = (who: Actor, text: string): Promise<void> => sql(`
        insert into mail_addresses (user_id, address, key, mailbox, confirmed_at) values (?, ?, ?, ?, now())`, [who.id, text, addressKey(text), mailboxOf(text)]);

    beforeEach(async () => {
        mails = await startMailServer();
        await address(ada, 'ada@mail.example');
    });

    const stop = async (): Promise<void> => void await Promise.all(ends.splice(0).map((end) => end()));

    afterEach(async () => {
        await stop();
        await mails.stop();
        for (const table of ['notice_events', 'notices', 'notice_readers', 'notice_letters', 'mail_addresses']) {
            await sql(`delete from ${table}`);
        }
    });

    const start = (): void => {
        const { db } = server.database;
        ends.push(keepSendingLetters({ db, logger, mail: mailTo(mails), everybody: false, every: 20, firstRetry: 0.05 }));
    };

    const daily = async (who: Author, on = true): Promise<void> => {
        const { status, body } = await who.call('PUT', '/users/me/notices/letter', { daily: on });
        expect([status, body]).to.equal([200, { status: 'updated', letter: { daily: on } }]);
    };

    /** A project of ada that ben has remixed, of which she was told. */
    const remixed = async (title: string): Promise<MadeProject> => {
        const project = await ada.project({ title });
        await ben.remix(project);
        await moveNotices(server.database.db, false, new AbortController().signal);
        return project;
    };

    const letter = async (nth = 0): Promise<ReceivedMail> => {
        await until(() => mails.received.length > nth);
        const mail = mails.received[nth];
        if (mail === undefined) {
            throw new Error('No letter has come');
        }

        return mail;
    };

    const nothingMore = async (received: number): Promise<void> => {
        await sleep(150);
        expect(mails.received.length).to.equal(received);
    };

    /** As if a day had gone by. */
    const tomorrow = (): Promise<void> => sql(`update notice_letters set due_at = now() - interval '1 second'`);

    it('is switched off at first', async () => {
        expect((await ada.call('GET', '/users/me/notices/letter')).body).to.equal({ status: 'success', letter: { daily: false } });
        await remixed('Basil');
        start();
        await nothingMore(0);
        await daily(ada);
        expect((await ada.call('GET', '/users/me/notices/letter')).body.letter).to.equal({ daily: true });
        await letter();
        await daily(ada, false);
        await daily(ada);
        await remixed('Thyme');
        await nothingMore(1);
    });

    it('has the unread notices that none before has told, once a day at most', async () => {
        await daily(ada);
        await remixed('Basil');
        await ben.call('POST', '/users/me/projects', { title: 'Nothing to do with it' });
        start();
        const first = await letter();
        expect(first.to).to.equal(['ada@mail.example']);
        expect(['subject', 'content-language', 'auto-submitted'].map((name) => first.headers.get(name))).to.equal(['Our pages: what is new', 'en', 'auto-generated']);
        const hello = `New for the account ${ada.username} at Our pages:`;
        expect(first.text).to.include([hello, '- Remixes: Basil\n', 'https://pages.example/\n']);
        await remixed('Thyme');
        await nothingMore(1);
        await tomorrow();
        const second = await letter(1);
        expect(second.text).to.include('- Remixes: Thyme').and.to.not.include('Basil');
        await tomorrow();
        await nothingMore(2);
        // What was read needs no letter.
        await remixed('Mint');
        const { body: { notices: [{ id }] } } = await ada.call('GET', '/users/me/notices');
        await ada.call('PUT', '/users/me/notices/read', { until: id });
        await tomorrow();
        await nothingMore(2);
    });

    it('has nothing of what its reader may not see when it is sent', async () => {
        await daily(ada);
        const project = await ben.project({ title: 'Secret', visibility: 'private' });
        await ben.call('PUT', `${project.url}/members/${ada.username}`, { role: 'viewer' });
        await remixed('Basil');
        await ben.call('DELETE', `${project.url}/members/${ada.username}`);
        start();
        const { text } = await letter();
        expect(text).to.include('Basil').and.to.not.include('Secret');
        await stop();

        await ada.call('DELETE', (await remixed('Alone')).url);
        await tomorrow();
        start();
        await nothingMore(1);
    });

    it('needs a confirmed address, and an account that is there', async () => {
        await sql('update mail_addresses set address = null, pending = ?, pending_since = now()', ['ada@mail.example']);
        await daily(ada);
        await remixed('Basil');
        start();
        await nothingMore(0);
    });

    it('is tried again, and given up', async () => {
        let failures = 2;
        mails.toMail = () => (failures-- > 0 ? 451 : 250);
        await daily(ada);
        await remixed('Basil');
        start();
        expect((await letter()).text).to.include('Basil');
        await stop();
        await remixed('Thyme');
        await tomorrow();
        mails.toMail = () => 550;
        start();
        const givenUp = `from notice_letters where attempts = 0 and mailed_from > 0 and due_at > now() + interval '23 hours'`;
        await until(async () => await count(server, givenUp) === 1);
        await nothingMore(1);
    });

    it('is sent once, also by two instances', async () => {
        await daily(ada);
        await remixed('Basil');
        start();
        start();
        start();
        await letter();
        await nothingMore(1);
    });

    it('ends by one click in the mail, without signing in, and never by only opening the link', async () => {
        await daily(ada);
        await remixed('Basil');
        start();
        const { headers, text } = await letter();
        expect(headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
        const link = headers.get('list-unsubscribe') ?? '';
        const [, url = ''] = /^<https:\/\/pages\.example(\/letters\/off\?key=[A-Za-z0-9_-]{43})>$/.exec(link) ?? [];
        expect(text).to.include(`https://pages.example${url}\n`);
        const isOn = async (): Promise<boolean> => (await ada.call('GET', '/users/me/notices/letter')).body.letter.daily;
        const page = await server.call('GET', url);
        expect([page.status, page.headers['content-type']]).to.equal([200, 'text/html; charset=utf-8']);
        expect([page.headers['cache-control'], page.headers['referrer-policy']]).to.equal(['no-store', 'no-referrer']);
        expect(page.text).to.include('<form method="post">');
        expect(await isOn()).to.be.true();
        const asForm = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
        const { status, text: done } = await server.call('POST', url, 'List-Unsubscribe=One-Click', asForm);
        expect([status, done.includes('You get no more of these letters')]).to.equal([200, true]);
        expect(await isOn()).to.be.false();
        // Again, or with another key, the answer is the same.
        const other = `/letters/off?key=${'B'.repeat(43)}`;
        expect([(await server.call('POST', url, '')).text, (await server.call('POST', other, '')).text]).to.equal([done, done]);
        for (const wrong of ['/letters/off', '/letters/off?key=x', `${url}x`]) {
            expect((await server.call('POST', wrong, '')).status, wrong).to.equal(400);
        }

        await remixed('Thyme');
        await tomorrow();
        await nothingMore(1);
    });

    it('is written in each language of the site, with so many notices at most', () => {
        const project = { id: '1', user_id: '2', title: 'Basil\nand thyme' };
        const notices = noticeKinds.map((kind, n) => ({ id: String(n), kind, at: '', by: null, project, count: n + 1, read: false }));
        const links = { site: 'https://pages.example/', off: 'https://pages.example/off' };
        for (const language of Object.keys(languageNames)) {
            const letters = writtenLetter({ username: 'ada', language: `${language}-XX`, notices, more: 3, site: 'Our pages', links });
            const { subject, text, language: own } = letters;
            expect(own).to.equal(language);
            expect(subject).to.include('Our pages');
            expect(text.match(/^- /gm)?.length).to.equal(noticeKinds.length);
            expect(text).to.include(['Basil and thyme', '\nhttps://pages.example/off\n']);
            expect(text.includes('undefined')).to.be.false();
            expect(offPage(language, 'A & B <C>', false)).to.include([`lang="${language}"`, 'A &amp; B &lt;C&gt;', '<form']);
            expect(offPage(language, 'Place', true)).to.include('role="status"');
        }

        expect(offPage('de', 'Place', true)).to.equal(offPage('', 'Place', true));
        expect(MAX_IN_LETTER).to.be.below(100);
    });

    it('is nowhere where the service sends no mail', async () => {
        const other = await startTestServer({ config: { mail: null } });
        const eve = await openAuthor(other);
        for (const [method, body] of [['GET', undefined], ['PUT', { daily: true }]] as const) {
            const { status, body: error } = await eve.call(method, '/users/me/notices/letter', body);
            expect([status, error.code ?? error.error?.code]).to.equal([404, 'mail_off']);
        }

        await other.stop();
    });
});
