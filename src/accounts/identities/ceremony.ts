import assert from 'node:assert';
import { createHmac } from 'node:crypto';

import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client' with { 'resolution-mode': 'import' };

import { ask, mayAsk, ProviderFailure } from '../../api/auth/providers/ask';
import { circuit } from '../../api/auth/providers/circuit-breaker';
import { personOf } from '../../api/auth/providers/claims';
import type { Identity } from '../../api/request/caller';
import type { Config } from '../../config';
import type { SignInProvider } from '../../config/sign-in';

/** Milliseconds after which a provider's metadata is read again. */
const METADATA_LIFE = 10 * 60_000;

/** Tokens of the provider. */
export interface Given {
    access_token: string;
    /** which renews it; null if the provider gave none */
    refresh_token: string | null;
    /** seconds; null if the provider does not say */
    expires_in: number | null;
}

/** A provider's answer about somebody. */
export interface Answered {
    identity: Identity;
    given: Given;
}

/** A provider, as a client of it sees it. */
export interface Client {
    provider: SignInProvider;
    /** The address at the provider to which people go. @throws ProviderFailure */
    address(key: string, redirectUri: string): Promise<string>;
    /**
     * Exchanges the code in the query with which people come back.
     * @returns why the answer is not valid, in words for the log, if it is not
     * @throws ProviderFailure
     */
    answered(key: string, redirectUri: string, query: string): Promise<Answered | string>;
    /**
     * Renews a token.
     * @returns why the refresh token is not valid, if it is not
     * @throws ProviderFailure
     */
    renewed(refreshToken: string): Promise<Given | string>;
    /**
     * Revokes a refresh token (RFC 7009).
     * @returns false if the provider has no endpoint for that
     * @throws ProviderFailure
     */
    revoked(refreshToken: string): Promise<boolean>;
}

/** A secret of a sign-in, which follows from its key: so nothing but the key's hash needs to be kept here. */
const secretOf = (key: string, what: 'state' | 'nonce' | 'verifier'): string => createHmac('sha256', key).update(what).digest('base64url');

/** The error of the token endpoint that says that a code or a refresh token is not valid (RFC 6749 section 5.2). All others are of the settings. */
const INVALID_GRANT = 'invalid_grant';

const failureIn = (error: unknown): ProviderFailure | undefined => (error instanceof ProviderFailure ? error : error instanceof Error ? failureIn(error.cause) : undefined);

const givenIn = ({ access_token, refresh_token, expires_in }: { access_token: string; refresh_token?: string; expires_in?: number }): Given => ({ access_token, refresh_token: refresh_token ?? null, expires_in: expires_in ?? null });

