import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { newCode } from '../../../src/api/auth/secrets';
import { MAX_PASSKEYS, RECOVERY_CODES } from '../../../src/limits';
import { readConfig } from '../../../src/config/index';
import { startWhileLocked } from '../../support/authoring';
import { Authenticator } from '../../support/authenticator';
import type { Asked } from '../../support/authenticator';
import { Cast } from '../../support/cast';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const origin = 'https://pages.example';

describe('passkeys', () => {
    let server: TestServer;
    let other: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer({ config: { publicUrl: origin } });
        // A second instance, which knows only what the database knows.
        other = await startTestServer({ config: { publicUrl: origin }, database: { ...server.database, drop: () => Promise.resolve() } });
        cast = new Cast(server);
    });

    after(async () => {
        await other.stop();
        await server.stop();
    });

    const challenge = async (token?: string, at = server): Promise<string> => (await at.call('POST', '/passkeys/options', token === undefined ? {} : { to: 'add' }, { token })).body.options.challenge;

    const add = async ({ id, token }: Actor, authenticator: Authenticator, change: Partial<Asked> = {}, at = server): Promise<Answer> => {
        const passkey = authenticator.create({ challenge: await challenge(token), origin, ...change });
        return at.call('POST', `/users/${id}/passkeys`, { label: 'My phone', passkey }, { token });
    };

    const signIn = async (authenticator: Authenticator, change: Partial<Asked> = {}, at = server): Promise<Answer> => {
        return at.call('POST', '/tokens', { passkey: authenticator.get({ challenge: await challenge(), origin, ...change }), label: 'Browser' });
    };

    it('are added, listed, used to sign in without a name at another instance, and removed with the tokens that came of them', async () => {
        const ana = await cast.actor();
        const phone = new Authenticator();
        const { status, body } = await add(ana, phone, {}, other);
        expect(status).to.equal(201);
        expect(body.passkey).to.include({ label: 'My phone', last_used_at: null });

        const entered = await signIn(phone, {}, other);
        expect(entered.status).to.equal(201);
        expect(entered.body.user.id).to.equal(ana.id);
        expect(entered.body.token).to.include({ origin: 'passkey', label: 'Browser', scope: ['user', 'projects'] });
        const token = entered.body.token.access_token;

        const list = await server.call('GET', `/users/${ana.id}/passkeys`, undefined, { token });
        expect(list.body.passkeys.map(({ id }: { id: string }) => id)).to.equal([body.passkey.id]);
        expect(list.body.passkeys[0].last_used_at).to.be.a.string();
        expect(list.body).to.include({ recovery_codes: 0, has_password: true });

        expect((await server.call('DELETE', `/users/${ana.id}/passkeys/${body.passkey.id}`, {}, { token: ana.token })).status).to.equal(200);
        expect((await server.call('GET', '/users/me', undefined, { token })).status).to.equal(401);
        expect((await signIn(phone)).body.code).to.equal('wrong_credentials');
        expect((await server.call('GET', '/users/me', undefined, { token: ana.token })).status).to.equal(200);
    });

    it('offer what was added already as not to be added again', async () => {
        const ana = await cast.actor();
        const phone = new Authenticator();
        await add(ana, phone);
        const { body: { options } } = await server.call('POST', '/passkeys/options', { to: 'add' }, { token: ana.token });
        expect(options.excludeCredentials.map(({ id }: { id: string }) => id)).to.equal([phone.id.toString('base64url')]);
        expect(options).to.include({ rp: { name: 'Pagewright', id: 'pages.example' } });
        expect((await add(ana, phone)).body.code).to.equal('passkey_invalid');
        expect((await add(await cast.actor(), phone)).body.code).to.equal('passkey_invalid');
    });

    it('are refused from another origin or host, without a verified person, and for a challenge that is unknown, of another purpose or of another account', async () => {
        const [ana, ben] = [await cast.actor(), await cast.actor()];
        const phone = new Authenticator();
        const wrong: Partial<Asked>[] = [
            { origin: 'https://pages.example.evil' }, { origin: 'http://pages.example' }, { host: 'evil.example' }, { verified: false }, { challenge: newCode() }, { challenge: await challenge() }, { challenge: await challenge(ben.token) }
        ];
        for (const change of wrong) {
            expect((await add(ana, phone, change)).body.code, JSON.stringify(change)).to.equal('passkey_invalid');
        }

        expect((await add(ana, phone)).status).to.equal(201);
        for (const change of [...wrong.slice(0, 5), { challenge: await challenge(ana.token) }]) {
            const { status, body } = await signIn(phone, change);
            expect([status, body.code], JSON.stringify(change)).to.equal([401, 'wrong_credentials']);
        }

        expect((await signIn(new Authenticator())).status).to.equal(401);
        // Somebody else's key, under the id of this passkey.
        const thief = Object.assign(new Authenticator(), { id: phone.id });
        expect((await signIn(thief)).status).to.equal(401);
        expect((await signIn(phone)).status).to.equal(201);
    });

    it('sign in once for each challenge, also if it is answered many times at the same moment, and not when it is old', async () => {
        const ana = await cast.actor();
        const phone = new Authenticator();
        await add(ana, phone);
        const asked = await challenge();
        const passkey = phone.get({ challenge: asked, origin });
        const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? server : other).call('POST', '/tokens', { passkey })));
        expect(answers.map(({ status }) => status).sort()).to.equal([201, ...Array.from({ length: 11 }, () => 401)]);
        expect((await server.call('POST', '/tokens', { passkey })).status).to.equal(401);

        const late = await challenge();
        await server.database.db.raw('update passkey_challenges set expires_at = now() where challenge = ?', [late]);
        expect((await signIn(phone, { challenge: late })).status).to.equal(401);
        const added = await challenge(ana.token);
        const create = new Authenticator().create({ challenge: added, origin });
        const twice = await Promise.all([server, other].map((at) => at.call('POST', `/users/${ana.id}/passkeys`, { label: 'x', passkey: create }, { token: ana.token })));
        expect(twice.map(({ status }) => status).sort()).to.equal([201, 400]);
    });

    it('are refused if their counter does not grow, as that of a copy does not', async () => {
        const ana = await cast.actor();
        const key = new Authenticator();
        key.counter = 5;
        await add(ana, key);
        expect((await signIn(key)).status).to.equal(401);
        key.counter = 6;
        expect((await signIn(key)).status).to.equal(201);
        key.counter = 4;
        expect((await signIn(key)).status).to.equal(401);
    });

    it('are at most 20, also if they are added at the same moment, and what was asked is forgotten', async () => {
        const ana = await cast.actor();
        const { db } = server.database;
        await db.raw(`insert into passkeys (user_id, credential, public_key, counter, transports, label) select ?, 'c' || ? || n, 'k', 0, '{}', 'x' from generate_series(1, ?) n`, [ana.id, ana.id, MAX_PASSKEYS - 1]);
        const both = await Promise.all([add(ana, new Authenticator()), add(ana, new Authenticator())]);
        expect(both.map(({ status }) => status).sort()).to.equal([201, 409]);
        for (let n = 0; n < 12; ++n) {
            await challenge(ana.token);
        }

        expect((await db.raw('select count(*)::int as n from passkey_challenges where user_id = ?', [ana.id])).rows[0].n).to.equal(10);
        await db.raw('update passkey_challenges set expires_at = now() - interval \'1 s\'');
        await challenge();
        expect((await db.raw('select count(*)::int as n from passkey_challenges')).rows[0].n).to.equal(1);
    });

    it('are of their owner alone, and cannot be added with the token of a script or without the scope', async () => {
        const [ana, ben] = [await cast.actor(), await cast.actor()];
        const { body: { passkey } } = await add(ana, new Authenticator());
        expect((await server.call('DELETE', `/users/${ben.id}/passkeys/${passkey.id}`, {}, { token: ben.token })).status).to.equal(404);
        expect((await server.call('GET', `/users/${ana.id}/passkeys`, undefined, { token: ben.token })).status).to.equal(403);
        const { body: { token } } = await server.call('POST', '/users/me/tokens', { label: 'x', scope: ['user', 'projects'] }, { token: ana.token });
        expect((await server.call('POST', '/passkeys/options', { to: 'add' }, { token: token.access_token })).body.code).to.equal('sign_in_needed');
        const scopeless = await server.call('POST', '/passkeys/options', { to: 'add' }, { token: await cast.token(ana.id, ['projects']) });
        expect([scopeless.body.code, scopeless.headers['www-authenticate']]).to.equal(['insufficient_scope', 'Bearer realm="pagewright", error="insufficient_scope", scope="user"']);
        expect((await server.call('POST', '/passkeys/options', { to: 'add' })).status).to.equal(401);
        expect((await server.call('POST', '/users/me/recovery-codes', {}, { token: token.access_token })).body.code).to.equal('sign_in_needed');
    });

    it('that a body does not show as one are 400, and an error of the database is no answer', async () => {
        const ana = await cast.actor();
        const phone = new Authenticator();
        await add(ana, phone);
        for (const body of [{}, { username: ana.username }, { passkey: {} }, { passkey: phone.get({ challenge: 'x', origin }), username: ana.username }, { password: 'correct horse', recovery_code: 'x', username: ana.username }, { recovery_code: 'x' }, { password: 'correct horse' }]) {
            expect((await server.call('POST', '/tokens', body)).status, JSON.stringify(body)).to.equal(400);
        }

        const asked = await challenge();
        await server.database.db.raw('alter table passkey_challenges rename to hidden');
        const { status } = await signIn(phone, { challenge: asked }).catch(() => server.call('POST', '/tokens', { passkey: phone.get({ challenge: asked, origin }) }));
        await server.database.db.raw('alter table hidden rename to passkey_challenges');
        expect(status).to.equal(500);
        server.faults.length = 0;
    });

    it('have ten recovery codes beside them, which sign in once each, and are replaced by new ones', async () => {
        const ana = await cast.actor();
        const { body: { codes }, headers } = await server.call('POST', '/users/me/recovery-codes', {}, { token: ana.token });
        expect(headers['cache-control']).to.equal('no-store');
        expect(new Set(codes).size).to.equal(RECOVERY_CODES);
        const [first, second] = codes;
        const enter = (code: string, username = ana.username, at = server): Promise<Answer> => at.call('POST', '/tokens', { username, recovery_code: code });
        const ben = await cast.actor();
        for (const [code, name] of [[first, ben.username], [first, 'nobody'], [newCode(), ana.username]] as const) {
            expect((await enter(code, name)).body.code).to.equal('wrong_credentials');
        }

        const all = await Promise.all(Array.from({ length: 8 }, (_, n) => enter(first, ana.username.toUpperCase(), n % 2 === 0 ? server : other)));
        expect(all.map(({ status }) => status).sort()).to.equal([201, ...Array.from({ length: 7 }, () => 401)]);
        expect((await server.call('GET', '/users/me/passkeys', undefined, { token: ana.token })).body.recovery_codes).to.equal(RECOVERY_CODES - 1);
        await server.call('POST', '/users/me/recovery-codes', {}, { token: ana.token });
        expect((await enter(second)).status).to.equal(401);
        const { rows } = await server.database.db.raw('select encode(hash, \'hex\') as hash from recovery_codes');
        expect(rows.map(({ hash }: { hash: string }) => hash)).to.not.include(codes);
    });

    it('are offered in the name of the site, and added also by a device that says nothing of how it is reached', async () => {
        const { site } = readConfig({ SITE_NAME: 'The Barn' });
        const named = await startTestServer({ config: { publicUrl: origin, site }, database: { ...server.database, drop: () => Promise.resolve() } });
        const ana = await cast.actor();
        const { body: { options } } = await named.call('POST', '/passkeys/options', { to: 'add' }, { token: ana.token });
        expect(options.rp.name).to.equal('The Barn');
        const passkey = new Authenticator().create({ challenge: options.challenge, origin });
        Reflect.deleteProperty(Object(Reflect.get(passkey, 'response')), 'transports');
        expect((await server.call('POST', `/users/${ana.id}/passkeys`, { label: 'x', passkey }, { token: ana.token })).status).to.equal(201);
        await named.stop();
    });

    it('are not given to an account, and neither are codes, that is deleted meanwhile', async () => {
        const ana = await cast.actor();
        const passkey = new Authenticator().create({ challenge: await challenge(ana.token), origin });
        const answers = await startWhileLocked(server, ['users', ana.id], [
            () => server.call('POST', `/users/${ana.id}/passkeys`, { label: 'x', passkey }, { token: ana.token }),
            () => server.call('POST', `/users/${ana.id}/recovery-codes`, {}, { token: ana.token })
        ], async (trx) => {
            await trx.raw('update users set deleted_at = now() where id = ?', [ana.id]);
        });
        expect(answers.map(({ status, body }) => [status, body.code])).to.equal([[404, 'not_found'], [404, 'not_found']]);
        const { rows } = await server.database.db.raw('select id from passkeys where user_id = :id union all select user_id from recovery_codes where user_id = :id', { id: ana.id });
        expect(rows).to.equal([]);
    });

    it('of a deleted account sign nobody in', async () => {
        const ana = await cast.actor();
        const phone = new Authenticator();
        await add(ana, phone);
        const { body: { codes: [code] } } = await server.call('POST', '/users/me/recovery-codes', {}, { token: ana.token });
        expect((await server.call('DELETE', `/users/${ana.id}`, {}, { token: ana.token })).status).to.equal(200);
        expect((await signIn(phone)).status).to.equal(401);
        expect((await server.call('POST', '/tokens', { username: ana.username, recovery_code: code })).status).to.equal(401);
    });

    it('are what moderators need with MODERATORS_NEED=passkey', async () => {
        const strict = await startTestServer({ config: { publicUrl: origin, moderatorsNeed: 'passkey' }, database: { ...server.database, drop: () => Promise.resolve() } });
        const mona = await cast.actor('moderator');
        const phone = new Authenticator();
        await add(mona, phone);
        const { body: { token: { access_token: token } } } = await signIn(phone);
        const { body: { codes: [code] } } = await server.call('POST', '/users/me/recovery-codes', {}, { token });
        const byCode = (await server.call('POST', '/tokens', { username: mona.username, recovery_code: code })).body.token.access_token;
        const { body: { project } } = await server.call('POST', '/users/me/projects', { title: 'Hidden', visibility: 'private' }, { token: (await cast.actor()).token });
        for (const [at, by, status] of [[strict, mona.token, 403], [strict, byCode, 403], [strict, token, 200], [server, mona.token, 200]] as const) {
            expect((await at.call('GET', '/moderation/reports', undefined, { token: by })).status).to.equal(status);
            expect((await at.call('GET', `/projects/${project.id}`, undefined, { token: by })).status).to.equal(status === 403 ? 404 : status);
        }

        await strict.stop();
    });
});
