import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { currentIdentity } from '../../../../src/api/request/caller';
import { openAuthor } from '../../../support/authoring';
import { Cast, stored } from '../../../support/cast';
import type { Target } from '../../../support/cast';
import { AUDIENCE, EDITOR, startProvider } from '../../../support/provider';
import type { TestProvider } from '../../../support/provider';
import { interrupted, queriesOf } from '../../../support/queries';
import { PASSWORD, startTestServer } from '../../../support/server';
import type { Answer, TestServer } from '../../../support/server';

export const lab = script();

for (const name of ['jwt', 'introspection'] as const) {
    lab.experiment(`Tokens of an OpenID provider, by ${name}`, () => {

        let provider: TestProvider;
        let server: TestServer;
        let target: Target;
        let serial = 0;

        lab.before(async () => {
            provider = await startProvider(name);
            server = await startTestServer({ config: { auth: provider.settings() } });
            target = await new Cast(server).target();
        });

        lab.after(async () => {
            await server.stop();
            await provider.stop();
        });

        const newSubject = (): string => `subject-${++serial}`;
        const tokenOf = (subject: string, more: object = {}): Promise<string> => provider.token({ subject, ...more });
        const open = (token: string): Promise<Answer> => server.call('POST', '/users', undefined, { token });
        const remix = (token: string): Promise<Answer> => server.call('POST', `/users/${target.user}/projects/${target.project}/remixes`, undefined, { token });

        lab.test('POST /users opens the account of the token once, and then returns it', async () => {
            const token = await tokenOf('1', { extra: { preferred_username: 'grace', locale: 'pt_BR' } });
            const { status, headers, body } = await open(token);
            expect(status).to.equal(201);
            expect(headers.location).to.equal(`/users/${body.user.id}`);
            expect(Object.keys(body)).to.equal(['status', 'user']);
            expect(body.status).to.equal('created');
            expect(body.user).to.include({ username: 'grace', revision: 1, locale: { language: 'pt-BR' }, permissions: { staff: false, moderator: false, teacher: false } });

            // Later values of the provider change nothing: only the user can change them.
            const again = await open(await tokenOf('1', { extra: { preferred_username: 'hopper', locale: 'fr' } }));
            expect(again.status).to.equal(200);
            expect(again.headers.location).to.equal(headers.location);
            expect(again.body).to.equal({ status: 'success', user: body.user });
            const changed = await server.call('PATCH', `/users/${body.user.id}`, { username: 'amazing-grace' }, { token });
            expect(changed.body.user).to.include({ username: 'amazing-grace', revision: 2 });
            expect((await open(token)).body.user).to.equal(changed.body.user);
        });

        lab.test('both schemes work', async () => {
            const token = await tokenOf(newSubject());
            const { body: { user } } = await open(token);
            for (const scheme of ['token', 'Token', 'Bearer', 'bearer']) {
                const { status } = await server.call('GET', `/users/${user.id}`, undefined, { headers: { authorization: `${scheme} ${token}` } });
                expect(status, scheme).to.equal(200);
            }
        });

        lab.test('an editor signs its user in with an authorization code, and its token works', async () => {
            const token = await signIn(provider, name);
            const { status, body } = await open(token);
            expect(status).to.equal(201);
            expect(body.user).to.include({ locale: { language: 'en' } });
            expect((await server.call('POST', `/users/${body.user.id}/projects`, { title: 'Mine' }, { token })).status).to.equal(201);
        });

        lab.test('an account costs each request one statement', async () => {
            const token = await tokenOf(newSubject());
            const { body: { user } } = await open(token);
            const sent = await queriesOf(() => server.call('GET', `/users/${user.id}`, undefined, { token }));
            expect(sent.length).to.equal(2);
        });

        lab.test('a first remix opens the account too: both are done, or nothing', async () => {
            const before = await stored(server);
            const token = await tokenOf(newSubject(), { scope: 'projects', extra: { preferred_username: 'remixer' } });
            const missing = await server.call('POST', `/users/${target.user}/projects/9000000/remixes`, undefined, { token });
            expect(missing.status).to.equal(404);
            expect(await stored(server)).to.equal(before);

            const { status, body } = await remix(token);
            expect(status).to.equal(201);
            expect(body.project.author.username).to.equal('remixer');
            const second = await remix(token);
            expect(second.body.project.user_id).to.equal(body.project.user_id);
        });

        lab.test('a first write is done once, although the account exists when it is repeated', async () => {
            const options = { token: await tokenOf(newSubject()), headers: { 'idempotency-key': `the-first-write-by-${name}` } };
            const send = (): Promise<Answer> => server.call('POST', `/users/${target.user}/projects/${target.project}/remixes`, undefined, options);
            const { status, text } = await send();
            expect(status).to.equal(201);
            expect((await send()).text).to.equal(text);
        });

        lab.test('a user without an account is a stranger, and gets no_account', async () => {
            const token = await tokenOf(newSubject());
            const before = await stored(server);
            for (const [method, url, body] of [['GET', `/users/${target.user}`], ['DELETE', `/users/${target.user}`], ['POST', `/users/${target.user}/projects`, { title: 'x' }]] as const) {
                const { status, body: answer } = await server.call(method, url, body, { token });
                expect({ status, code: answer.code }).to.equal({ status: 403, code: 'no_account' });
            }

            expect(await stored(server)).to.equal(before);
            const viewed = await server.call('POST', `/view-project/${target.project}`, undefined, { token });
            expect(viewed.body).to.equal({ status: 'success', counted: true });
        });

        lab.test('many first writes at once open one account', async () => {
            const token = await tokenOf(newSubject(), { extra: { preferred_username: 'racer' } });
            const answers = await Promise.all([...Array.from({ length: 8 }, () => open(token)), ...Array.from({ length: 4 }, () => remix(token))]);
            const opened = answers.slice(0, 8);
            expect(opened.every(({ status }) => status === 200 || status === 201), JSON.stringify(opened)).to.be.true();
            expect(opened.filter(({ status }) => status === 201).length).to.be.at.most(1);
            expect(answers.slice(8).map(({ status }) => status)).to.equal([201, 201, 201, 201]);
            expect(new Set(answers.map(({ body }) => body.user?.id ?? body.project.user_id)).size).to.equal(1);
            expect(answers[0]?.body.user.username).to.equal('racer');
        });

        lab.test('the same subject at another issuer is another user', async () => {
            const other = await startProvider(name);
            const beside = await startTestServer({ config: { auth: other.settings() }, database: server.database });
            try {
                const subject = newSubject();
                const [here, there] = [await tokenOf(subject), await other.token({ subject })];
                const own = (await open(here)).body.user.id;
                const reading = async (by: TestServer, id: string, token: string): Promise<string> => {
                    const { body } = await by.call('GET', `/users/${id}`, undefined, { token });
                    return body.code ?? body.user.id;
                };

                expect(await reading(beside, own, there)).to.equal('no_account');
                const theirs = (await beside.call('POST', '/users', undefined, { token: there })).body.user.id;
                expect(theirs).to.not.equal(own);
                expect([await reading(server, own, here), await reading(server, theirs, here)]).to.equal([own, 'forbidden']);
                expect([await reading(beside, theirs, there), await reading(beside, own, there)]).to.equal([theirs, 'forbidden']);
                expect((await open(there)).status).to.equal(401);
                expect((await beside.call('POST', '/users', undefined, { token: here })).status).to.equal(401);
            }
            finally {
                await beside.server.stop();
                await other.stop();
            }
        });

        lab.test('the provider\'s scopes are mapped to ours, and a response about a missing one names the provider\'s', async () => {
            const mapped = await startTestServer({ config: { auth: provider.settings({ AUTH_SCOPE_USER: 'pages:me', AUTH_SCOPE_PROJECTS: 'pages:write' }) } });
            try {
                const cases = [['pages:me', 201, 403], ['pages:write', 403, 404], ['openid pages:me pages:write', 201, 404], ['user projects', 403, 403], ['', 403, 403]] as const;
                for (const [scope, opening, remixing] of cases) {
                    const token = await tokenOf(newSubject(), { scope });
                    const answers = [await mapped.call('POST', '/users', undefined, { token }), await mapped.call('POST', '/users/1/projects/1/remixes', undefined, { token })];
                    expect(answers.map(({ status }) => status), scope).to.equal([opening, remixing]);
                    if (opening === 403) {
                        expect(answers[0]?.headers['www-authenticate']).to.equal('Bearer realm="pagewright", error="insufficient_scope", scope="pages:me"');
                    }
                }
            }
            finally {
                await mapped.stop();
            }
        });

        lab.test('an invalid token is 401, and stores nothing', async () => {
            const before = await stored(server);
            const bad: Record<string, string> = {
                'for another service': await tokenOf(newSubject(), { audience: 'https://other.example/api' }),
                expired: await tokenOf(newSubject(), { expiresIn: -31 }),
                'bound to a key': await tokenOf(newSubject(), { jkt: 'x'.repeat(43) }),
                'of a subject that is too long': await tokenOf('x'.repeat(256)),
                'of a subject that is no ASCII': await tokenOf('ä'),
                unknown: 'x'.repeat(43),
                'a token with invalid characters': 'ä"\\'
            };
            for (const [what, token] of Object.entries(bad)) {
                const { status, headers, body } = await open(token);
                expect({ status, code: body.code }, what).to.equal({ status: 401, code: 'invalid_token' });
                expect(headers['www-authenticate']).to.equal('Bearer realm="pagewright", error="invalid_token"');
                expect((await server.call('POST', `/view-project/${target.project}`, undefined, { token })).status).to.equal(401);
            }

            expect((await server.call('POST', '/users')).headers['www-authenticate']).to.equal('Bearer realm="pagewright"');
            expect(await stored(server)).to.equal(before);
        });

        lab.test('a body is rejected: the token says who the user is', async () => {
            const { status, body } = await server.call('POST', '/users', { username: 'me', password: PASSWORD }, { token: await tokenOf(newSubject()) });
            expect({ status, code: body.code }).to.equal({ status: 400, code: 'validation_failed' });
        });

        lab.test('local tokens and passwords do not work', async () => {
            const cast = new Cast(server);
            expect((await server.call('GET', `/users/${target.user}`, undefined, { token: await cast.token(target.user) })).status).to.equal(401);
            const token = await tokenOf(newSubject());
            for (const [method, url] of [['POST', '/tokens'], ['GET', '/tokens'], ['DELETE', '/tokens/1']] as const) {
                for (const options of [{}, { token }]) {
                    const { status, body } = await server.call(method, url, method === 'GET' ? undefined : { username: target.username, password: PASSWORD }, options);
                    expect({ status, code: body.code }).to.equal({ status: 404, code: 'not_local' });
                    expect(body.message).to.contain(provider.issuer);
                }
            }
        });

        lab.test('the description says so', async () => {
            const { body: { paths } } = await server.call('GET', '/openapi.json');
            expect(paths['/users'].post).to.include({ operationId: 'openAccount', security: [{ token: ['user'] }, { bearer: ['user'] }] });
            // Only the code for SIGN_UP=invite.
            expect(paths['/users'].post.requestBody.required).to.be.false();
        });

        lab.test('a deleted account stays deleted until it is purged', async () => {
            const subject = newSubject();
            const token = await tokenOf(subject);
            const { body: { user } } = await open(token);
            expect((await server.call('DELETE', `/users/${user.id}`, undefined, { token })).status).to.equal(200);
            const before = await stored(server);
            for (const again of [token, await tokenOf(subject)]) {
                expect((await open(again)).status).to.equal(401);
                expect((await remix(again)).status).to.equal(401);
            }

            expect(await stored(server)).to.equal(before);
            await server.database.db.raw('delete from users where id = ?', [user.id]);
            expect((await open(token)).status).to.equal(201);
        });

        lab.test('so does one that is deleted while it is being opened again', async () => {
            const subject = newSubject();
            const token = await tokenOf(subject);
            const { status, body } = await interrupted(
                /with known as/, () => server.database.db.raw('insert into users (username, issuer, subject, deleted_at) values (?, ?, ?, now())', [subject, provider.issuer, subject]), () => open(token));
            expect({ status, code: body.code }).to.equal({ status: 401, code: 'invalid_token' });
        });

        lab.test('moderators are made here, whatever the provider says', async () => {
            const token = await tokenOf(newSubject(), { scope: 'user projects moderator', extra: { moderator: true, permissions: { moderator: true } } });
            const { body: { user } } = await open(token);
            const feature = (): Promise<Answer> => server.call('PATCH', `/users/${target.user}/projects/${target.project}/feature`, { featured: true }, { token });
            expect((await feature()).status).to.equal(403);
            await server.database.db.raw('update users set moderator = true where id = ?', [user.id]);
            expect((await feature()).status).to.equal(200);
        });

        lab.test('a public route sends the provider no request', async () => {
            const asked = provider.asked.length;
            expect((await server.call('GET', '/projects', undefined, { token: 'never.seen.before' })).status).to.equal(200);
            expect(provider.asked.length).to.equal(asked);
        });

        lab.test('no request here caused an internal error', () => {
            expect(server.faults).to.equal([]);
        });
    });
}

