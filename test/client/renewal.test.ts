import type { ServerResponse } from 'node:http';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { createClient, PagewrightError } from '../../client/dist/pagewright.cjs';
import type { Client } from '../../client/dist/pagewright.cjs';
import { readConfig } from '../../src/config/index';
import { startAppsServer } from '../support/apps';
import type { AppsServer } from '../support/apps';
import { AUDIENCE, startProvider } from '../support/provider';
import type { Answer } from '../support/server';
import type { TestProvider } from '../support/provider';
import { signInSettings, startSignInProvider, visit } from '../support/sign-in-provider';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const inMemory = () => {
    const items = new Map<string, string>();
    return { items, getItem: (key: string) => items.get(key) ?? null, setItem: (key: string, value: string) => void items.set(key, value), removeItem: (key: string) => void items.delete(key) };
};

describe('a client with a token of an identity provider', () => {
    let provider: TestProvider;
    let server: AppsServer;

    before(async () => {
        provider = await startProvider('jwt');
        const settings = { AUTH_PROVIDER: 'jwt', AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_TIMEOUT: '30000', AUTH_LEEWAY: '0' };
        const { auth, signIn } = readConfig({ ...settings, AUTH_SITE_CLIENT_ID: 'editor', AUTH_SITE_PARAMETERS: `resource=${encodeURIComponent(AUDIENCE)}&prompt=consent` });
        server = await startAppsServer({ config: { auth, signIn } });
    });

    afterEach(() => {
        provider.instead = undefined;
    });

    after(async () => {
        await server.stop();
        await provider.stop();
    });

    interface SignedIn {
        client: Client;
        ended: string[];
        /** Changes what is kept of the session. */
        keep(change: object, renewal?: object): void;
    }

    const signIn = async (patience = {}): Promise<SignedIn> => {
        const store = inMemory();
        const ended: string[] = [];
        const client = createClient(server.url, { store, patience, onSignedOut: ({ code }) => ended.push(code) });
        const { url, key } = await client.beginSignIn({ provider: 'provider' });
        await client.signInWithProvider({ provider: 'provider', key, answer: await visit(provider.issuer, url) });
        return {
            client, ended,
            keep: (change, renewal = {}) => {
                const [[name = '', text = ''] = []] = [...store.items];
                const kept = JSON.parse(text);
                store.setItem(name, JSON.stringify({ ...kept, ...change, renewal: { ...kept.renewal, ...renewal } }));
            }
        };
    };

    const renewals = (): number => provider.asked.filter((path) => path === '/token').length;
    const expired = (): Promise<string> => provider.token({ subject: 'ada', expiresIn: -60 });
    const codeOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'done', (error: unknown) => (error instanceof PagewrightError ? error.code : String(error)));

    it('renews it before it ends, once for all who ask', async () => {
        const { client, keep } = await signIn();
        const { token, renewal } = client.session ?? {};
        expect(renewal).to.include({ provider: 'provider' });
        expect(Number(renewal?.at)).to.be.within(Date.now() + 3500_000, Date.now() + 3540_000);
        keep({}, { at: Date.now() - 1 });
        const asked = renewals();
        const made = await Promise.all(Array.from({ length: 5 }, (_each, n) => client.projects.create({ title: `Number ${n}` })));
        expect(made.length).to.equal(5);
        expect(renewals()).to.equal(asked + 1);
        expect(client.session?.token).to.not.equal(String(token));
        expect(client.session?.renewal?.refreshToken).to.not.equal(String(renewal?.refreshToken));
        expect((await client.takeout()).status).to.equal(200);
        expect(renewals()).to.equal(asked + 1);
    });

    it('renews one that was refused, and sends the request again, with its body', async () => {
        const { client, ended, keep } = await signIn();
        keep({ token: await expired() });
        const { project } = await client.projects.create({ title: 'Written once' });
        expect(project.title).to.equal('Written once');
        keep({ token: await expired() }, { at: null });
        expect((await client.account.get()).id).to.equal(String(client.session?.user.id));
        keep({ token: await expired() }, { at: 0 });
        expect((await client.takeout()).status).to.equal(200);
        expect(ended).to.equal([]);
    });

    it('stays signed in while the provider is down', async () => {
        const { client, ended, keep } = await signIn({ tries: 1 });
        provider.instead = (request, response) => (request.url === '/token' ? void response.writeHead(503).end() : provider.pass(request, response));
        keep({}, { at: 0 });
        expect((await client.account.get()).username).to.be.a.string();
        keep({ token: await expired() });
        expect(await codeOf(client.account.get())).to.equal('provider_unavailable');
        expect(client.session).to.not.be.null();
        provider.instead = undefined;
        expect(ended).to.equal([]);
    });

    it('is signed out when the provider renews it no more', async () => {
        const { client, ended, keep } = await signIn();
        keep({ token: await expired() }, { refreshToken: 'unknown' });
        expect(await codeOf(client.account.get())).to.equal('invalid_token');
        expect([client.session, ended]).to.equal([null, ['identity_invalid']]);

        // One whose response was lost was used, and the provider takes it once.
        const again = await signIn();
        const refreshToken = String(again.client.session?.renewal?.refreshToken);
        again.keep({}, { at: 0 });
        await again.client.account.get();
        again.keep({ token: await expired() }, { refreshToken });
        expect(await codeOf(again.client.account.get())).to.equal('invalid_token');
        expect(again.client.session).to.be.null();
    });

    it('keeps the refresh token of a provider that gives no new one, and waits for a refusal if it does not say how long a token works', async () => {
        const { client, keep } = await signIn();
        const refreshToken = String(client.session?.renewal?.refreshToken);
        const next = await provider.token({ subject: 'ada' });
        provider.instead = (request, response) => (request.url === '/token' ? void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ access_token: next, token_type: 'Bearer' })) : provider.pass(request, response));
        keep({}, { at: 0 });
        expect((await client.account.get()).username).to.be.a.string();
        expect(client.session).to.include({ token: next, renewal: { provider: 'provider', refreshToken, at: null } });
    });

    it('does not end a session that was made meanwhile', async () => {
        const { client, ended, keep } = await signIn();
        const other = await provider.token({ subject: 'ada' });
        provider.instead = (request, response) => {
            if (request.url === '/token') {
                client.signInWith({ token: other, tokenId: null, user: { id: '1', username: 'ada' } });
            }

            provider.pass(request, response);
        };

        keep({}, { at: 0, refreshToken: 'unknown' });
        expect((await client.account.get()).username).to.be.a.string();
        expect([client.session?.token, ended]).to.equal([other, []]);
    });

    it('goes on without renewal where the provider gave no refresh token', async () => {
        const { auth, signIn: plain } = readConfig({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_TIMEOUT: '30000', AUTH_SITE_CLIENT_ID: 'editor', AUTH_SITE_PARAMETERS: `resource=${encodeURIComponent(AUDIENCE)}&scope=openid%20user%20projects` });
        const at = await startAppsServer({ config: { auth, signIn: plain } });
        const client = createClient(at.url);
        const { url, key } = await client.beginSignIn({ provider: 'provider' });
        expect(new URL(url).searchParams.get('scope')).to.equal('openid user projects');
        await client.signInWithProvider({ provider: 'provider', key, answer: await visit(provider.issuer, url) });
        expect(Object.keys(client.session ?? {})).to.equal(['token', 'tokenId', 'user']);
        expect((await client.account.get()).username).to.be.a.string();
        await at.stop();
    });

    const revocations = (): number => provider.asked.filter((path) => path === '/token/revocation').length;
    const revoke = (refreshToken: string, at = server): Promise<Answer> => at.call('POST', '/sign-ins/revocations', { provider: 'provider', refresh_token: refreshToken });
    const refuses = async (refreshToken: string): Promise<boolean> => {
        const { status, body } = await server.call('POST', '/sign-ins/renewals', { provider: 'provider', refresh_token: refreshToken });
        return status === 400 && body.code === 'identity_invalid';
    };

    it('has the provider revoke the refresh token when somebody signs out', async () => {
        const { client } = await signIn();
        const refreshToken = String(client.session?.renewal?.refreshToken);
        const asked = revocations();
        await client.signOut();
        expect(client.session).to.be.null();
        expect(revocations()).to.equal(asked + 1);
        expect(await refuses(refreshToken)).to.be.true();
        // As RFC 7009 has it, also for one that is not known.
        expect((await revoke('unknown')).body).to.equal({ status: 'success', revoked: true });
    });

    it('does so for a token that is renewed while somebody signs out', async () => {
        const { client, keep } = await signIn();
        const given: string[] = [];
        let signedOut: Promise<void> | undefined;
        provider.instead = (request, response) => {
            if (request.url === '/token') {
                const end = response.end.bind(response);
                Object.assign(response, { end: (text: Buffer | string) => {
                    given.push(JSON.parse(String(text)).refresh_token);
                    signedOut = client.signOut();
                    return end(text);
                } });
            }

            provider.pass(request, response);
        };

        keep({}, { at: 0 });
        expect(await codeOf(client.account.get())).to.equal('invalid_token');
        await signedOut;
        expect(given).to.have.length(1);
        expect(client.session).to.be.null();
        provider.instead = undefined;
        expect(await refuses(String(given[0]))).to.be.true();
    });

    it('signs out also if the provider fails, does not answer, or answers something else', async () => {
        const held: ServerResponse[] = [];
        const answers: ((response: ServerResponse) => void)[] = [
            (response) => void response.writeHead(503).end(), (response) => void response.destroy(), (response) => void held.push(response), (response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('Not here'),
            (response) => void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"unsupported_token_type"}')
        ];
        for (const [n, answer] of answers.entries()) {
            const { client } = await signIn();
            provider.instead = (request, response) => (request.url === '/token/revocation' ? answer(response) : provider.pass(request, response));
            const began = Date.now();
            await client.signOut({ timeout: 500 });
            expect(Date.now() - began).to.be.below(2000);
            expect(client.session).to.be.null();
            if (n > 2) {
                const { status, body } = await revoke('x');
                expect([status, body.code]).to.equal([503, 'provider_unavailable']);
            }

            provider.instead = undefined;
        }

        held.forEach((response) => response.destroy());
    });

    it('asks no provider that has no endpoint for that', async () => {
        const { auth, signIn: plain } = readConfig({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_TIMEOUT: '30000', AUTH_SITE_CLIENT_ID: 'editor' });
        const { revocation_endpoint: _endpoint, ...metadata }: Record<string, unknown> = Object(await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json());
        provider.instead = (request, response) => (request.url === '/.well-known/openid-configuration' ? void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata)) : provider.pass(request, response));
        const at = await startAppsServer({ config: { auth, signIn: plain } });
        const asked = revocations();
        expect((await revoke('x', at)).body).to.equal({ status: 'success', revoked: false });
        expect(revocations()).to.equal(asked);
        await at.stop();
    });

    it('cannot renew or revoke tokens of providers that only sign people in', async () => {
        const school = await startSignInProvider(['http://127.0.0.1/sign-in/school'], { application_type: 'native' });
        const local = await startAppsServer({ config: { signIn: signInSettings({ school }) } });
        for (const what of ['renewals', 'revocations']) {
            const { status, body } = await local.call('POST', `/sign-ins/${what}`, { provider: 'school', refresh_token: 'x' });
            expect([status, body.code]).to.equal([404, 'not_found']);
        }

        expect(school.asked).to.equal([]);
        await local.stop();
        await school.stop();
    });
});
