import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_UNUSED_APPS } from '../../../src/limits';
import { authorizeUrl, Browser, pkce, post, REDIRECT, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer } from '../../support/apps';
import { count } from '../../support/authoring';
import type { Actor, Answer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MINUTE = 60_000;

describe('apps that register themselves', () => {
    let server: AppsServer;
    let ada: Actor;
    let browser: Browser;

    before(async () => {
        server = await startAppsServer({ config: { appRegistration: 'open' } });
        ada = await server.open('ada');
        browser = new Browser(ada.token);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const register = (fields: object): Promise<Answer> => server.call('POST', `${server.url}/oauth/register`, fields);

    it('get a secret unless they say that they cannot keep one, and it works', async () => {
        const { status, headers, body } = await register({ client_name: 'On a server', client_uri: 'https://server.example', redirect_uris: [REDIRECT], software_id: 'ignored' });
        expect([status, headers['cache-control']]).to.equal([201, 'no-store']);
        expect(body).to.include({ client_name: 'On a server', client_uri: 'https://server.example', token_endpoint_auth_method: 'client_secret_basic', client_secret_expires_at: 0 });
        expect(await count(server, 'from apps where user_id is null and secret_hash = sha256(?::bytea)', [body.client_secret])).to.equal(1);
        const tokens = await tokensFor(server, { id: body.client_id, secret: body.client_secret, redirectUri: REDIRECT }, browser);
        expect(tokens.token_type).to.equal('Bearer');

        const open = await register({ redirect_uris: ['https://editor.example/done'], token_endpoint_auth_method: 'none' });
        expect(open.body).to.include({ client_name: 'An app without a name', client_uri: 'https://editor.example' });
        expect(Object.keys(open.body)).to.not.include('client_secret');
    });

    it('on a device, without a website, show where they send people back to instead', async () => {
        const { body } = await register({ client_name: 'On a phone', redirect_uris: ['org.example.app:/done'], token_endpoint_auth_method: 'none' });
        expect(body.client_uri).to.equal('org.example.app:/done');
        expect((await server.call('GET', `/apps/${body.client_id}`)).body.app).to.include({ name: 'On a phone', url: body.client_uri, owner: null });
    });

    it('are forgotten if nobody uses them and there are too many, the oldest first', async () => {
        const { db } = server.database;
        const { body: used } = await register({ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' });
        await tokensFor(server, { id: used.client_id, secret: null, redirectUri: REDIRECT }, browser);
        const { body: unused } = await register({ redirect_uris: [REDIRECT] });
        await db.raw(`insert into apps (name, url, redirect_uris) select 'x', 'https://a.example', '{https://a.example/}' from generate_series(1, ?)`, [MAX_UNUSED_APPS]);
        expect((await register({ redirect_uris: [REDIRECT] })).status).to.equal(201);
        expect(await count(server, 'from apps a where user_id is null and not exists (select from authorizations where app_id = a.id)')).to.equal(MAX_UNUSED_APPS);
        const found = await Promise.all([used, unused].map(async ({ client_id: id }) => (await server.call('GET', `/apps/${id}`)).status));
        expect(found).to.equal([200, 404]);
        await db.raw(`delete from apps where name = 'x'`);
    });

    it('are told what is wrong in the words of RFC 7591', async () => {
        const earlier = await count(server, 'from apps');
        for (const [fields, error] of [
            [{}, 'invalid_redirect_uri'], [{ redirect_uris: [] }, 'invalid_redirect_uri'], [{ redirect_uris: ['http://editor.example/'] }, 'invalid_redirect_uri'],
            [{ redirect_uris: [REDIRECT], client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'], [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
            [{ redirect_uris: [REDIRECT], grant_types: ['implicit'] }, 'invalid_client_metadata']
        ] as const) {
            const { status, headers, body } = await register(fields);
            expect([status, body.error, headers['cache-control']], JSON.stringify(fields)).to.equal([400, error, 'no-store']);
            expect(body.error_description).to.be.a.string();
        }

        expect(await count(server, 'from apps')).to.equal(earlier);
    });

    it('cannot do without PKCE, even with a secret', async () => {
        const app = await registerApp(server, ada, { confidential: true });
        const address = new URL(authorizeUrl(server, app, 'none'));
        address.searchParams.delete('code_challenge');
        address.searchParams.delete('code_challenge_method');
        const refused = await browser.open(address.href);
        expect([refused.status, refused.headers.get('location')]).to.equal([400, null]);
        expect(await refused.text()).to.contain('invalid_request');
    });

    it('can ask for no scope, or say themselves that people are to be asked', async () => {
        const app = await registerApp(server, ada);
        const without = new URL(authorizeUrl(server, app, pkce().challenge));
        without.searchParams.delete('scope');
        expect((await browser.open(without.href)).status).to.equal(303);
        expect(await browser.begin(authorizeUrl(server, app, pkce().challenge, { prompt: 'consent' }))).to.contain('/oauth/consent/');
        const never = await browser.open(authorizeUrl(server, app, pkce().challenge, { prompt: 'none' }));
        expect(never.status).to.equal(400);
        expect(await never.text()).to.match(/(?:login|consent|interaction)_required/);
    });

    it('are refused a response as a form when they push their request, and a request without a body', async () => {
        const app = await registerApp(server, ada);
        const pushed = await post(`${server.url}/oauth/par`, { client_id: app.id, redirect_uri: app.redirectUri, response_type: 'code', scope: 'user', code_challenge: pkce().challenge, code_challenge_method: 'S256', response_mode: 'form_post' });
        expect([pushed.status, pushed.body.error]).to.equal([400, 'unsupported_response_mode']);
        const empty = await fetch(`${server.url}/oauth/token`, { method: 'POST' });
        expect([empty.status, Object(await empty.json()).error]).to.equal([400, 'invalid_request']);
    });
});

describe('the keys that sign ID tokens', () => {
    it('are replaced after 90 days: a new one is published for a day before it signs, and the old one stays', async () => {
        let clock = Date.now();
        const server = await startAppsServer({ now: () => clock });
        const ada = await server.open('ada');
        const app = await registerApp(server, ada);
        const browser = new Browser(ada.token);
        const published = async (): Promise<string[]> => (await server.call('GET', `${server.url}/oauth/jwks`)).body.keys.map(({ kid }: { kid: string }) => kid);
        const signer = async (): Promise<string> => {
            const { id_token } = await tokensFor(server, app, browser, 'openid');
            return JSON.parse(Buffer.from(id_token.split('.')[0], 'base64url').toString()).kid;
        };

        const age = async (days: number): Promise<void> => {
            await server.database.db.raw(`update signing_keys set created_at = created_at - make_interval(days => ?)`, [days]);
            clock += 6 * MINUTE;
        };

        const [first = ''] = await published();
        expect(first).to.not.be.empty();
        expect(await signer()).to.equal(first);
        await age(91);
        const both = await published();
        const [, second = ''] = both;
        expect(second).to.not.be.empty();
        expect(both).to.equal([first, second]);
        expect(await signer()).to.equal(first);
        await age(2);
        expect(await published()).to.equal([second, first]);
        expect(await signer()).to.equal(second);
        for (let n = 0; n < 3; ++n) {
            await age(91);
            await published();
        }

        expect(await count(server, 'from signing_keys')).to.equal(3);
        expect(await published()).to.have.length(3).and.to.not.include(first);
        await server.stop();
    });

    it('are read again after the database had an error', async () => {
        const server = await startAppsServer();
        const jwks = async (): Promise<number> => (await server.call('GET', `${server.url}/oauth/jwks`)).status;
        await server.database.db.raw('alter table signing_keys rename to elsewhere');
        expect(await jwks()).to.equal(500);
        await server.database.db.raw('alter table elsewhere rename to signing_keys');
        expect(await jwks()).to.equal(200);
        await server.stop();
    });
});
