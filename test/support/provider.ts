import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';

import type { Adapter, AdapterPayload, Configuration, default as OidcProvider, JWK, ResourceServer } from 'oidc-provider' with { 'resolution-mode': 'import' };

import type { AuthConfig } from '../../src/config/auth';
import { readConfig } from '../../src/config/index';
import { listen } from './host';
import { prepareRsaKeys, rsaKey } from './rsa-keys';

/** The user of a token, and its special properties. */
export interface Wanted {
    subject: string;
    /** separated by spaces */
    scope?: string;
    audience?: string;
    /** other claims about the user */
    extra?: Record<string, unknown>;
    /** seconds from now */
    expiresIn?: number;
    /** binds the token to a key (RFC 9449) */
    jkt?: string;
}

/** How a service checks tokens: by signature, or by introspection. */
export type Kind = 'jwt' | 'introspection';

/** A real OpenID provider on a port of its own, in this process. */
export interface TestProvider {
    issuer: string;
    /** the requested paths */
    asked: string[];
    /** responds instead of the provider while it is set */
    instead: RequestListener | undefined;
    /** lets the provider itself respond */
    pass: RequestListener;
    /** settings of a service that accepts its tokens */
    settings(more?: Record<string, string>): AuthConfig;
    token(wanted: Wanted): Promise<string>;
    /** a revoked token; a signed one is revoked by withdrawing its key */
    withdrawn(wanted: Wanted): Promise<string>;
    /** RFC 7009 */
    revoke(token: string): Promise<void>;
    /** Signs with a new key from now on; without the old key, tokens that it signed are invalid. */
    rotate(options?: { keepOld?: boolean; alg?: SigningAlgorithm }): void;
    /** the current signing key */
    key(): SigningKey;
    stop(): Promise<void>;
}

export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface SigningKey {
    alg: SigningAlgorithm;
    kid: string;
    key: KeyObject;
    jwk: JWK;
}

export const AUDIENCE = 'https://pages.example/api';

/** Encodes credentials for client authentication (RFC 6749 section 2.3.1). */
const service = { client_id: 'pagewright: +%', client_secret: 's%cret/+ &=:' };

/** The redirect URI of an editor. */
export const EDITOR = 'http://127.0.0.1/editor';

/** A key under a new id. RSA keys come again. */
export function newKey(alg: SigningAlgorithm): SigningKey {
    const key = {
        RS256: rsaKey,
        ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
        EdDSA: () => generateKeyPairSync('ed25519').privateKey
    }[alg]();
    const kid = randomUUID();
    return { alg, kid, key, jwk: { ...key.export({ format: 'jwk' }), alg, kid, use: 'sig' } };
}

