import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { Browser, post, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer, TestApp, TokenAnswer } from '../../support/apps';
import type { Actor, Answer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('clients of others, as they are', () => {
    let server: AppsServer;
    let ada: Actor;
    let app: TestApp;
    let onServer: TestApp;
    let browser: Browser;

    before(async () => {
        server = await startAppsServer({ config: { appRegistration: 'open' } });
        ada = await server.open('ada');
        app = await registerApp(server, ada);
        onServer = await registerApp(server, ada, { confidential: true });
        browser = new Browser(ada.token);
    });

    after(() => server.stop());

    const username = async (token: string): Promise<string> => (await server.call('GET', '/users/me', undefined, { headers: { authorization: `Bearer ${token}` } })).body.user.username;

    for (const kind of ['a public app', 'an app on a server']) {
        it(`openid-client signs in, refreshes and signs out, as ${kind}`, async () => {
            const client = await import('openid-client');
            const { id, secret, redirectUri } = kind === 'a public app' ? app : onServer;
            const config = await client.discovery(new URL(server.url), id, secret ?? undefined, secret === null ? client.None() : undefined, { execute: [client.allowInsecureRequests] });
            const verifier = client.randomPKCECodeVerifier();
            const [state, nonce] = [client.randomState(), client.randomNonce()];
            const address = client.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid user offline_access', code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', state, nonce });
            const back = await browser.letIn(address);
            const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce });
            const claims: Readonly<Record<string, unknown>> = { ...tokens.claims() };
            expect([claims.sub, claims.preferred_username]).to.equal([ada.id, 'ada']);
            expect(await username(tokens.access_token)).to.equal('ada');
            const info: Readonly<Record<string, unknown>> = { ...await client.fetchUserInfo(config, tokens.access_token, ada.id) };
            expect(info).to.equal({ sub: ada.id, preferred_username: 'ada', locale: claims.locale });
            const next = await client.refreshTokenGrant(config, String(tokens.refresh_token));
            expect(await username(next.access_token)).to.equal('ada');
            await client.tokenRevocation(config, String(next.refresh_token));
            const error: unknown = await client.refreshTokenGrant(config, String(next.refresh_token)).catch((caught: unknown) => caught);
            expect(error).to.be.an.error();
        });
    }

    it('userinfo is for tokens of apps that were let in with openid, by GET and POST', async () => {
        const { access_token: open } = await tokensFor(server, app, browser, 'openid');
        const { access_token: closed } = await tokensFor(server, app, browser, 'user projects');
        for (const method of ['GET', 'POST']) {
            const ask = (headers: Record<string, string>): Promise<Answer> => server.call(method, '/oauth/userinfo', undefined, { headers });
            const { status, body, headers } = await ask({ authorization: `Bearer ${open}` });
            expect([status, body.sub, headers['cache-control']]).to.equal([200, ada.id, 'no-store']);
            for (const token of [closed, ada.token]) {
                const refused = await ask({ authorization: `Bearer ${token}` });
                expect([refused.status, refused.body.code]).to.equal([403, 'insufficient_scope']);
                expect(refused.headers['www-authenticate']).to.contain('error="insufficient_scope", scope="openid"');
            }

            expect([(await ask({})).status, (await ask({ authorization: 'Bearer x' })).status]).to.equal([401, 401]);
        }
    });

    it('an app on a server signs in with its new secret, and no longer with the old one', async () => {
        const own = await registerApp(server, ada, { confidential: true });
        const { access_token: token, refresh_token: first } = await tokensFor(server, own, browser);
        const replaced = await server.call('POST', `/users/me/apps/${own.id}/secret`, {}, { token: ada.token });
        expect(replaced.status, replaced.text).to.equal(201);
        expect(replaced.headers['cache-control']).to.equal('no-store');
        expect(replaced.body.app).to.include({ id: own.id, confidential: true });
        const { client_secret: secret } = replaced.body;
        const refresh = (client_secret: string): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', refresh_token: first, client_id: own.id, client_secret });
        expect((await refresh(String(own.secret))).body.error).to.equal('invalid_client');
        // People stay signed in.
        expect(await username(token)).to.equal('ada');
        const { status, body } = await refresh(secret);
        expect(status).to.equal(200);
        expect(await username(body.access_token)).to.equal('ada');

        const other = await server.call('POST', `/users/me/apps/${app.id}/secret`, {}, { token: ada.token });
        expect(other).to.include({ status: 404 });
        expect(other.body.message).to.match(/^This app has no secret\./);
        expect((await server.call('POST', '/users/me/apps/999999/secret', {}, { token: ada.token })).body.message).to.match(/^There is no such app/);
    });

    it('the page of the documentation has one app, which is made when it is first needed', async () => {
        const ask = async (): Promise<string> => (await fetch(`${server.url}/oauth/docs`, { method: 'POST' })).text();
        const { client_id: id, redirect_uri: uri } = Object(JSON.parse(await ask()));
        expect(uri).to.equal(`${server.url}/docs`);
        expect(Object(JSON.parse(await ask())).client_id).to.equal(id);
        const { body } = await server.call('GET', `/apps/${id}`);
        expect(body.app).to.include({ name: 'Pagewright: the API', owner: null });
        await server.database.db('apps').where({ id }).delete();
        expect(Object(JSON.parse(await ask())).client_id).to.not.equal(id);
    });

    it('openid-client pushes its request, and registers itself', async () => {
        const client = await import('openid-client');
        const config = await client.dynamicClientRegistration(new URL(server.url), { client_name: 'By itself', redirect_uris: ['http://127.0.0.1/done'], token_endpoint_auth_method: 'none' }, client.None(), { execute: [client.allowInsecureRequests] });
        const verifier = client.randomPKCECodeVerifier();
        const address = await client.buildAuthorizationUrlWithPAR(config, { redirect_uri: 'http://127.0.0.1:4711/done', scope: 'user', code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', state: 'abc' });
        const back = await browser.letIn(address);
        expect(back.port).to.equal('4711');
        const { access_token: token } = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: 'abc' });
        expect(await username(token)).to.equal('ada');
    });

    it('openid-client signs a device in', async () => {
        const client = await import('openid-client');
        const config = await client.discovery(new URL(server.url), app.id, undefined, client.None(), { execute: [client.allowInsecureRequests] });
        const device = await client.initiateDeviceAuthorization(config, { scope: 'user' });
        const waiting = client.pollDeviceAuthorizationGrant(config, device);
        expect((await server.call('POST', `${server.url}/oauth/device/decision`, { user_code: device.user_code, allow: true }, { token: ada.token })).status).to.equal(200);
        expect(await username((await waiting).access_token)).to.equal('ada');
    });

    it('oauth4webapi signs in by the metadata of RFC 8414', async () => {
        const oauth = await import('oauth4webapi');
        const insecure = { [oauth.allowInsecureRequests]: true };
        const issuer = new URL(server.url);
        const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
        const client = { client_id: app.id };
        const verifier = oauth.generateRandomCodeVerifier();
        const address = new URL(String(as.authorization_endpoint));
        address.search = String(new URLSearchParams({ client_id: app.id, redirect_uri: app.redirectUri, response_type: 'code', scope: 'user offline_access', code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', state: 'abc' }));
        const parameters = oauth.validateAuthResponse(as, client, await browser.letIn(address), 'abc');
        const response = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, app.redirectUri, verifier, insecure);
        const { access_token: token, refresh_token: refresh } = await oauth.processAuthorizationCodeResponse(as, client, response);
        expect(await username(token)).to.equal('ada');
        const next = await oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, oauth.None(), String(refresh), insecure));
        expect(await username(next.access_token)).to.equal('ada');
    });
});
