import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';

import { inject } from '@hapi/shot';
import type { ClientMetadata, Configuration, default as OidcProvider, JWK } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { readConfig } from '../../src/config/index';
import type { Config } from '../../src/config/index';
import { listen } from './host';
import { memory, newKey } from './provider';
import { prepareRsaKeys } from './rsa-keys';

type Claims = Record<string, unknown>;

/** A real OpenID provider with people, on a port of its own in this process. */
export interface SignInProvider {
    issuer: string;
    /** the paths that were asked for */
    asked: string[];
    /** answers instead of the provider while it is set */
    instead: RequestListener | undefined;
    /** lets the provider itself answer */
    pass: RequestListener;
    /** who is signed in there: the subject, with claims; null if they refuse */
    person: { sub: string } & Claims | null;
    /** changes the claims of ID tokens, which are signed again */
    change: ((claims: Claims) => Claims) | undefined;
    /** signs with a new key from now on, and no longer publishes the old one */
    rotate(): void;
    /** Goes through the pages of the provider as a browser does. @returns the query with which it sends people back */
    visit(url: string): Promise<string>;
    stop(): Promise<void>;
}

export const CLIENT = { client_id: 'pagewright', client_secret: 's%cret/+ &=:' };

const bodyOf = async (request: IncomingMessage): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) {
        chunks.push(chunk);
    }

    return Buffer.concat(chunks).toString();
};

/** Goes through the pages of a provider as a browser does. @returns the query with which it sends people back */
export async function visit(issuer: string, url: string): Promise<string> {
    const cookies = new Map<string, string>();
    let location = url;
    while (location.startsWith('/') || location.startsWith(issuer)) {
        const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
        const { status, headers } = await fetch(new URL(location, issuer), { redirect: 'manual', headers: { cookie } });
        if (status !== 303) {
            throw new Error(`${location} answered with ${status}`);
        }

        for (const set of headers.getSetCookie()) {
            const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
            cookies.set(key, value);
        }

        location = String(headers.get('location'));
    }

    return new URL(location).search.slice(1);
}

/** @param redirectUris where it sends people back to. @param client what is special about the client there */
export async function startSignInProvider(redirectUris: string[], client: Partial<ClientMetadata> = {}, more: Configuration = {}): Promise<SignInProvider> {
    const { default: Provider } = await import('oidc-provider');
    const { SignJWT, decodeJwt } = await import('jose');
    const adapter = memory();
    await prepareRsaKeys();
    let jwk: JWK = newKey('RS256').jwk;
    let provider: OidcProvider;
    const http = createServer((request, response) => {
        test.asked.push(String(request.url));
        void (test.instead ?? test.pass)(request, response);
    });
    http.keepAliveTimeout = 600_000;
    const issuer = `http://127.0.0.1:${await listen(http)}`;

    const configuration = (): Configuration => ({
        adapter,
        clients: [{ ...CLIENT, redirect_uris: redirectUris, ...client }],
        jwks: { keys: [jwk] },
        cookies: { keys: ['of the tests'] },
        claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'locale'], email: ['email'] },
        conformIdTokenClaims: false,
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        loadExistingGrant: async ({ oidc: { client: known, session } }) => {
            const grant = new provider.Grant({ clientId: known?.clientId, accountId: session?.accountId });
            grant.addOIDCScope('openid profile email');
            await grant.save();
            return grant;
        },
        findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ ...test.person, sub: accountId }) }),
        ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
        ...more
    });

    const start = (): void => {
        provider = new Provider(issuer, configuration());
    };

    const answer: RequestListener = async (request, response) => {
        if (request.url?.startsWith('/interaction/')) {
            const result = test.person === null ? { error: 'access_denied', error_description: 'They do not want to' } : { login: { accountId: test.person.sub }, consent: {} };
            await provider.interactionFinished(request, response, result);
        }
        else if (request.url === '/token' && test.change !== undefined) {
            const callback: { answer: (...given: never[]) => unknown } = { answer: provider.callback() };
            const { statusCode, payload } = await inject((req, res) => void Reflect.apply(callback.answer, undefined, [req, res]), { method: 'POST', url: '/token', headers: { ...request.headers, host: new URL(issuer).host }, payload: await bodyOf(request) });
            const body: { id_token?: string } = JSON.parse(payload);
            if (body.id_token !== undefined) {
                body.id_token = await new SignJWT(test.change(decodeJwt(body.id_token))).setProtectedHeader({ alg: 'RS256', kid: jwk.kid }).sign(createPrivateKey({ key: Object(jwk), format: 'jwk' }));
            }

            response.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        }
        else {
            void provider.callback()(request, response);
        }
    };

    const test: SignInProvider = {
        issuer,
        asked: [],
        instead: undefined,
        pass: (request, response) => answer(request, response),
        person: { sub: 'ada' },
        change: undefined,
        rotate: () => {
            jwk = newKey('RS256').jwk;
            start();
        },
        visit: (url) => visit(issuer, url),
        stop: async () => {
            http.closeAllConnections();
            await new Promise((done) => void http.close(done));
        }
    };
    start();
    return test;
}

/** The settings of a service that signs people in with these providers, by their ids. */
export const signInSettings = (providers: Record<string, Pick<SignInProvider, 'issuer'>>, more: Record<string, string> = {}): Config['signIn'] => readConfig({
    // A provider runs in this process, which may be busy with a test.
    AUTH_TIMEOUT: '30000',
    SIGN_IN_WITH: JSON.stringify(Object.entries(providers).map(([id, { issuer }]) => ({ id, name: `The ${id}`, issuer, ...CLIENT }))), ...more
}).signIn;
