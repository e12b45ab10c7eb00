import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { hash } from '@node-rs/argon2';

import { hashSecret } from '../../../src/api/auth/secrets';
import { Cast, stored } from '../../support/cast';
import type { Account } from '../../support/cast';
import { expectQuick, quickest } from '../../support/clock';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

lab.experiment('Tokens', () => {

    let server: TestServer;
    let cast: Cast;
    let account: Account;

    lab.before(async () => {
        server = await startTestServer({ config: { tokenTtl: 1000 } });
        cast = new Cast(server);
        account = await cast.account();
    });

    lab.after(() => server.stop());

    const signIn = (more: object = {}): ReturnType<TestServer['call']> => server.call('POST', '/tokens', { username: account.username, password: PASSWORD, ...more });
    const lifetime = ({ created_at, expires_at }: { created_at: string; expires_at: string }): number => (Date.parse(expires_at) - Date.parse(created_at)) / 1000;

    lab.test('signing in returns a token with its secret, and the user', async () => {
        const { status, body, headers } = await signIn();
        expect(status).to.equal(201);
        expect(headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(Object.keys(body)).to.only.include(['status', 'token', 'user']);
        expect(body.status).to.equal('created');
        expect(body.token).to.include({ token_type: 'token', scope: ['user', 'projects'], label: null });
        expect(Object.keys(body.token).sort()).to.equal(['access_token', 'app', 'created_at', 'expires_at', 'id', 'label', 'last_used_at', 'origin', 'projects', 'scope', 'token_type']);
        expect(body.token.id).to.match(/^[1-9][0-9]*$/);
        expect(body.token.access_token).to.match(/^[A-Za-z0-9_-]{43}$/);
        expect(body.token.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(lifetime(body.token)).to.equal(1000);
        expect(body.user).to.include({ id: account.id, username: account.username });

        const own = await server.call('GET', `/users/${account.id}`, undefined, { token: body.token.access_token });
        expect(own.body.user).to.equal(body.user);
    });

    lab.test('a password is the same in each form in which keyboards send its letters, and one that was stored as typed still works', async () => {
        const [composed, decomposed] = ['một mật khẩu', 'một mật khẩu'.normalize('NFD')];
        const status = async (username: string, password: string): Promise<number> => (await server.call('POST', '/tokens', { username, password })).status;
        for (const [username, password] of [['composed', composed], ['decomposed', decomposed]] as const) {
            expect((await server.call('POST', '/users', { username, password })).status).to.equal(201);
            expect([await status(username, composed), await status(username, decomposed), await status(username, 'mot mat khau')], username).to.equal([201, 201, 401]);
            expect([await status(username, ` ${decomposed} `), await status(username, composed.replace(' ', ''))], username).to.equal([201, 401]);
        }

        // A blank that belongs to a password counts.
        expect((await server.call('POST', '/users', { username: 'blank', password: 'ends with one ' })).status).to.equal(201);
        expect([await status('blank', 'ends with one '), await status('blank', 'ends with one')]).to.equal([201, 401]);

        await server.database.db.raw('update users set password_hash = ? where username = ?', [await hash(decomposed), 'composed']);
        expect(await status('composed', decomposed)).to.equal(201);
        expect((await server.call('POST', '/tokens', { username: 'nobody-at-all', password: decomposed })).body.code).to.equal('wrong_credentials');
    });

    lab.test('only hashes are stored: of a secret, and an Argon2id hash of a password', async () => {
        const { body: { token } } = await signIn({ label: 'kept' });
        const { rows: [row] } = await server.database.db.raw('select t.*, u.password_hash, t::text || u::text as all from tokens t join users u on u.id = t.user_id where t.id = ?', [token.id]);
        expect(row.hash.equals(hashSecret(token.access_token))).to.be.true();
        expect(row.all).to.not.include(token.access_token);
        expect(row.all).to.not.include(PASSWORD);
        expect(row.password_hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);

        const { body, text } = await server.call('GET', '/tokens', undefined, { token: token.access_token });
        expect(text).to.not.include(token.access_token);
        expect(text).to.not.include('access_token');
        const { access_token: _secret, ...shown } = token;
        expect(body.tokens[0]).to.equal(shown);
    });

    lab.test('the name is accepted in any case, the password only in its own', async () => {
        expect((await signIn({ username: account.username.toUpperCase() })).status).to.equal(201);
        expect((await signIn({ password: PASSWORD.toUpperCase() })).status).to.equal(401);
    });

    lab.test('a wrong name and a wrong password cannot be distinguished', async () => {
        const deleted = await cast.account('deleted');
        const passwordless = await cast.account();
        await server.database.db.raw('update users set password_hash = null where id = ?', [passwordless.id]);
        // Creates the hash that replaces a missing one.
        await signIn({ username: 'nobody' });

        const answers = [];
        const times: number[] = [];
        const before = await stored(server);
        for (const more of [{ password: 'not that one' }, { username: 'nobody' }, { username: deleted.username }, { username: passwordless.username }]) {
            times.push(await quickest(() => signIn(more)));
            const { status, headers, body } = await signIn(more);
            const { request_id: _id, ...rest } = body;
            const { 'x-request-id': _header, date: _date, ...others } = headers;
            answers.push({ status, rest, others });
        }

        expect(answers[0]).to.include({ status: 401, rest: { statusCode: 401, error: 'Unauthorized', message: 'The username or the password is wrong.', code: 'wrong_credentials' } });
        expect(answers[0]?.others['www-authenticate']).to.equal('Bearer realm="pagewright"');
        expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);

        // A hash takes tens of milliseconds, a response without one about one.
        expectQuick(Math.max(...times), 10 * Math.min(...times));
        expect(await stored(server)).to.equal(before);
    });

    lab.test('scope, label and lifetime are as requested', async () => {
        const cases = [
            [{ scope: ['user'] }, { scope: ['user'] }],
            [{ scope: ['projects'] }, { scope: ['projects'] }],
            [{ scope: ['projects', 'user'] }, { scope: ['projects', 'user'] }],
            [{ label: 'Laptop 💻 "at home"' }, { label: 'Laptop 💻 "at home"' }],
            [{ label: '💻'.repeat(100) }, { label: '💻'.repeat(100) }]
        ] as const;
        for (const [more, expected] of cases) {
            const { status, body } = await signIn(more);
            expect(status).to.equal(201);
            expect(body.token).to.include(expected);
        }

        for (const seconds of [1, 60, 365 * 24 * 3600]) {
            expect(lifetime((await signIn({ expires_in: seconds })).body.token)).to.equal(seconds);
        }
    });

    const refused = [
        [{ username: undefined }, ''], [{ username: null }, 'username'], [{ username: 5 }, 'username'], [{ username: 'two words' }, 'username'], [{ username: '' }, 'username'],
        [{ password: undefined }, ''], [{ password: null }, 'password'], [{ password: 12345678 }, 'password'], [{ password: 'short' }, 'password'],
        [{ scope: null }, 'scope'], [{ scope: 'user' }, 'scope'], [{ scope: [] }, 'scope'], [{ scope: ['admin'] }, 'scope.0'], [{ scope: ['user', 'user'] }, 'scope'],
        [{ scope: ['user', null] }, 'scope.1'], [{ scope: [['user']] }, 'scope.0'], [{ scope: { 0: 'user' } }, 'scope'], [{ scope: ['user', 'projects', 'user'] }, 'scope'],
        [{ label: null }, 'label'], [{ label: '' }, 'label'], [{ label: 'x'.repeat(101) }, 'label'], [{ label: 'a\u0000b' }, 'label'], [{ label: '\ud800' }, 'label'],
        [{ expires_in: null }, 'expires_in'], [{ expires_in: '60' }, 'expires_in'], [{ expires_in: 0 }, 'expires_in'], [{ expires_in: -1 }, 'expires_in'],
        [{ expires_in: 1.5 }, 'expires_in'], [{ expires_in: 365 * 24 * 3600 + 1 }, 'expires_in'], [{ user: 1 }, 'user']
    ] as const;
    lab.test('invalid input is 400, says where, and signs nobody in', async () => {
        for (const [more, path] of refused) {
            const before = await stored(server);
            const { status, body, text } = await signIn(more);
            expect({ status, code: body.code }, JSON.stringify(more)).to.equal({ status: 400, code: 'validation_failed' });
            expect(body.details.map((detail: { path: string }) => detail.path), text).to.include(path);
            expect(text).to.not.include(PASSWORD);
            expect(await stored(server)).to.equal(before);
        }

        const { body } = await server.call('POST', '/tokens', { scope: [], label: '', expires_in: 0, more: 1 });
        expect(body.details.map((detail: { path: string }) => detail.path).sort()).to.equal(['', 'expires_in', 'label', 'more', 'scope']);
    });

    lab.test('your own tokens are listed, newest first, without expired ones', async () => {
        const own = await cast.account();
        const token = await cast.token(own.id);
        await cast.token(own.id, ['user'], -1);
        await cast.token((await cast.account()).id);
        const second = await server.call('POST', '/tokens', { username: own.username, password: PASSWORD, label: 'second' });
        const { status, body } = await server.call('GET', '/tokens', undefined, { token });
        expect(status).to.equal(200);
        expect(Object.keys(body)).to.only.include(['status', 'tokens', 'next']);
        expect(body.tokens.map(({ label }: { label: string }) => label)).to.equal(['second', null]);
        expect(body.tokens[0].id).to.equal(second.body.token.id);
    });

    lab.test('a revoked or expired token stops working at once', async () => {
        const own = await cast.account();
        const keeping = await cast.token(own.id);
        const [leaving, expiring] = await Promise.all([1, 2].map(async () => (await server.call('POST', '/tokens', { username: own.username, password: PASSWORD })).body.token));
        const works = async (token: string): Promise<boolean> => (await server.call('GET', `/users/${own.id}`, undefined, { token })).status === 200;
        expect([await works(leaving.access_token), await works(expiring.access_token)]).to.equal([true, true]);

        const revoked = await server.call('DELETE', `/tokens/${leaving.id}`, undefined, { token: keeping });
        const { access_token: _secret, ...shown } = leaving;
        expect(revoked.status).to.equal(200);
        expect(revoked.body).to.equal({ status: 'deleted', token: shown });
        await server.database.db.raw('update tokens set expires_at = now() where id = ?', [expiring.id]);
        expect([await works(leaving.access_token), await works(expiring.access_token)]).to.equal([false, false]);

        // A revoked token stays revoked, and a token can revoke itself.
        for (const id of [leaving.id, expiring.id, '9000000']) {
            expect((await server.call('DELETE', `/tokens/${id}`, undefined, { token: keeping })).status).to.equal(404);
        }

        const { body: { tokens: [mine] } } = await server.call('GET', '/tokens', undefined, { token: keeping });
        expect((await server.call('DELETE', `/tokens/${mine.id}`, {}, { token: keeping })).status).to.equal(200);
        expect(await works(keeping)).to.be.false();
    });

    lab.test('another user\'s token is 404, and still works', async () => {
        const other = await cast.account();
        const theirs = await cast.token(other.id);
        const { body: { tokens: [shown] } } = await server.call('GET', '/tokens', undefined, { token: theirs });
        const { status, body } = await server.call('DELETE', `/tokens/${shown.id}`, undefined, { token: await cast.token(account.id) });
        expect({ status, code: body.code }).to.equal({ status: 404, code: 'not_found' });
        expect((await server.call('GET', '/tokens', undefined, { token: theirs })).status).to.equal(200);
    });

    lab.test('all are revoked only by a request without a body', async () => {
        const own = await cast.account();
        const token = await cast.token(own.id);
        const { status, body } = await server.call('DELETE', '/tokens', { except: token }, { token });
        expect({ status, code: body.code }).to.equal({ status: 400, code: 'validation_failed' });
        expect((await server.call('GET', '/tokens', undefined, { token })).body.tokens).to.have.length(1);
        expect((await server.call('DELETE', '/tokens', undefined, { token })).status).to.equal(200);
    });

    lab.test('no request here caused an internal error', () => {
        expect(server.faults).to.equal([]);
    });

    lab.test('of an account are at most a thousand: the oldest end first, and expired ones are deleted', async () => {
        const [many, other] = [await cast.account(), await cast.account()];
        const add = `insert into tokens (user_id, hash, scope, label, expires_at)
            select ?, sha256((?::text || n)::bytea), '{user}', n::text, now() + ?::interval from generate_series(1, ?::int) n`;
        const { db } = server.database;
        await db.raw(add, [many.id, 'a', '1 day', 1003]);
        await db.raw(add, [many.id, 'b', '-1 second', 20]);
        await db.raw(add, [other.id, 'c', '1 day', 1003]);
        const { status, body: { token } } = await signIn({ username: many.username, scope: ['user'], label: 'new' });
        expect(status).to.equal(201);

        // Of so many the list ends early.
        const tokens: { label: string }[] = [];
        for (let after: string | null = ''; after !== null;) {
            const { body }: Answer = await server.call('GET', `/tokens${after && `?after=${after}`}`, undefined, { token: token.access_token });
            tokens.push(...body.tokens);
            after = body.next;
        }

        expect(tokens.length).to.equal(1000);
        expect([tokens[0]?.label, tokens[1]?.label, tokens[999]?.label]).to.equal(['new', '1003', '5']);
        const { rows } = await db.raw('select user_id, count(*)::int as n from tokens where user_id = any(?) group by 1 order by 1', [[many.id, other.id]]);
        expect(rows.map(({ n }: { n: number }) => n)).to.equal([1000, 1003]);
        // A failed sign-in ends no tokens.
        expect((await signIn({ username: many.username, password: 'wrong password' })).status).to.equal(401);
        expect((await db('tokens').where({ user_id: many.id }).count())[0]).to.equal({ count: '1000' });
    });
});
