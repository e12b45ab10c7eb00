import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';

import { readConfig } from '../../../src/config/index';
import { authorizeUrl, Browser, pkce, post, REDIRECT, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer, TestApp, TokenAnswer } from '../../support/apps';
import { startTestServer } from '../../support/server';
import type { Actor } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** RFC 9700, by its sections. */
describe('threats to sign-ins with apps', () => {
    let server: AppsServer;
    let other: AppsServer;
    let ada: Actor;
    let eve: Actor;
    let app: TestApp;
    let browser: Browser;
    const logged: string[] = [];

    before(async () => {
        server = await startAppsServer({ logger: pino({ level: 'trace' }, { write: (line) => logged.push(line) }) });
        other = await startAppsServer({ database: server.database });
        ada = await server.open('ada');
        eve = await server.open('eve');
        app = await registerApp(server, ada, { redirect_uris: [REDIRECT, 'https://editor.example/done', 'org.example.app:/done'] });
        browser = new Browser(ada.token);
    });

    after(async () => {
        await other.server.stop();
        await server.stop();
    });

    const exchange = (fields: Record<string, string>, at = server): Promise<TokenAnswer> => post(`${at.url}/oauth/token`, { grant_type: 'authorization_code', client_id: app.id, redirect_uri: app.redirectUri, ...fields });

    const codeOf = async (challenge: string): Promise<string> => String((await browser.letIn(authorizeUrl(server, app, challenge))).searchParams.get('code'));

    it('4.1: people are sent nowhere but to an address that is registered, letter for letter', async () => {
        for (const uri of [
            'https://editor.example/done/', 'https://editor.example/done?x=1', 'https://editor.example/', 'https://editor.example.evil.example/done', 'https://editor.example@evil.example/done', 'https://evil.example/', 'http://editor.example/done',
            'http://127.0.0.1.evil.example/done', 'http://127.0.0.1/other', 'http://127.0.0.1/done/../other', 'http://localhost/done', 'org.example.app:/other', 'javascript:alert(1)', '//evil.example/', 'https://EDITOR.example/done'
        ]) {
            const response = await browser.open(authorizeUrl(server, { id: app.id, redirectUri: uri }, pkce().challenge));
            expect(response.status, uri).to.equal(400);
            expect(response.headers.get('location'), uri).to.be.null();
        }

        for (const uri of ['http://127.0.0.1:49152/done', 'https://editor.example/done', 'org.example.app:/done']) {
            const back = await browser.letIn(authorizeUrl(server, { id: app.id, redirectUri: uri }, pkce().challenge));
            expect(back.href.startsWith(`${uri}?code=`), back.href).to.be.true();
        }
    });

    it('4.11: an error of an unknown app, or to an unknown address, is a page of the site', async () => {
        const response = await fetch(authorizeUrl(server, { id: '999999', redirectUri: REDIRECT }, pkce().challenge), { redirect: 'manual', headers: { 'accept-language': 'es' } });
        expect(response.status).to.equal(400);
        expect(await response.text()).to.contain('Esta aplicación no puede iniciar tu sesión').and.to.contain('invalid_client');
    });

    it('4.11.2: no request, however wrong, sends people to the address of an app before they were asked', async () => {
        const wrongs: readonly Record<string, string>[] = [{ scope: 'everything' }, { response_type: 'token' }, { prompt: 'none' }, { prompt: 'none', response_mode: 'fragment' }, { request: 'x' }, { claims: 'x' }, { max_age: '-1' }, { code_challenge: 'short' }];
        for (const more of wrongs) {
            const response = await browser.open(authorizeUrl(server, app, pkce().challenge, more));
            const location = response.headers.get('location') ?? `${server.url}/oauth/consent/`;
            expect([400, 303], JSON.stringify(more)).to.include(response.status);
            expect(new URL(location, server.url).href, JSON.stringify(more)).to.startWith(`${server.url}/oauth/consent/`);
        }

        expect(await (await browser.open(authorizeUrl(server, app, pkce().challenge, { prompt: 'none' }))).text()).to.contain('login_required');
    });

    it('4.2, 4.3: other sites learn of no address here, and what has a code or a token is not kept', async () => {
        const { verifier, challenge } = pkce();
        const page = await browser.begin(authorizeUrl(server, app, challenge));
        for (const address of [page, `${server.url}/device`, `${server.url}/sign-in`]) {
            expect(['no-referrer', 'strict-origin-when-cross-origin'], address).to.include(String((await browser.open(address)).headers.get('referrer-policy')));
        }

        const decided = await browser.open(page, { method: 'POST', token: ada.token, body: { allow: true } });
        const back = await browser.open(Object(await decided.json()).location);
        const code = String(new URL(String(back.headers.get('location'))).searchParams.get('code'));
        const given = await fetch(`${server.url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code', client_id: app.id, redirect_uri: app.redirectUri, code, code_verifier: verifier }) });
        expect([back, given].map(({ headers }) => headers.get('cache-control'))).to.equal(['no-store', 'no-store']);
        // What is in an address is in logs and histories: it is no token.
        const { access_token: token } = Object(await given.json());
        expect((await server.call('GET', `/users/me?access_token=${token}`)).status).to.be.within(400, 401);
        expect((await server.call('GET', '/users/me', undefined, { token })).status).to.equal(200);
    });

    it('4.12: no redirect lets a browser send again what was typed', async () => {
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        const decided = await browser.open(page, { method: 'POST', token: ada.token, body: { allow: true } });
        // The decision itself is no redirect, and what follows it changes the method to GET.
        expect([decided.status, (await browser.open(Object(await decided.json()).location)).status]).to.equal([200, 303]);
        for (const path of ['/oauth/auth', '/sign-in']) {
            expect((await fetch(`${server.url}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ username: 'ada', password: 'x' }) })).status, path).to.be.within(400, 499);
        }
    });

    it('4.14: a refresh token is for its own app, and for what was allowed', async () => {
        const { refresh_token: first } = await tokensFor(server, app, browser, 'projects offline_access');
        const others = await registerApp(server, eve);
        const refresh = (more: Record<string, string>): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', client_id: app.id, refresh_token: first, ...more });
        expect((await refresh({ client_id: others.id })).body.error).to.equal('invalid_grant');
        expect((await refresh({ scope: 'projects user' })).body.error).to.equal('invalid_scope');
        const { status, body } = await refresh({});
        expect([status, body.scope.split(' ').sort()]).to.equal([200, ['offline_access', 'projects']]);
    });

    it('4.17: an answer goes to an address alone, never to another window or in a form', async () => {
        for (const response_mode of ['web_message', 'form_post', 'query.jwt', 'jwt', 'form_post.jwt']) {
            const response = await browser.open(authorizeUrl(server, app, pkce().challenge, { response_mode }));
            expect([response.status, response.headers.get('location')], response_mode).to.equal([400, null]);
        }
    });

    it('4.4: each answer names its issuer, whatever the Host of the request says', async () => {
        const back = await browser.letIn(authorizeUrl(server, app, pkce().challenge));
        expect(back.searchParams.get('iss')).to.equal(server.url);
        const known = await startTestServer({ database: server.database, config: { site: readConfig({}).site, publicUrl: 'https://pages.example' } });
        const { body } = await known.call('GET', '/.well-known/oauth-authorization-server', undefined, { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } });
        expect([body.issuer, body.token_endpoint]).to.equal(['https://pages.example', 'https://pages.example/oauth/token']);
        await known.server.stop();
        expect((await server.call('GET', 'http://evil.example/.well-known/oauth-authorization-server')).body.code).to.equal('no_public_url');
    });

    it('4.5: a code works for its own app, address and verifier alone', async () => {
        const [mine, others] = [pkce(), pkce()];
        const second = await registerApp(server, eve);
        const wrongs: readonly Record<string, string>[] = [{ code_verifier: others.verifier }, { code_verifier: '' }, { client_id: second.id, code_verifier: mine.verifier }, { redirect_uri: 'https://editor.example/done', code_verifier: mine.verifier }];
        for (const wrong of wrongs) {
            const answer = await exchange({ code: await codeOf(mine.challenge), ...wrong });
            expect([answer.status, answer.body.error], JSON.stringify(wrong)).to.equal([400, 'invalid_grant']);
        }
    });

    it('4.8: there is no way without PKCE, or with less of it', async () => {
        const wrongs: readonly Record<string, string>[] = [{ code_challenge: '' }, { code_challenge_method: 'plain' }, { code_challenge_method: '' }, { response_type: 'token' }, { response_type: 'id_token', nonce: 'x' }, { response_type: 'code id_token', nonce: 'x' }];
        for (const more of wrongs) {
            const address = new URL(authorizeUrl(server, app, pkce().challenge, more));
            [...address.searchParams].filter(([, value]) => value === '').forEach(([name]) => address.searchParams.delete(name));
            const response = await browser.open(address.href);
            expect([response.status, response.headers.get('location')], JSON.stringify(more)).to.equal([400, null]);
            // The author of the app learns what is missing, and that nothing has expired.
            expect(await response.text(), JSON.stringify(more)).to.contain(more.code_challenge === '' ? 'code_challenge is missing; send it with code_challenge_method=S256' : '(').and.to.not.contain('has expired');
        }

        expect((await exchange({ code: await codeOf(pkce().challenge) })).body.error).to.equal('invalid_grant');
        for (const grant_type of ['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer']) {
            expect(['unsupported_grant_type', 'invalid_request'], grant_type).to.include((await exchange({ grant_type, username: 'ada', password: 'x' })).body.error);
        }
    });

    it('4.7: an answer goes back to the browser that began, and to nobody else\'s session', async () => {
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        expect((await new Browser(eve.token).open(page, { method: 'POST', token: eve.token, body: { allow: true } })).status).to.equal(404);
        expect((await browser.open(page, { method: 'POST', body: { allow: true } })).status).to.equal(401);
        const { access_token: ofApp } = await tokensFor(server, app, browser);
        expect((await browser.open(page, { method: 'POST', token: ofApp, body: { allow: true } })).status).to.equal(403);
        await browser.decide(page);
        expect((await browser.open(page, { method: 'POST', token: ada.token, body: { allow: true } })).status).to.equal(404);
    });

    it('4.16: the pages that ask are in no frame of anybody, and run no script of others', async () => {
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        for (const address of [page, `${server.url}/device`]) {
            const { headers } = await browser.open(address);
            expect(headers.get('content-security-policy')).to.contain(`frame-ancestors 'none'`).and.to.contain(`script-src 'self'`);
            expect(headers.get('access-control-allow-credentials')).to.be.null();
        }

        expect((await browser.open(authorizeUrl(server, app, pkce().challenge, { response_mode: 'form_post' }))).status).to.equal(400);
    });

    it('a code that one instance made works at another, once', async () => {
        const { verifier, challenge } = pkce();
        const code = await codeOf(challenge);
        // Behind one address both have one issuer; here each has its own.
        const answer = await exchange({ code, code_verifier: verifier }, other);
        expect(answer.status).to.equal(200);
        expect((await server.call('GET', '/users/me', undefined, { token: answer.body.access_token })).status).to.equal(200);
        expect((await exchange({ code, code_verifier: verifier })).body.error).to.equal('invalid_grant');
        expect((await other.call('GET', '/users/me', undefined, { token: answer.body.access_token })).status).to.equal(401);
        const keys = await Promise.all([server, other].map(async ({ url, call }) => (await call('GET', `${url}/oauth/jwks`)).text));
        expect(keys[0]).to.equal(keys[1]);
    });

    it('bodies that are too large or of another type, and parameters that come twice, change nothing', async () => {
        expect((await post(`${server.url}/oauth/token`, { grant_type: 'x'.repeat(20_000) })).status).to.equal(413);
        const twice = await fetch(`${server.url}/oauth/token`, { method: 'POST', body: new URLSearchParams([['client_id', app.id], ['grant_type', 'refresh_token'], ['refresh_token', 'a'], ['refresh_token', 'b']]) });
        expect([twice.status, Object(await twice.json()).error]).to.equal([400, 'invalid_request']);
        const json = await fetch(`${server.url}/oauth/token`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
        expect(json.status).to.equal(400);
    });

    it('logs have no code, no token, no verifier and no state', async () => {
        const { verifier, challenge } = pkce();
        const code = await codeOf(challenge);
        const { body } = await exchange({ code, code_verifier: verifier });
        const all = logged.join('');
        for (const secret of [code, verifier, challenge, body.access_token, body.refresh_token, 'a state', 'a+state', 'a%20state']) {
            expect(all.includes(secret), secret).to.be.false();
        }
    });
});