/** Signs people in at a provider, by authorization code with PKCE, state and nonce (OpenID Connect Core section 3.1, RFC 9700). */
export function clientOf(provider: SignInProvider, { leeway, timeout }: Pick<Config['signIn'], 'leeway' | 'timeout'>, now: () => number): Client {
    const { issuer, clientId, clientSecret, parameters, renews } = provider;
    const guarded = circuit(now);
    let read: { at: number; metadata: Promise<ServerMetadata> } | undefined;

    /** Sends requests within one time limit. */
    const asking = (): CustomFetch => {
        const signal = AbortSignal.timeout(timeout);
        return (url, { method, headers, body }) => guarded(async () => {
            const answer = await ask(mayAsk(url, issuer), signal, { method, headers, ...body instanceof URLSearchParams && { body } });
            if (answer.status >= 500) {
                throw new Error(`${url} answered with the status ${answer.status}`);
            }

            return new Response(answer.text, { status: answer.status, headers: { 'content-type': String(answer.headers.get('content-type')) } });
        });
    };

    // The package has only ECMAScript modules, which CommonJS cannot `require` in every Node 20.
    const library = (): Promise<typeof import('openid-client', { with: { 'resolution-mode': 'import' } })> => import('openid-client');

    const discover = async (): Promise<ServerMetadata> => {
        const { allowInsecureRequests, customFetch, discovery } = await library();
        try {
            const found = await discovery(new URL(issuer), clientId, undefined, undefined, { [customFetch]: asking(), execute: [allowInsecureRequests] });
            const metadata = found.serverMetadata();
            mayAsk(String(metadata.authorization_endpoint), issuer);
            return metadata;
        }
        catch (error) {
            throw failureIn(error) ?? new ProviderFailure(1, error);
        }
    };

    const metadata = (): Promise<ServerMetadata> => {
        if (read === undefined || now() - read.at > METADATA_LIFE) {
            read = { at: now(), metadata: discover() };
            read.metadata.catch(() => {
                read = undefined;
            });
        }

        return read.metadata;
    };

    // One for each sign-in, so that keys are read anew: a provider may have changed them.
    const configured = async (): Promise<Configuration> => {
        const client = await library();
        const { ClientSecretBasic, ClientSecretPost, None } = client;
        const found = await metadata();
        // The way of a provider that does not say which it supports (OpenID Connect Discovery 1.0 section 3).
        const isBasic = ['client_secret_basic', undefined].some((method) => [found.token_endpoint_auth_methods_supported].flat().includes(method));
        const authentication = clientSecret === null ? None() : isBasic ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret);
        const configuration = new client.Configuration(found, clientId, { [client.clockTolerance]: leeway }, authentication);
        configuration[client.customFetch] = asking();
        // `mayAsk` allows plain http only on this machine.
        client.allowInsecureRequests(configuration);
        client.enableNonRepudiationChecks(configuration);
        return configuration;
    };

    /** Does it, or says why the provider's answer is not valid. @throws ProviderFailure */
    const orReason = async <Result>(work: () => Promise<Result | string>): Promise<Result | string> => {
        const { ResponseBodyError } = await library();
        try {
            return await work();
        }
        catch (error) {
            const failure = failureIn(error) ?? (error instanceof ResponseBodyError && error.error !== INVALID_GRANT ? new ProviderFailure(1, new Error(`${issuer} answered with the error ${error.error}`, { cause: error })) : undefined);
            if (failure !== undefined) {
                throw failure;
            }

            assert(error instanceof Error);
            return [error.message, error.cause instanceof Error ? error.cause.message : ''].join(': ').slice(0, 200);
        }
    };

    return {
        provider,

        address: async (key, redirectUri) => {
            const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
            // What a provider wants for a refresh token (OpenID Connect Core section 11); others give one without being asked.
            const isOffline = renews && (await metadata()).scopes_supported?.includes('offline_access') === true;
            const scope = isOffline ? `${provider.scope} offline_access` : provider.scope;
            return buildAuthorizationUrl(await configured(), {
                scope, ...parameters, redirect_uri: redirectUri, state: secretOf(key, 'state'), nonce: secretOf(key, 'nonce'),
                code_challenge: await calculatePKCECodeChallenge(secretOf(key, 'verifier')), code_challenge_method: 'S256'
            }).href;
        },

        answered: async (key, redirectUri, query) => {
            const { authorizationCodeGrant } = await library();
            const configuration = await configured();
            return orReason(async () => {
                const tokens = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
                    pkceCodeVerifier: secretOf(key, 'verifier'), expectedState: secretOf(key, 'state'), expectedNonce: secretOf(key, 'nonce'), idTokenExpected: true
                }, { ...parameters });
                const claims = tokens.claims();
                assert(claims, 'an ID token is expected');
                const identity = personOf(claims, issuer, []);
                return identity === undefined ? 'its "sub" is invalid' : { identity, given: givenIn(tokens) };
            });
        },

        renewed: async (refreshToken) => {
            const { refreshTokenGrant } = await library();
            const configuration = await configured();
            return orReason(async () => givenIn(await refreshTokenGrant(configuration, refreshToken, { ...parameters })));
        },

        revoked: async (refreshToken) => {
            const { tokenRevocation } = await library();
            if ((await metadata()).revocation_endpoint === undefined) {
                return false;
            }

            const configuration = await configured();
            const reason = await orReason(() => tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' }));
            if (typeof reason === 'string') {
                throw new ProviderFailure(1, new Error(`${issuer} has not revoked a token: ${reason}`));
            }

            return true;
        }
    };
}