lab.experiment('Without another provider', () => {
    lab.test('a local token has no identity at a provider', async () => {
        const server = await startTestServer();
        server.server.route({ method: 'GET', path: '/whoami', options: { app: { cost: 'cheap' }, auth: 'token' }, handler: (request) => currentIdentity(request) });
        const { token } = await openAuthor(server);
        const { status, body } = await server.call('GET', '/whoami', undefined, { token });
        expect({ status, code: body.code }).to.equal({ status: 401, code: 'invalid_token' });
        await server.stop();
    });
});

/** Signs in like an editor in a browser: the authorization code flow with PKCE (RFC 7636), with cookies. */
async function signIn({ issuer }: TestProvider, name: 'jwt' | 'introspection'): Promise<string> {
    const verifier = 'v'.repeat(43);
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url');
    const parameters = { client_id: 'editor', redirect_uri: EDITOR, code_challenge: challenge, code_challenge_method: 'S256' };
    const cookies = new Map<string, string>();
    let location = `/auth?${new URLSearchParams({ ...parameters, response_type: 'code', scope: 'openid user projects', resource: AUDIENCE })}`;
    while (!location.startsWith(EDITOR)) {
        const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
        const { status, headers } = await fetch(new URL(location, issuer), { redirect: 'manual', headers: { cookie } });
        expect(status).to.equal(303);
        for (const set of headers.getSetCookie()) {
            const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
            cookies.set(key, value);
        }

        location = String(headers.get('location'));
    }

    const code = String(new URL(location).searchParams.get('code'));
    const body = new URLSearchParams({ client_id: 'editor', redirect_uri: EDITOR, grant_type: 'authorization_code', code, code_verifier: verifier, resource: AUDIENCE });
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body });
    const { access_token: token }: { access_token: string } = Object(await answer.json());
    expect(token.includes('.'), name).to.equal(name === 'jwt');
    return token;
}
