import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { askedScope, destinationOf } from '../../../src/accounts/authorization/consent';
import { count } from '../../support/authoring';
import { authorizeUrl, Browser, pkce, post, REDIRECT, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer, TokenAnswer } from '../../support/apps';
import type { Actor, Answer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('unusual requests to the authorization server', () => {
    let server: AppsServer;
    let ada: Actor;
    let browser: Browser;

    before(async () => {
        server = await startAppsServer();
        ada = await server.open('ada');
        browser = new Browser(ada.token);
    });

    after(() => server.stop());

    it('warns of nothing, whatever version of Node it runs on', async () => {
        const given = console.warn;
        const warned: unknown[] = [];
        console.warn = (text) => void warned.push(text);
        try {
            expect((await fetch(`${server.url}/oauth/jwks`)).status).to.equal(200);
        }
        finally {
            console.warn = given;
        }

        expect(warned).to.equal([]);
    });

    const decide = async (page: string): Promise<number> => (await browser.open(page, { method: 'POST', token: ada.token, body: { allow: true } })).status;
    const look = (page: string): Promise<Response> => browser.open(`${page}/request`, { token: ada.token });

    it('names the scheme of a private address, and answers 404 for a request that is answered', async () => {
        const app = await registerApp(server, ada, { redirect_uris: ['org.example.app:/done'] });
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        expect(Object(await (await look(page)).json()).destination).to.equal('org.example.app');
        expect(await decide(page)).to.equal(200);
        expect((await look(page)).status).to.equal(404);
        expect(await decide(page)).to.equal(404);
    });

    it('answers 404 for a request that another page began', async () => {
        const app = await registerApp(server, ada, { redirect_uris: [REDIRECT] });
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        const other = page.replace(/[^/]+$/, (uid) => `${uid.startsWith('x') ? 'y' : 'x'}${uid.slice(1)}`);
        expect((await look(other)).status).to.equal(404);
        const withCookies = await fetch(`${other}/request`, { headers: { cookie: browser.cookiesFor(page), authorization: `token ${ada.token}` } });
        expect(withCookies.status).to.equal(404);
        expect((await look(page)).status).to.equal(200);
    });

    it('knows what is asked for, and where people come back to', () => {
        expect(askedScope(undefined)).to.equal([]);
        expect(askedScope('read unknown user')).to.equal(['user', 'read']);
        expect([undefined, 'https://editor.example:8443/done?x', 'org.example.app:/done'].map(destinationOf)).to.equal([null, 'editor.example:8443', 'org.example.app']);
    });

    it('answers 404 if the app is deleted while somebody decides', async () => {
        const app = await registerApp(server, ada, { redirect_uris: [REDIRECT] });
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        expect((await server.call('DELETE', `/users/me/apps/${app.id}`, {}, { token: ada.token })).status).to.equal(200);
        expect((await look(page)).status).to.equal(404);
        expect(await decide(page)).to.equal(404);
    });

    it('stores no code and no refresh token for what people allowed once that has ended, in the middle of the request too', async () => {
        const { db } = server.database;
        const app = await registerApp(server, ada);
        const exchange = (code: string | null, code_verifier: string): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'authorization_code', client_id: app.id, redirect_uri: app.redirectUri, code: String(code), code_verifier });
        // Ends all authorizations as soon as something else is written, between the check and what is stored then.
        const endingOn = async <Result>(event: string, work: () => Promise<Result>): Promise<Result> => {
            await db.raw(`create function ending() returns trigger language plpgsql as $$ begin update authorizations set expires_at = now() - interval '1 s'; return null; end $$; create trigger ending after ${event} for each row execute function ending()`);
            return work().finally(() => db.raw('drop function ending cascade'));
        };

        const used = (): Promise<number> => count(server, `from authorization_states where kind in ('AuthorizationCode', 'RefreshToken') and consumed_at is null`);
        const before_ = await used();
        const { verifier, challenge } = pkce();
        const pushed = await post(`${server.url}/oauth/par`, Object.fromEntries(new URL(authorizeUrl(server, app, challenge)).searchParams));
        const page = await browser.begin(`${server.url}/oauth/auth?${new URLSearchParams({ client_id: app.id, request_uri: pushed.body.request_uri })}`);
        const location = await endingOn('update of consumed_at on authorization_states', () => browser.decide(page));
        expect([location.searchParams.get('code'), location.searchParams.get('error')]).to.equal([null, 'invalid_grant']);

        for (const event of ['update of consumed_at on authorization_states', 'insert on tokens']) {
            const code = (await browser.letIn(authorizeUrl(server, app, challenge))).searchParams.get('code');
            const { status, body } = await endingOn(event, () => exchange(code, verifier));
            expect([status, body.error], event).to.equal([400, 'invalid_grant']);
        }

        const { refresh_token } = await tokensFor(server, app, browser);
        const { status, body } = await endingOn('update of consumed_at on authorization_states', () => post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', client_id: app.id, refresh_token }));
        expect([status, body.error]).to.equal([400, 'invalid_grant']);
        expect(await used()).to.equal(before_);
    });

    it('gives nothing to an app whose user is deleted in the middle of the request', async () => {
        const { db } = server.database;
        const [app, bob] = [await registerApp(server, ada), await server.open()];
        const { verifier, challenge } = pkce();
        const code = (await new Browser(bob.token).letIn(authorizeUrl(server, app, challenge))).searchParams.get('code');
        await db.raw(`create function deleting() returns trigger language plpgsql as $$ begin update users set deleted_at = now() where id = ${bob.id}; return null; end $$; create trigger deleting after update of consumed_at on authorization_states for each row execute function deleting()`);
        const { status, body } = await post(`${server.url}/oauth/token`, { grant_type: 'authorization_code', client_id: app.id, redirect_uri: app.redirectUri, code: String(code), code_verifier: verifier }).finally(() => db.raw('drop function deleting cascade'));
        expect([status, body.error]).to.equal([400, 'invalid_grant']);
        expect(await count(server, 'from tokens where user_id = ? and authorization_id is not null', [bob.id])).to.equal(0);
    });

    it('takes an id that no app can have for an unknown app', async () => {
        const { body } = await post(`${server.url}/oauth/device`, { client_id: 'x', scope: 'projects' });
        expect(body.error).to.equal('invalid_client');
    });

    it('takes one of many simultaneous decisions about a device', async () => {
        const app = await registerApp(server, ada);
        const { body: device } = await post(`${server.url}/oauth/device`, { client_id: app.id, scope: 'projects' });
        const answers = await Promise.all(Array.from({ length: 4 }, () => server.call('POST', `${server.url}/oauth/device/decision`, { user_code: device.user_code, allow: true }, { token: ada.token })));
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 404, 404, 404]);
    });

    it('answers 500 if the database fails, and does not say that the request has expired', async () => {
        const { db } = server.database;
        const app = await registerApp(server, ada);
        const page = await browser.begin(authorizeUrl(server, app, pkce().challenge));
        await db.raw('alter table authorization_states rename to away');
        const answer = await browser.open(authorizeUrl(server, app, pkce().challenge));
        const looked = await look(page);
        const decided = await decide(page);
        await db.raw('alter table away rename to authorization_states');
        expect([answer.status, looked.status, decided]).to.equal([500, 500, 500]);
        expect((await look(page)).status).to.equal(200);

        const { body: device } = await post(`${server.url}/oauth/device`, { client_id: app.id, scope: 'projects' });
        const decideFor = (): Promise<Answer> => server.call('POST', `${server.url}/oauth/device/decision`, { user_code: device.user_code, allow: true }, { token: ada.token });
        await db.raw(`create function failing() returns trigger language plpgsql as $$ begin raise 'of the test'; end $$; create trigger failing before update of decided on authorization_states for each row execute function failing()`);
        const failed = await decideFor();
        await db.raw('drop function failing cascade');
        expect([failed.status, (await decideFor()).status]).to.equal([500, 200]);
    });
});
