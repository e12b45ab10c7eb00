import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count } from '../../support/authoring';
import { authorizeUrl, Browser, pkce, post, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer, TestApp, TokenAnswer } from '../../support/apps';
import type { Actor, Answer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the authorization server', () => {
    let server: AppsServer;
    let ada: Actor;
    let app: TestApp;
    let browser: Browser;

    before(async () => {
        server = await startAppsServer();
        ada = await server.open('ada');
        app = await registerApp(server, ada);
        browser = new Browser(ada.token);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const exchange = (code: string, verifier: string, more: Record<string, string> = {}): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'authorization_code', client_id: app.id, code, redirect_uri: app.redirectUri, code_verifier: verifier, ...more });

    const refresh = (refresh_token: string): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', client_id: app.id, refresh_token });

    const me = (token: string, scheme = 'Bearer'): Promise<Answer> => server.call('GET', '/users/me', undefined, { headers: { authorization: `${scheme} ${token}` } });

    it('says at both addresses what it can do', async () => {
        const [one, other] = await Promise.all(['openid-configuration', 'oauth-authorization-server'].map(async (name) => (await server.call('GET', `${server.url}/.well-known/${name}`)).body));
        expect(one).to.equal(other);
        expect(one).to.include({
            issuer: server.url, authorization_endpoint: `${server.url}/oauth/auth`, token_endpoint: `${server.url}/oauth/token`, revocation_endpoint: `${server.url}/oauth/revoke`,
            pushed_authorization_request_endpoint: `${server.url}/oauth/par`, device_authorization_endpoint: `${server.url}/oauth/device`, jwks_uri: `${server.url}/oauth/jwks`,
            response_types_supported: ['code'], code_challenge_methods_supported: ['S256'], authorization_response_iss_parameter_supported: true, response_modes_supported: ['query', 'fragment'],
            grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'], scopes_supported: ['openid', 'offline_access', 'user', 'projects', 'read']
        });
        expect(one.registration_endpoint).to.be.undefined();
        const { body: { keys: [key] } } = await server.call('GET', `${server.url}/oauth/jwks`);
        expect(key).to.include({ kty: 'RSA', alg: 'RS256', use: 'sig' });
        expect(Object.keys(key)).to.not.include(['d', 'p', 'q']);
    });

    it('gives a token for a code, which is a token as any other, and of which only the hash is stored', async () => {
        const { verifier, challenge } = pkce();
        const back = await browser.letIn(authorizeUrl(server, app, challenge));
        expect(back.href).to.startWith(app.redirectUri);
        expect(Object.fromEntries(back.searchParams)).to.include({ state: 'a state', iss: server.url });
        const { status, body } = await exchange(String(back.searchParams.get('code')), verifier);
        expect(status).to.equal(200);
        expect(body).to.include({ token_type: 'Bearer', expires_in: 3600 });
        expect(body.scope.split(' ').sort()).to.equal(['offline_access', 'projects', 'user']);
        expect(body.id_token).to.be.undefined();
        for (const scheme of ['Bearer', 'token']) {
            expect((await me(body.access_token, scheme)).body.user.username).to.equal('ada');
        }

        expect(await count(server, `from tokens where hash = sha256(?::bytea) and app_id = ? and origin = 'app'`, [body.access_token, app.id])).to.equal(1);
        const secrets = [body.access_token, body.refresh_token, String(back.searchParams.get('code'))];
        const { rows } = await server.database.db.raw(`select coalesce(string_agg(s::text, ' '), '') || (select coalesce(string_agg(t::text, ' '), '') from tokens t) || (select string_agg(a::text, ' ') from authorizations a) as all from authorization_states s`);
        for (const secret of secrets) {
            expect(rows[0].all).to.not.contain(secret);
        }
    });

    it('gives less than the app asked for if that is unticked, and nothing if all is', async () => {
        const token = await tokensFor(server, app, browser, 'user projects offline_access', { scope: ['user'] });
        expect(token).to.include({ scope: 'user' });
        expect(token.refresh_token).to.be.undefined();
        expect((await server.call('POST', '/users/me/projects', { title: 'Mine' }, { token: token.access_token })).body.code).to.equal('insufficient_scope');
        for (const wish of [{ allow: false }, { scope: [] }, { scope: ['read'] }]) {
            const back = await browser.letIn(authorizeUrl(server, app, pkce().challenge), wish);
            expect(Object.fromEntries(back.searchParams)).to.include({ error: 'access_denied', state: 'a state', iss: server.url });
        }
    });

    it('tells who somebody is, with openid', async () => {
        const { verifier, challenge } = pkce();
        const back = await browser.letIn(authorizeUrl(server, app, challenge, { scope: 'openid', nonce: 'a nonce' }));
        const { body } = await exchange(String(back.searchParams.get('code')), verifier);
        const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString());
        expect(claims).to.include({ iss: server.url, aud: app.id, sub: ada.id, preferred_username: 'ada', locale: 'en', nonce: 'a nonce' });
        expect((await me(body.access_token)).body.code).to.equal('insufficient_scope');
    });

    it('gives new tokens for a refresh token; a used one ends all of them', async () => {
        const first = await tokensFor(server, app, browser);
        const second = await refresh(first.refresh_token);
        expect(second.status).to.equal(200);
        expect(second.body.refresh_token).to.not.equal(first.refresh_token);
        expect((await me(second.body.access_token)).status).to.equal(200);
        const again = await refresh(first.refresh_token);
        expect([again.status, again.body.error]).to.equal([400, 'invalid_grant']);
        expect((await refresh(second.body.refresh_token)).body.error).to.equal('invalid_grant');
        expect((await me(second.body.access_token)).status).to.equal(401);
        expect((await me(first.access_token)).status).to.equal(401);
    });

    it('a code works once; a second use ends what the first gave', async () => {
        const { verifier, challenge } = pkce();
        const back = await browser.letIn(authorizeUrl(server, app, challenge));
        const code = String(back.searchParams.get('code'));
        const { body } = await exchange(code, verifier);
        expect((await me(body.access_token)).status).to.equal(200);
        expect((await exchange(code, verifier)).body.error).to.equal('invalid_grant');
        expect((await me(body.access_token)).status).to.equal(401);
        expect((await refresh(body.refresh_token)).body.error).to.equal('invalid_grant');
    });

    const rounds = Number(process.env.CODE_RACES ?? 4);
    it('of many who send a code or a refresh token at once, at most one gets something', { timeout: 600_000 + rounds * 5000 }, async () => {
        for (let n = 0; n < rounds; ++n) {
            const { verifier, challenge } = pkce();
            const back = await browser.letIn(authorizeUrl(server, app, challenge));
            const code = String(back.searchParams.get('code'));
            const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code, verifier)));
            expect(answers.filter(({ status }) => status === 200).length).to.be.most(1);
            for (const { body } of answers.filter(({ status }) => status === 200)) {
                expect((await me(body.access_token)).status).to.equal(401);
            }

            const { refresh_token } = await tokensFor(server, app, browser);
            const refreshed = await Promise.all(Array.from({ length: 8 }, () => refresh(refresh_token)));
            expect(refreshed.filter(({ status }) => status === 200).length).to.be.most(1);
            expect(refreshed.filter(({ status }) => status !== 200).every(({ body }) => body.error === 'invalid_grant')).to.be.true();
        }
    });

    it('ends an authorization by any of its tokens, for its own app only', async () => {
        const tokens = await tokensFor(server, app, browser);
        const other = await registerApp(server, ada);
        const revoke = (token: string, client_id: string): Promise<TokenAnswer> => post(`${server.url}/oauth/revoke`, { token, client_id });
        expect((await revoke(tokens.refresh_token, other.id)).status).to.equal(200);
        expect((await me(tokens.access_token)).status).to.equal(200);
        expect((await revoke(ada.token, app.id)).status).to.equal(200);
        expect((await me(ada.token)).status).to.equal(200);
        expect((await revoke(tokens.access_token, app.id)).status).to.equal(200);
        expect((await me(tokens.access_token)).status).to.equal(401);
        expect((await refresh(tokens.refresh_token)).body.error).to.equal('invalid_grant');
    });

    it('takes a request that was pushed before, once', async () => {
        const { verifier, challenge } = pkce();
        const pushed = await post(`${server.url}/oauth/par`, Object.fromEntries(new URL(authorizeUrl(server, app, challenge)).searchParams));
        expect(pushed.status).to.equal(201);
        const address = `${server.url}/oauth/auth?${new URLSearchParams({ client_id: app.id, request_uri: pushed.body.request_uri })}`;
        const back = await browser.letIn(address);
        const { body } = await exchange(String(back.searchParams.get('code')), verifier);
        expect(body.refresh_token).to.be.a.string();
        const again = await new Browser(ada.token).open(address);
        expect(again.headers.get('location') ?? 'error=').to.contain('error=');
    });

    it('knows an app on a server by its secret, in the header or the form', async () => {
        const secret = await registerApp(server, ada, { confidential: true });
        const { access_token: token } = await tokensFor(server, secret, browser);
        expect((await me(token)).status).to.equal(200);
        const form = { grant_type: 'refresh_token', refresh_token: 'x' };
        const basic = (text: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(`${secret.id}:${text}`).toString('base64')}` });
        expect((await post(`${server.url}/oauth/token`, form, basic(String(secret.secret)))).body.error).to.equal('invalid_grant');
        expect((await post(`${server.url}/oauth/token`, form, basic('wrong'))).body.error).to.equal('invalid_client');
        expect((await post(`${server.url}/oauth/token`, { ...form, client_id: secret.id, client_secret: 'wrong' })).body.error).to.equal('invalid_client');
        expect((await post(`${server.url}/oauth/token`, { ...form, client_id: secret.id })).body.error).to.equal('invalid_client');
    });

    it('lets a device in by the code that somebody types, once', async () => {
        const start = (): Promise<TokenAnswer> => post(`${server.url}/oauth/device`, { client_id: app.id, scope: 'projects offline_access' });
        const poll = (device_code: string): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: app.id, device_code });
        const type = (path: string, body: object, token = ada.token): Promise<Answer> => server.call('POST', `${server.url}/oauth/device/${path}`, body, { token });
        const { body: device } = await start();
        expect(device).to.include({ verification_uri: `${server.url}/device`, expires_in: 600, interval: 5 });
        expect((await poll(device.device_code)).body.error).to.equal('authorization_pending');
        expect((await poll(device.device_code)).body.error).to.equal('slow_down');
        const shown = await type('request', { user_code: device.user_code.toLowerCase().replace('-', ' ') });
        expect(shown.body).to.include({ scope: ['offline_access', 'projects'], destination: null, skip: false });
        expect(shown.body.app.id).to.equal(app.id);
        expect((await type('request', { user_code: 'BBBB-BBBB' })).status).to.equal(404);
        expect((await type('decision', { user_code: device.user_code, allow: true })).status).to.equal(200);
        expect((await type('decision', { user_code: device.user_code, allow: true })).status).to.equal(404);
        const answers = await Promise.all(Array.from({ length: 5 }, () => poll(device.device_code)));
        expect(answers.filter(({ status }) => status === 200).length).to.be.most(1);
        const { body: refused } = await start();
        expect((await type('decision', { user_code: refused.user_code, allow: false })).status).to.equal(200);
        expect((await poll(refused.device_code)).body.error).to.equal('access_denied');
        const { body: last } = await start();
        expect((await type('decision', { user_code: last.user_code, allow: true, scope: ['projects'] })).status).to.equal(200);
        expect((await poll(last.device_code)).body).to.include({ scope: 'projects' });
    });

    it('ends everything of an app that is deleted, and of a user who is deleted, at once', async () => {
        const eve = await server.open();
        const mine = await registerApp(server, eve);
        const tokens = await tokensFor(server, mine, browser);
        const { verifier, challenge } = pkce();
        const back = await browser.letIn(authorizeUrl(server, mine, challenge));
        expect((await server.call('DELETE', `/users/me/apps/${mine.id}`, {}, { token: eve.token })).status).to.equal(200);
        expect((await me(tokens.access_token)).status).to.equal(401);
        expect((await exchange(String(back.searchParams.get('code')), verifier, { client_id: mine.id })).body.error).to.equal('invalid_client');
        expect(await count(server, 'from authorizations where app_id = ?', [mine.id])).to.equal(0);
        const bob = await server.open();
        const of = await tokensFor(server, app, new Browser(bob.token));
        expect((await server.call('DELETE', '/users/me', {}, { token: bob.token })).status).to.equal(200);
        expect((await me(of.access_token)).status).to.equal(401);
        expect((await refresh(of.refresh_token)).body.error).to.equal('invalid_grant');
    });
});
