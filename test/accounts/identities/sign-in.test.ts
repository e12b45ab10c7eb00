import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { readConfig } from '../../../src/config/index';
import { MAX_IDENTITIES } from '../../../src/limits';
import { waiting } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { CLIENT, signInSettings, startSignInProvider } from '../../support/sign-in-provider';
import type { SignInProvider } from '../../support/sign-in-provider';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const origin = 'https://pages.example';

/** A sign-in that has begun. */
interface Begun {
    provider: string;
    key: string;
    url: string;
}

describe('signing in by other providers', () => {
    let school: SignInProvider;
    let club: SignInProvider;
    let server: TestServer;
    let other: TestServer;
    let cast: Cast;
    let serial = 0;

    before(async () => {
        school = await startSignInProvider([`${origin}/sign-in/school`]);
        club = await startSignInProvider([`${origin}/sign-in/club`], { token_endpoint_auth_method: 'client_secret_post' }, { clientAuthMethods: ['client_secret_post'] });
        const config = { publicUrl: origin, signIn: signInSettings({ school, club }) };
        server = await startTestServer({ config });
        // A second instance, which knows only what the database knows.
        other = await startTestServer({ config, database: { ...server.database, drop: () => Promise.resolve() } });
        cast = new Cast(server);
    });

    after(async () => {
        await other.stop();
        await server.stop();
        await school.stop();
        await club.stop();
    });

    beforeEach(() => {
        for (const provider of [school, club]) {
            Object.assign(provider, { instead: undefined, change: undefined, person: { sub: `subject-${++serial}` } });
        }
    });

    const begin = async (provider = 'school', token?: string, at = server): Promise<Begun> => {
        const { status, body, text } = await at.call('POST', '/sign-ins', { provider, to: token === undefined ? 'sign_in' : 'add' }, { token });
        expect(status, text).to.equal(201);
        return { provider, ...body.sign_in };
    };

    const finish = ({ provider, key }: Omit<Begun, 'url'>, answer: string, more: object = {}, at = server): Promise<Answer> => at.call('POST', '/sign-ins/answers', { provider, key, answer, ...more });

    const enter = async (by = school, id = 'school', more: object = {}, at = server): Promise<Answer> => {
        const begun = await begin(id, undefined, at);
        return finish(begun, await by.visit(begun.url), more, at);
    };

    const add = async (person: { id: string; token: string }, by = school, id = 'school'): Promise<Answer> => {
        const { key, url } = await begin(id, person.token);
        return server.call('POST', `/users/${person.id}/identities`, { provider: id, key, answer: await by.visit(url) }, { token: person.token });
    };

    it('opens an account for an identity, and finds it again, at another instance too', async () => {
        school.person = { sub: 'first', preferred_username: 'ada@school.example', name: 'Ada Lovelace', email: 'ada@school.example', locale: 'pt-BR' };
        const opened = await enter(school, 'school', { label: 'Laptop' });
        expect(opened.status, opened.text).to.equal(201);
        expect(opened.body.user).to.include({ username: 'ada', locale: { language: 'pt-BR' } });
        expect(opened.body.token).to.include({ origin: 'sign_in', label: 'Laptop', scope: ['user', 'projects'] });
        expect(opened.headers['cache-control']).to.equal('no-store');

        school.person = { sub: 'first', preferred_username: 'countess' };
        const again = await enter(school, 'school', {}, other);
        expect([again.status, again.body.user]).to.equal([201, opened.body.user]);
        const token = again.body.token.access_token;
        const { body: { identities } } = await server.call('GET', '/users/me/identities', undefined, { token });
        expect(identities).to.have.length(1);
        expect((await server.call('GET', '/users/me/passkeys', undefined, { token })).body).to.include({ passkeys: [], has_password: false });
        expect(identities[0]).to.include({ issuer: school.issuer, provider: { id: 'school', name: 'The school' }, name: 'ada@school.example' });
        expect(identities[0].last_used_at).to.be.a.string();
        expect((await server.call('POST', '/users/me/projects', { title: 'Mine' }, { token })).status).to.equal(201);
    });

    it('asks with PKCE, state and nonce, which differ each time', async () => {
        const [one, two] = await Promise.all([begin(), begin()]);
        const fields = [one, two].map(({ url }) => Object.fromEntries(new URL(url).searchParams));
        for (const each of fields) {
            expect(each).to.include({ client_id: CLIENT.client_id, response_type: 'code', scope: 'openid profile', redirect_uri: `${origin}/sign-in/school`, code_challenge_method: 'S256' });
        }

        for (const name of ['state', 'nonce', 'code_challenge']) {
            expect(fields[0]?.[name]).to.match(/^[\w-]{43}$/);
            expect(fields[0]?.[name]).to.not.equal(fields[1]?.[name]);
            expect(fields[0]?.[name]).to.not.equal(one.key);
        }
    });

    it('does not take an account by its name or its e-mail address', async () => {
        const ana = await cast.actor();
        school.person = { sub: 'impostor', preferred_username: ana.username, email: 'ana@school.example', email_verified: true };
        const { body } = await enter();
        expect(body.user.id).to.not.equal(ana.id);
        expect(body.user.username.slice(0, 5)).to.equal(ana.username.slice(0, 5));
        // The same subject at another provider is somebody else.
        club.person = { sub: 'impostor' };
        expect((await enter(club, 'club')).body.user.id).to.not.equal(body.user.id);
    });

    it('makes a name where the provider tells none, several audiences and a short difference of clocks included', async () => {
        school.change = ({ iat, exp, ...claims }) => ({ ...claims, aud: [CLIENT.client_id, 'https://api.example'], azp: CLIENT.client_id, iat: Number(iat) + 20, exp });
        const { status, body, text } = await enter();
        expect(status, text).to.equal(201);
        expect(body.user.username).to.match(/^user-[0-9a-f]{6}$/);
        const { body: { identities } } = await server.call('GET', '/users/me/identities', undefined, { token: body.token.access_token });
        expect(identities[0].name).to.be.null();
    });

    const hour = 3600;
    const wrong: Record<string, (claims: Record<string, unknown>) => Record<string, unknown>> = {
        'another nonce': (claims) => ({ ...claims, nonce: 'another' }),
        'no nonce': ({ nonce: _nonce, ...claims }) => claims,
        'another issuer': (claims) => ({ ...claims, iss: club.issuer }),
        'another audience': (claims) => ({ ...claims, aud: 'somebody' }),
        'several audiences, for another party': (claims) => ({ ...claims, aud: [CLIENT.client_id, 'somebody'], azp: 'somebody' }),
        'that has expired': (claims) => ({ ...claims, iat: Number(claims.iat) - 2 * hour, exp: Number(claims.iat) - hour }),
        'of the future': (claims) => ({ ...claims, nbf: Number(claims.iat) + hour }),
        'a subject that is no text': (claims) => ({ ...claims, sub: 'with\nlines' })
    };
    for (const [name, change] of Object.entries(wrong)) {
        it(`refuses an ID token with ${name}`, async () => {
            school.change = change;
            const { status, body } = await enter();
            expect([status, body.code]).to.equal([400, 'identity_invalid']);
        });
    }

    it('refuses an ID token that somebody else signed', async () => {
        const keys = await (await fetch(`${club.issuer}/jwks`)).text();
        school.instead = (request, response) => (request.url === '/jwks' ? void response.writeHead(200, { 'content-type': 'application/json' }).end(keys) : school.pass(request, response));
        const { status, body } = await enter();
        expect([status, body.code]).to.equal([400, 'identity_invalid']);
    });

    it('goes on after the provider has changed its keys', async () => {
        const sub = school.person;
        const before_ = await enter();
        for (let times = 0; times < 2; ++times) {
            school.rotate();
            school.person = sub;
            const { status, body } = await enter();
            expect([status, body.user]).to.equal([201, before_.body.user]);
        }
    });

    it('takes an answer once, and only with the key, the state and the provider of the sign-in that it belongs to', async () => {
        const begun = await begin();
        const answer = await school.visit(begun.url);
        const second = await begin();
        const answerOfSecond = await school.visit(second.url);
        const code = String(new URLSearchParams(answer).get('code'));
        const invalid = async (given: Promise<Answer>): Promise<void> => {
            const { status, body } = await given;
            expect([status, body.code]).to.equal([400, 'identity_invalid']);
        };

        // Another browser does not have the key.
        await invalid(finish({ provider: 'school', key: 'A'.repeat(43) }, answer));
        // The answer came back to another provider's address.
        await invalid(finish({ ...begun, provider: 'club' }, answer));
        // Somebody's code with another's state: code injection.
        await invalid(finish(second, answer));
        expect((await finish(begun, answer)).status).to.equal(201);
        await invalid(finish(begun, answer));
        await invalid(finish(second, answerOfSecond));

        const third = await begin();
        const fields = new URLSearchParams(await school.visit(third.url));
        // A code that was used before, in an answer that is right otherwise: the provider ends what came of it.
        await invalid(finish(third, String(new URLSearchParams({ ...Object.fromEntries(fields), code }))));
        for (const [name, value] of [['iss', club.issuer], ['state', ''], ['code', '']] as const) {
            const next = await begin();
            await invalid(finish(next, String(new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(await school.visit(next.url))), [name]: value }))));
        }

        const twice = await begin();
        const given = await school.visit(twice.url);
        await invalid(finish(twice, `${given}&${given}`));
        const denied = await begin();
        school.person = null;
        await invalid(finish(denied, await school.visit(denied.url)));
    });

    it('finishes a sign-in once, also if it is answered many times at the same moment', async () => {
        const begun = await begin();
        const answer = await school.visit(begun.url);
        const answers = await Promise.all(Array.from({ length: 10 }, (_each, n) => finish(begun, answer, {}, n % 2 === 0 ? server : other)));
        expect(answers.map(({ status }) => status).sort()).to.equal([201, ...Array.from({ length: 9 }, () => 400)]);
    });

    it('does not finish one that has expired, and forgets it', async () => {
        const begun = await begin();
        const answer = await school.visit(begun.url);
        await server.database.db.raw(`update sign_ins set expires_at = now() - interval '1 second'`);
        expect((await finish(begun, answer)).body.code).to.equal('identity_invalid');
        await begin();
        const { rows: [{ count }] } = await server.database.db.raw('select count(*)::int as count from sign_ins where expires_at < now()');
        expect(count).to.equal(0);
    });

    it('adds an identity to an account, which then signs in to it, and removes it with the tokens that came of it', async () => {
        const ana = await cast.actor();
        const { status, body: { identity }, text } = await add(ana);
        expect(status, text).to.equal(201);
        expect(identity).to.include({ last_used_at: null });
        const entered = await enter();
        expect(entered.body.user.id).to.equal(ana.id);
        expect((await add(ana)).body.code).to.equal('identity_taken');
        expect((await add(await cast.actor())).body.code).to.equal('identity_taken');

        const { body } = await server.call('DELETE', `/users/me/identities/${identity.id}`, {}, { token: ana.token });
        expect(body).to.equal({ status: 'deleted', identity: { ...identity, last_used_at: body.identity.last_used_at } });
        expect((await server.call('GET', '/users/me', undefined, { token: entered.body.token.access_token })).status).to.equal(401);
        expect((await server.call('DELETE', `/users/me/identities/${identity.id}`, {}, { token: ana.token })).status).to.equal(404);
        expect((await enter()).body.user.id).to.not.equal(ana.id);
    });

    it('adds nothing that another account or another browser began, or that was begun to sign in', async () => {
        const [ana, ben] = [await cast.actor(), await cast.actor()];
        const send = (person: { id: string; token: string }, { key }: Begun, answer: string): Promise<Answer> => server.call('POST', `/users/${person.id}/identities`, { provider: 'school', key, answer }, { token: person.token });
        const begun = await begin('school', ben.token);
        const answer = await school.visit(begun.url);
        expect((await send(ana, begun, answer)).body.code).to.equal('identity_invalid');
        expect((await finish(begun, answer)).body.code).to.equal('identity_invalid');
        expect((await send(ben, { ...begun, key: 'B'.repeat(43) }, answer)).body.code).to.equal('identity_invalid');
        expect((await send(ben, begun, answer)).status).to.equal(201);

        const plain = await begin('club');
        club.person = { sub: 'plain' };
        const { status, body } = await server.call('POST', `/users/${ana.id}/identities`, { provider: 'club', key: plain.key, answer: await club.visit(plain.url) }, { token: ana.token });
        expect([status, body.code]).to.equal([400, 'identity_invalid']);
    });

    it('never takes the last way in away', async () => {
        const { body: { user, token: { access_token: token } } } = await enter();
        const me = { id: user.id, token };
        const { body: { identities: [first] } } = await server.call('GET', '/users/me/identities', undefined, { token });
        const remove = (id: string): Promise<Answer> => server.call('DELETE', `/users/me/identities/${id}`, {}, { token });
        expect((await remove(first.id)).body.code).to.equal('last_way_in');
        const { body: { identity: second } } = await add(me, club, 'club');
        // Both at once: one stays.
        const answers = await Promise.all([remove(first.id), remove(second.id)]);
        expect(answers.filter(({ body }) => body.code === 'last_way_in' || body.code === 'invalid_token').length).to.equal(1);

        // An identity of a provider that signs nobody in any more is no way in, nor is a code that works once.
        school.person = { sub: `alone-${++serial}` };
        const ana = await cast.actor();
        const { body: { identity } } = await add(ana);
        await server.database.db.raw('update users set password_hash = null where id = ?', [ana.id]);
        await server.database.db.raw(`insert into identities (user_id, issuer, subject, name) values (?, 'https://gone.example', ?, '')`, [ana.id, ana.id]);
        await server.call('POST', '/users/me/recovery-codes', {}, { token: ana.token });
        expect((await server.call('DELETE', `/users/me/identities/${identity.id}`, {}, { token: ana.token })).body.code).to.equal('last_way_in');
        const { rows: [passkey] } = await server.database.db.raw(`insert into passkeys (user_id, credential, public_key, counter, transports, label) values (?, ?, 'k', 0, '{}', 'Mine') returning id`, [ana.id, `of-${ana.id}`]);
        expect((await server.call('DELETE', `/users/me/identities/${identity.id}`, {}, { token: ana.token })).status).to.equal(200);
        const { status, body } = await server.call('DELETE', `/users/me/passkeys/${passkey.id}`, {}, { token: ana.token });
        expect([status, body.code]).to.equal([409, 'last_way_in']);
        const { body: { identities } } = await server.call('GET', '/users/me/identities', undefined, { token: ana.token });
        expect(identities.map(({ provider }: { provider: unknown }) => provider)).to.equal([null]);
    });

    it('bounds the identities of an account, and the sign-ins that it begins', async () => {
        const ana = await cast.actor();
        await server.database.db.raw(`insert into identities (user_id, issuer, subject, name) select ?, 'https://other.example', 'n' || n || ?, '' from generate_series(1, ${MAX_IDENTITIES}) n`, [ana.id, ana.id]);
        expect((await add(ana)).body.code).to.equal('identity_limit');
        for (let times = 0; times < 12; ++times) {
            await begin('school', ana.token);
        }

        const { rows: [{ count }] } = await server.database.db.raw('select count(*)::int as count from sign_ins where user_id = ?', [ana.id]);
        expect(count).to.equal(10);
    });

    it('adds an identity only with a token that somebody signed in for, which can change the account', async () => {
        const ana = await cast.actor();
        const { body: { token } } = await server.call('POST', '/users/me/tokens', { label: 'Script', scope: ['user'] }, { token: ana.token });
        const codeOf = async (secret?: string): Promise<string> => (await server.call('POST', '/sign-ins', { provider: 'school', to: 'add' }, { token: secret })).body.code;
        expect([await codeOf(), await codeOf(token.access_token), await codeOf(await cast.token(ana.id, ['projects']))]).to.equal(['invalid_token', 'sign_in_needed', 'insufficient_scope']);
        expect((await server.call('POST', '/sign-ins', { provider: 'nobody' })).status).to.equal(404);
        expect((await server.call('POST', '/sign-ins/answers', { provider: 'nobody', key: 'A'.repeat(43), answer: 'code=x' })).status).to.equal(404);
    });

    it('lets a suspended person sign in, and remove an identity, but add none', async () => {
        const ana = await cast.actor();
        const { body: { identity } } = await add(ana);
        const begun = await begin('club', ana.token);
        await server.database.db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Because' where id = ?`, [ana.id]);
        const { status, body } = await enter();
        expect([status, body.user.id]).to.equal([201, ana.id]);
        const token = ana.token;
        const { body: refused } = await server.call('POST', '/users/me/identities', { provider: 'club', key: begun.key, answer: await club.visit(begun.url) }, { token });
        expect(refused.code).to.equal('suspended');
        expect((await server.call('DELETE', `/users/me/identities/${identity.id}`, {}, { token })).status).to.equal(200);
    });

    it('signs nobody in to an account that was deleted, or is meanwhile', async () => {
        const { body: { token: { access_token: token } } } = await enter();
        expect((await server.call('DELETE', '/users/me', {}, { token })).status).to.equal(200);
        const { status, body } = await enter();
        expect([status, body.code, body.message]).to.equal([401, 'invalid_token', 'This account has been deleted.']);
    });

    it('gives an identity one account, if it signs in for the first time several times at once, or is added to another meanwhile', async () => {
        const begun = await Promise.all(Array.from({ length: 4 }, () => begin()));
        const answers: string[] = [];
        for (const { url } of begun) {
            answers.push(await school.visit(url));
        }

        const entered = await Promise.all(begun.map((each, n) => finish(each, String(answers[n]), {}, n % 2 === 0 ? server : other)));
        expect(entered.map(({ status }) => status)).to.equal([201, 201, 201, 201]);
        expect(new Set(entered.map(({ body }) => body.user.id)).size).to.equal(1);

        school.person = { sub: `raced-${++serial}`, preferred_username: 'raced' };
        const ana = await cast.actor();
        const next = await begin();
        const answer = await school.visit(next.url);
        const { finishing: finished } = await server.database.db.transaction(async (trx) => {
            await trx.raw(`insert into identities (user_id, issuer, subject, name) values (?, ?, 'raced-${serial}', '')`, [ana.id, school.issuer]);
            const finishing = finish(next, answer);
            await until(async () => await waiting(server) > 0);
            return { finishing };
        });
        const { body } = await finished;
        expect(body.user.id).to.equal(ana.id);
        const { rows } = await server.database.db.raw(`select id from users where username = 'raced'`);
        expect(rows).to.equal([]);
    });

    it('says that others were in the way if an identity is refused twice', async () => {
        const { db } = server.database;
        await db.raw(`create function nothing() returns trigger language plpgsql as 'begin return null; end'; create trigger nothing before insert on identities for each row execute function nothing()`);
        const { status, body } = await enter();
        await db.raw('drop trigger nothing on identities; drop function nothing()');
        expect([status, body.code]).to.equal([503, 'try_again']);
    });

    it('finds the account that an identity opened while tokens came from its provider', async () => {
        const { db } = server.database;
        const { rows: [old] } = await db.raw(`insert into users (username, username_key, issuer, subject) values ('elder', 'elder', ?, 'elder') returning id`, [school.issuer]);
        school.person = { sub: 'elder' };
        expect((await add(await cast.actor())).body.code).to.equal('identity_taken');
        const { body } = await enter();
        expect(body.user.id).to.equal(String(old.id));
        const me = { id: body.user.id, token: body.token.access_token };
        await add(me, club, 'club');
        const { body: { identities } } = await server.call('GET', '/users/me/identities', undefined, { token: me.token });
        const token = await cast.token(me.id);
        expect((await server.call('DELETE', `/users/me/identities/${identities[1].id}`, {}, { token })).status).to.equal(200);
        expect((await enter()).body.user.id).to.not.equal(me.id);
    });

    it('opens an account only where one may be opened, and counts the code once', async () => {
        const closed = await startTestServer({ config: { publicUrl: origin, signIn: signInSettings({ school }), signUp: 'closed' }, database: { ...server.database, drop: () => Promise.resolve() } });
        const invite = await startTestServer({ config: { publicUrl: origin, signIn: signInSettings({ school }), signUp: 'invite' }, database: { ...server.database, drop: () => Promise.resolve() } });
        expect((await enter(school, 'school', {}, closed)).body.code).to.equal('sign_up_closed');
        expect((await enter(school, 'school', {}, invite)).body.code).to.equal('invitation_needed');
        expect((await enter(school, 'school', { code: 'wrong' }, invite)).body.code).to.equal('invitation_invalid');
        const code = 'a'.repeat(32);
        await server.database.db.raw(`insert into sign_up_codes (hash, uses_left, expires_at) values (sha256(convert_to(?, 'UTF8')), 2, now() + interval '1 hour')`, [code]);
        const { status, body } = await enter(school, 'school', { code }, invite);
        expect(status).to.equal(201);
        expect((await enter(school, 'school', { code }, invite)).body.user).to.equal(body.user);
        expect((await enter(school, 'school', {}, closed)).body.user).to.equal(body.user);
        const { rows: [{ uses_left: left }] } = await server.database.db.raw('select uses_left from sign_up_codes');
        expect(left).to.equal(1);
        await closed.stop();
        await invite.stop();
    });

    it('gives a moderator no rights by it where MODERATORS_NEED is passkey', async () => {
        const ana = await cast.actor();
        await add(ana);
        await server.database.db.raw('update users set moderator = true where id = ?', [ana.id]);
        const { body: { token: { access_token: token } } } = await enter();
        expect((await server.call('GET', '/moderation/reports', undefined, { token })).status).to.equal(200);
        const strict = await startTestServer({ config: { moderatorsNeed: 'passkey' }, database: { ...server.database, drop: () => Promise.resolve() } });
        expect((await strict.call('GET', '/moderation/reports', undefined, { token })).status).to.equal(403);
        await strict.stop();
    });

    it('needs PUBLIC_URL where it is not on one\'s own machine', async () => {
        const lost = await startTestServer({ config: { signIn: signInSettings({ school }) } });
        const beginAt = (host: string): Promise<Answer> => lost.call('POST', '/sign-ins', { provider: 'school' }, { headers: { host } });
        expect((await beginAt('evil.example')).body.code).to.equal('no_public_url');
        const { body } = await beginAt('127.0.0.1:3000');
        expect(new URL(body.sign_in.url).searchParams.get('redirect_uri')).to.equal('http://127.0.0.1:3000/sign-in/school');
        await lost.stop();
    });

    describe('at a provider that fails', () => {
        const start = (settings: Record<string, string> = {}, now?: () => number): Promise<TestServer> => startTestServer({
            config: { publicUrl: origin, signIn: signInSettings({ school }, { AUTH_TIMEOUT: '1000', ...settings }) }, now, database: { ...server.database, drop: () => Promise.resolve() }
        });

        const unavailable = ({ status, body, headers }: Answer): void => {
            expect([status, body.code]).to.equal([503, 'provider_unavailable']);
            expect(Number(headers['retry-after'])).to.be.at.least(1);
        };

        it('answers 503 within its limit if it is slow, down, or says something invalid, and goes on afterwards', async () => {
            const at = await start({}, () => serial * 60_000);
            const failing: NonNullable<SignInProvider['instead']>[] = [
                () => undefined,
                (_request, response) => void response.destroy(),
                (_request, response) => void response.writeHead(500).end('{}'),
                (_request, response) => void response.writeHead(302, { location: `${club.issuer}/` }).end(),
                (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('not JSON'),
                (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer: club.issuer })),
                (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer: school.issuer, authorization_endpoint: 'javascript:alert(1)' })),
                (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(2 * 1024 * 1024))
            ];
            for (const instead of failing) {
                ++serial;
                school.instead = instead;
                unavailable(await at.call('POST', '/sign-ins', { provider: 'school' }));
            }

            ++serial;
            school.instead = undefined;
            expect((await at.call('POST', '/sign-ins', { provider: 'school' })).status).to.equal(201);
            expect(at.faults.length).to.be.at.least(failing.length);
            expect(at.faults.join('')).to.not.contain(CLIENT.client_secret);
            await at.stop();
        });

        it('answers 503 if it fails when the code is exchanged, asks it no more for a while, and reads its metadata once in ten minutes', async () => {
            let time = 0;
            const at = await start({}, () => time);
            const asked = school.asked.length;
            const begun = [];
            for (let times = 0; times < 7; ++times) {
                begun.push(await begin('school', undefined, at));
            }

            expect(school.asked.slice(asked)).to.equal(['/.well-known/openid-configuration']);
            const answers = [];
            for (const { url } of begun) {
                answers.push(await school.visit(url));
            }

            school.instead = (_request, response) => void response.writeHead(502).end();
            for (const [n, each] of begun.slice(0, 5).entries()) {
                unavailable(await finish(each, String(answers[n]), {}, at));
            }

            school.instead = undefined;
            const before_ = school.asked.length;
            unavailable(await finish(Object(begun[5]), String(answers[5]), {}, at));
            expect(school.asked.length).to.equal(before_);
            time += 11_000;
            expect((await finish(Object(begun[6]), String(answers[6]), {}, at)).status).to.equal(201);
            time += 11 * 60_000;
            await begin('school', undefined, at);
            expect(school.asked.filter((path) => path === '/.well-known/openid-configuration').length).to.be.at.least(2);
            await at.stop();
        });

        it('answers 503 if it does not know this service, and says why in the log', async () => {
            const at = await startTestServer({
                config: { publicUrl: origin, signIn: { ...signInSettings({ school }), providers: signInSettings({ school }).providers.map((each) => ({ ...each, clientSecret: 'wrong' })) } }, database: { ...server.database, drop: () => Promise.resolve() }
            });
            const { status, body } = await enter(school, 'school', {}, at);
            expect([status, body.code]).to.equal([503, 'provider_unavailable']);
            expect(at.faults.join('')).to.contain('invalid_client');
            await at.stop();
        });
    });

    it('takes no other settings than such that can work', () => {
        const failing = (settings: Record<string, string>): string => {
            try {
                readConfig(settings);
                return '';
            }
            catch (error) {
                return String(error);
            }
        };

        const one = { id: 'school', name: 'School', issuer: 'https://login.example', client_id: 'pagewright', client_secret: 'hidden-secret' };
        for (const value of ['no JSON', '{}', '[]', ...[[{ ...one, id: 'A b' }], [{ ...one, issuer: 'http://login.example' }], [one, { ...one, issuer: 'https://b.example' }], [one, { ...one, id: 'b' }], [{ ...one, more: 1 }]].map((list) => JSON.stringify(list))]) {
            expect(failing({ SIGN_IN_WITH: value }), value).to.contain('SIGN_IN_WITH must be a JSON list');
            expect(failing({ SIGN_IN_WITH: value }), value).to.not.contain('hidden-secret');
        }

        const good = JSON.stringify([one]);
        expect(readConfig({ SIGN_IN_WITH: good }).signIn.providers.map(({ clientSecret }) => clientSecret)).to.equal(['hidden-secret']);
        expect(failing({ SIGN_IN_WITH: good, SITE: 'off' })).to.contain('SITE=on');
        expect(failing({ SIGN_IN_WITH: good, AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://a.example', AUTH_AUDIENCE: 'b' })).to.contain('AUTH_PROVIDER=local');
    });
});
