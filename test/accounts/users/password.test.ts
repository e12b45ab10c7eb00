import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { hashPassword, hashSecret, hashing, newSecret } from '../../../src/api/auth/secrets';
import { readConfig } from '../../../src/config/index';
import { waiting as waitingForLocks } from '../../support/authoring';
import { Cast, stored } from '../../support/cast';
import type { Account } from '../../support/cast';
import { expectQuick, quickest } from '../../support/clock';
import { until } from '../../support/host';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

const FRESH = 'staple of another kind';

lab.experiment('A password', () => {

    let server: TestServer;
    let twin: TestServer;
    let cast: Cast;
    let account: Account;
    let token: string;

    lab.before(async () => {
        server = await startTestServer();
        twin = await startTestServer({ database: server.database });
        cast = new Cast(server);
    });

    lab.beforeEach(async () => {
        account = await cast.account();
        token = await cast.token(account.id);
    });

    lab.after(async () => {
        await twin.server.stop();
        await server.stop();
    });

    const change = (more: object = {}, secret = token): Promise<Answer> => {
        return server.call('PUT', `/users/${account.id}/password`, { current_password: PASSWORD, password: FRESH, ...more }, { token: secret });
    };

    const signIn = (password: string): Promise<Answer> => server.call('POST', '/tokens', { username: account.username, password });
    const works = async (secret: string, at = twin): Promise<boolean> => (await at.call('GET', `/users/${account.id}`, undefined, { token: secret })).status === 200;

    /** Until a statement of this database waits for a lock. */
    const somebodyWaits = async (): Promise<void> => {
        while (await waitingForLocks(server) === 0) {
            await sleep(5);
        }
    };

    lab.test('is changed by its own user with the current one', async () => {
        const before = await server.call('GET', `/users/${account.id}`, undefined, { token });
        const { status, body, text } = await change();
        expect(status).to.equal(200);
        expect(body).to.equal({ status: 'updated', user: before.body.user });
        expect(text).to.not.include(FRESH);
        expect((await signIn(PASSWORD)).body.code).to.equal('wrong_credentials');
        expect((await signIn(FRESH)).status).to.equal(201);

        const { rows: [row] } = await server.database.db.raw('select * from users where id = ?', [account.id]);
        expect(row.password_hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    });

    lab.test('that changes ends all tokens except the one of the request, on all servers at once', async () => {
        const other = await cast.account();
        const theirs = await cast.token(other.id);
        const old = [await cast.token(account.id), await cast.token(account.id, ['projects']), (await signIn(PASSWORD)).body.token.access_token];
        expect(await Promise.all(old.map((one) => works(one)))).to.equal([true, true, true]);
        expect((await change()).status).to.equal(200);
        for (const at of [server, twin]) {
            for (const one of old) {
                const { status, body } = await at.call('GET', '/tokens', undefined, { token: one });
                expect({ status, code: body.code }).to.equal({ status: 401, code: 'invalid_token' });
            }

            expect(await works(token, at)).to.be.true();
            expect((await at.call('GET', '/tokens', undefined, { token: theirs })).status).to.equal(200);
        }

        expect((await server.call('GET', '/tokens', undefined, { token })).body.tokens).to.have.length(1);
    });

    lab.test('is not changed if the current one is wrong, or there is none; both take equally long', async () => {
        const passwordless = await cast.account();
        await server.database.db.raw('update users set password_hash = null where id = ?', [passwordless.id]);
        const another = await cast.token(account.id);
        const before = await stored(server);
        const times: number[] = [];
        for (const [id, secret] of [[account.id, token], [passwordless.id, await cast.token(passwordless.id)]] as const) {
            const wrongly = (): Promise<Answer> => server.call('PUT', `/users/${id}/password`, { current_password: PASSWORD.toUpperCase(), password: FRESH }, { token: secret });
            times.push(await quickest(wrongly));
            const { status, headers, body } = await wrongly();
            expect({ status, code: body.code, message: body.message }).to.equal({ status: 403, code: 'wrong_password', message: 'The current password is wrong.' });
            expect(headers['www-authenticate']).to.be.undefined();
        }

        await server.database.db.raw('delete from tokens where user_id = ?', [passwordless.id]);
        expect(await stored(server)).to.equal(before);
        expect(await works(another)).to.be.true();
        expectQuick(Math.max(...times), 10 * Math.min(...times));
    });

    lab.test('of another user cannot be changed by knowing it', async () => {
        const stranger = await cast.account();
        const before = await stored(server);
        const secret = newSecret();
        const { status, body } = await change({}, await cast.token(stranger.id));
        expect({ status, code: body.code }).to.equal({ status: 403, code: 'forbidden' });
        expect((await change({}, secret)).status).to.equal(401);
        await server.database.db.raw('delete from tokens where user_id = ?', [stranger.id]);
        expect(await stored(server)).to.equal(before);
    });

    const refused = [
        [{ current_password: undefined }, 'current_password'], [{ current_password: null }, 'current_password'], [{ current_password: 'short' }, 'current_password'],
        [{ password: undefined }, 'password'], [{ password: null }, 'password'], [{ password: '1234567' }, 'password'], [{ password: 'x'.repeat(257) }, 'password'],
        [{ password: ['correct horse'] }, 'password'], [{ password: 'a\u0000bcdefgh' }, 'password'], [{ password_hash: 'x' }, 'password_hash'], [{ revision: 1 }, 'revision']
    ] as const;
    lab.test('that is invalid is 400, says where, and changes nothing', async () => {
        const before = await stored(server);
        for (const [more, path] of refused) {
            const { status, body, text } = await change(more);
            expect({ status, code: body.code }, JSON.stringify(more)).to.equal({ status: 400, code: 'validation_failed' });
            expect(body.details.map((detail: { path: string }) => detail.path), text).to.equal([path]);
            expect(text).to.not.include(PASSWORD);
        }

        expect(await stored(server)).to.equal(before);
    });

    lab.test('that two requests change at once is changed by one, and the other fails', async () => {
        const second = await cast.token(account.id);
        const answers = await Promise.all([change({ password: `${FRESH} 1` }), change({ password: `${FRESH} 2` }, second)]);
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 403]);
        const won = answers[0]?.status === 200 ? 1 : 2;
        expect((await signIn(`${FRESH} ${won}`)).status).to.equal(201);
        expect((await signIn(`${FRESH} ${3 - won}`)).status).to.equal(401);
        expect([await works(token), await works(second)]).to.equal([won === 1, won === 2]);
    });

    lab.test('that changes during a sign-in with the old one lets nobody in', async () => {
        const changing = await server.database.db.transaction();
        await changing.raw('update users set password_hash = ? where id = ?', [await hashPassword(FRESH), account.id]);
        const signingIn = signIn(PASSWORD);
        await somebodyWaits();
        await changing.commit();
        const { status, body } = await signingIn;
        expect({ status, code: body.code }).to.equal({ status: 401, code: 'wrong_credentials' });
    });

    lab.test('that changes right after a sign-in ends that token too', async () => {
        const secret = newSecret();
        const signingIn = await server.database.db.transaction();
        await signingIn.raw('select * from users where id = ? for share', [account.id]);
        await signingIn.raw(`insert into tokens (user_id, hash, scope, expires_at) values (?, ?, array['user'], now() + '1 day')`, [account.id, hashSecret(secret)]);
        const changing = change();
        await somebodyWaits();
        await signingIn.commit();
        expect((await changing).status).to.equal(200);
        expect([await works(secret), await works(token)]).to.equal([false, true]);
    });

    lab.test('that is correct does not sign in to a deleted account', async () => {
        await server.database.db.raw('update users set deleted_at = now() where id = ?', [account.id]);
        const other = await cast.account();
        expect((await change()).status).to.equal(401);
        expect((await change({}, await cast.token(other.id))).status).to.equal(404);
    });

    lab.test('is not needed for signing out everywhere, which works on all servers at once', async () => {
        const other = await cast.account();
        const theirs = await cast.token(other.id);
        const second = (await signIn(PASSWORD)).body.token;
        await cast.token(account.id, ['user'], -1);
        const listed = (await server.call('GET', '/tokens', undefined, { token })).body.tokens;
        const { status, body } = await server.call('DELETE', '/tokens', undefined, { token });
        expect(status).to.equal(200);
        expect(body).to.equal({ status: 'deleted', tokens: listed });
        expect(listed).to.have.length(2);
        for (const at of [server, twin]) {
            for (const secret of [token, second.access_token]) {
                expect(await works(secret, at)).to.be.false();
            }

            expect((await at.call('GET', '/tokens', undefined, { token: theirs })).status).to.equal(200);
        }

        const { rows } = await server.database.db.raw('select id from tokens where user_id = ?', [account.id]);
        expect(rows).to.be.empty();
        expect((await signIn(PASSWORD)).status).to.equal(201);
    });

    lab.test('is not checked if too many wait for that, and other requests succeed meanwhile', async () => {
        const over = new AbortController();
        const held = sleep(60_000, undefined, { signal: over.signal }).catch(() => undefined);
        const busy = Array.from({ length: 4 }, (_one, n) => hashing.run(() => held, `busy ${n}`));
        const before = hashing.ahead();
        let isOver = false;
        const own = change().finally(() => {
            isOver = true;
        });
        // Before its address has too many requests in progress.
        await until(() => hashing.ahead() > before);
        const waiting = Array.from({ length: Math.floor(readConfig({}).maxRequests / 4) }, () => signIn(PASSWORD));
        try {
            // One too many: it is refused when all others are in the queue.
            expect([429, 503]).to.include((await Promise.race(waiting)).status);
            const calls = [
                () => signIn(PASSWORD),
                () => server.call('POST', '/users', { username: 'waiting-in-line', password: PASSWORD }, { headers: { 'idempotency-key': 'while-many-are-waiting' } })
            ];
            for (const call of calls) {
                const { status, body, headers } = await call();
                // Which of the two it is depends on how long a hash takes here.
                expect(['429 too_much_in_progress', '503 overloaded']).to.include(`${status} ${body.code}`);
                expect(Number(headers['retry-after'])).to.be.above(0);
            }

            expect((await server.call('GET', '/tokens', undefined, { token })).status).to.equal(200);
            expect(isOver).to.be.false();
        }
        finally {
            over.abort();
            await Promise.all([...busy, ...waiting]);
        }

        expect((await own).status).to.equal(200);
        expect((await signIn(FRESH)).status).to.equal(201);
    });

    lab.test('no request here caused an internal error', () => {
        expect([...server.faults, ...twin.faults]).to.equal([]);
    });
});