/** Starts a provider with this kind of tokens. @param life seconds that its access tokens work. Whoever asks for `offline_access` gets a refresh token, which works once */
export async function startProvider(kind: Kind, life = 3600): Promise<TestProvider> {
    await prepareRsaKeys();
    const { default: Provider } = await import('oidc-provider');
    const adapter = memory();
    const extras = new Map<string, Record<string, unknown>>();
    let provider: OidcProvider;
    let former: OidcProvider;
    let answer: RequestListener;
    let key: SigningKey;
    let keys: JWK[] = [];

    const http = createServer((request, response) => {
        test.asked.push(String(request.url));
        (test.instead ?? test.pass)(request, response);
    });
    // The service must not find a connection closed that it is about to use, though this process may be busy.
    http.keepAliveTimeout = 600_000;
    const issuer = `http://127.0.0.1:${await listen(http)}`;

    const configuration = (): Configuration => ({
        adapter,
        clients: [
            { ...service, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
            { client_id: 'editor', token_endpoint_auth_method: 'none', application_type: 'native', grant_types: ['authorization_code', 'refresh_token'], redirect_uris: [EDITOR, 'http://127.0.0.1/sign-in/provider'] }
        ],
        jwks: { keys },
        cookies: { keys: ['of the tests'] },
        scopes: ['openid', 'offline_access'],
        rotateRefreshToken: true,
        features: {
            clientCredentials: { enabled: true },
            devInteractions: { enabled: false },
            introspection: { enabled: true },
            revocation: { enabled: true },
            resourceIndicators: { enabled: true, getResourceServerInfo: (_ctx, resource) => resourceServer(resource, 'user projects') }
        },
        // Every user is ada, and agrees.
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        loadExistingGrant: async ({ oidc: { client, session } }) => {
            const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
            grant.addOIDCScope('openid offline_access');
            grant.addResourceScope(AUDIENCE, 'user projects');
            await grant.save();
            return grant;
        },
        findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
        extraTokenClaims: (_ctx, token) => ('accountId' in token ? extras.get(token.accountId) : undefined),
        ttl: { AccessToken: life, AuthorizationCode: 60, ClientCredentials: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 }
    });

    const resourceServer = (audience: string, scope: string): ResourceServer => {
        return { audience, scope, accessTokenFormat: kind === 'jwt' ? 'jwt' : 'opaque', jwt: { sign: { alg: key.alg } } };
    };

    async function mint(by: OidcProvider, { subject, scope = 'user projects', audience = AUDIENCE, extra = {}, ...more }: Wanted): Promise<string> {
        const client = await by.Client.find('editor');
        if (client === undefined) {
            throw new Error('The provider has lost its client');
        }

        extras.set(subject, extra);
        const server = new by.ResourceServer(audience, resourceServer(audience, scope));
        return new by.AccessToken({ client, accountId: subject, grantId: '', gty: 'test', scope, resourceServer: server, ...more }).save();
    }

    const test: TestProvider = {
        issuer,
        asked: [],
        instead: undefined,
        pass: (request, response) => answer(request, response),
        settings: (more = {}) => readConfig({
            AUTH_PROVIDER: kind, AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_INTROSPECTION_URL: `${issuer}/token/introspection`,
            AUTH_CLIENT_ID: service.client_id, AUTH_CLIENT_SECRET: service.client_secret,
            // The provider runs in this process, which may be busy with a test.
            AUTH_TIMEOUT: '30000', ...more
        }).auth,
        token: (wanted) => mint(provider, wanted),
        withdrawn: async (wanted) => {
            if (kind === 'jwt') {
                return mint(former, wanted);
            }

            const token = await mint(provider, wanted);
            await test.revoke(token);
            return token;
        },
        revoke: async (token) => {
            const { status } = await fetch(`${issuer}/token/revocation`, { method: 'POST', body: new URLSearchParams({ token, client_id: 'editor' }) });
            if (status !== 200) {
                throw new Error(`It was not revoked: ${status}`);
            }
        },
        rotate: ({ keepOld = false, alg = 'RS256' } = {}) => {
            key = newKey(alg);
            keys = [key.jwk, ...keepOld ? keys : []];
            former = provider;
            provider = new Provider(issuer, configuration());
            const answerOthers = provider.callback();
            answer = (request, response) => {
                if (request.url?.startsWith('/interaction/')) {
                    void provider.interactionFinished(request, response, { login: { accountId: 'ada' }, consent: {} });
                }
                else {
                    void answerOthers(request, response);
                }
            };
        },
        key: () => key,
        stop: async () => {
            http.closeAllConnections();
            await new Promise((done) => void http.close(done));
        }
    };
    // The first key was withdrawn before anybody used it.
    test.rotate();
    test.rotate();
    return test;
}

/** The provider's storage, in memory. */
export function memory(): (name: string) => Adapter {
    const kept = new Map<string, AdapterPayload>();
    return (name) => ({
        find: (id) => Promise.resolve(kept.get(`${name} ${id}`)),
        findByUid: (uid) => Promise.resolve([...kept.values()].find((payload) => payload.uid === uid)),
        findByUserCode: () => Promise.resolve(undefined),
        upsert: (id, payload) => Promise.resolve(void kept.set(`${name} ${id}`, payload)),
        destroy: (id) => Promise.resolve(void kept.delete(`${name} ${id}`)),
        consume: (id) => Promise.resolve(void Object.assign(kept.get(`${name} ${id}`) ?? {}, { consumed: Math.floor(Date.now() / 1000) })),
        revokeByGrantId: () => Promise.resolve()
    });
}
