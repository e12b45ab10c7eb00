import { keeping } from '../retries.js';
import { isRecord, keepTokens, memory, tokensOf } from './kept.js';
import type { AuthStore, Kept } from './kept.js';

export type { AuthStore } from './kept.js';

export interface AuthOptions {
    /** address of the service, such as `https://pages.example` */
    service: string;
    /** id of the app, as it was registered */
    clientId: string;
    /** where people come back to, as it was registered; not needed on a device */
    redirectUri?: string;
    /** what the app asks for; `projects`, `user` and `offline_access` if left out */
    scope?: readonly string[];
    /** where tokens are kept; in memory if left out, so that closing the page signs out. A sign-in that has begun is then kept in `sessionStorage`, because the page is left */
    store?: AuthStore;
    /** another `fetch` than the global one */
    fetch?: (request: Request) => Promise<Response>;
}

/** A code that a waiting device shows. */
export interface DeviceCode {
    /** the code that people type */
    userCode: string;
    /** where they type it, and the same with the code in it */
    address: string;
    addressWithCode: string;
}

/** OAuth's own error, such as `access_denied` or `invalid_grant`. */
export class AuthError extends Error {
    override readonly name: string = 'AuthError';
    readonly code: string;

    constructor(code: string, message = code) {
        super(message);
        this.code = code;
    }
}

export interface Auth {
    /** Sends the page to the service, to sign in. Elsewhere than in a page, `go` gets the address. */
    signIn(go?: (address: string) => void): Promise<void>;
    /** Finishes a sign-in at the address that people come back to. @returns whether it was one @throws AuthError if they did not let the app in, or if the answer is not to this page's question */
    complete(address?: string): Promise<boolean>;
    /** Signs a program without a browser in: shows a code, and waits until somebody has typed it. @throws AuthError `access_denied`, `expired_token` */
    signInOnDevice(show: (code: DeviceCode) => void, options?: { signal?: AbortSignal }): Promise<void>;
    /** The token to send, renewed if it is about to expire; null if nobody is signed in. Rejects if the store cannot be read. A token that it cannot keep is used all the same, and given to it again with the next request. */
    token(): Promise<string | null>;
    /** Scopes that the app had when `token()` was last called; empty if nobody is signed in. */
    readonly scope: readonly string[];
    /** Sends a request with the token, for `createClient(url, { fetch: auth.fetch })`. */
    fetch(this: void, request: Request): Promise<Response>;
    /** Ends all tokens of this sign-in, and forgets them. */
    signOut(): Promise<void>;
}

/** Milliseconds before its end from which on a token is renewed. */
const EARLY = 60_000;
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

const base64url = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
    }, { once: true });
});

/** Signs people in to a program with their account at a Pagewright service, without their password: code with PKCE, renewal, and the way for devices. */
export function signInWithPagewright({ service, clientId, redirectUri, scope = ['projects', 'user', 'offline_access'], store: ownStore, fetch = (request) => globalThis.fetch(request) }: AuthOptions): Auth {
    const store = ownStore ?? memory();
    // The page is left meanwhile.
    const begun = ownStore ?? globalThis.sessionStorage ?? store;
    const send = keeping(fetch);
    const base = service.replace(/\/$/, '');
    const key = `pagewright-auth ${base} ${clientId}`;
    const kept = keepTokens(store, key);
    const pendingKey = `${key} pending`;
    let renewing: Promise<Kept | null> | undefined;

    const post = async (path: string, fields: Record<string, string>, signal?: AbortSignal): Promise<Record<string, unknown>> => {
        const response = await send(new Request(`${base}/oauth/${path}`, { method: 'POST', body: new URLSearchParams({ client_id: clientId, ...fields }), ...signal && { signal } }));
        const text = await response.text();
        const body: unknown = text === '' ? {} : JSON.parse(text);
        if (!isRecord(body)) {
            throw new AuthError('invalid_response');
        }

        if (!response.ok) {
            throw new AuthError(String(body.code ?? body.error), String(body.error_description ?? body.message ?? body.error));
        }

        return body;
    };

    const revoke = ({ refresh, token: own }: Kept): Promise<unknown> => post('revoke', { token: refresh ?? own });

    const renew = async (): Promise<Kept | null> => {
        // Another tab may have renewed it: a used one would end the sign-in.
        const old = await kept.read();
        if (old === null || old.until - EARLY > Date.now()) {
            return old;
        }

        if (old.refresh === null) {
            return old.until > Date.now() ? old : null;
        }

        try {
            const renewed = tokensOf(await post('token', { grant_type: 'refresh_token', refresh_token: old.refresh }));
            if (await kept.wasCleared()) {
                // Nobody is signed in any more.
                await revoke(renewed);
                return null;
            }

            return await kept.save(renewed);
        }
        catch (error) {
            if (error instanceof AuthError && error.code === 'invalid_grant') {
                await kept.forget();
                return null;
            }

            throw error;
        }
    };

    const current = async (): Promise<Kept | null> => {
        const own = await kept.read();
        if (own === null || own.until - EARLY > Date.now()) {
            return own;
        }

        const locks = globalThis.navigator?.locks;
        renewing ??= (locks === undefined ? renew() : Promise.resolve(locks.request(key, renew))).finally(() => {
            renewing = undefined;
        });
        return renewing;
    };

    const token = async (): Promise<string | null> => (await current())?.token ?? null;

    const redirect = (): string => {
        if (redirectUri === undefined) {
            throw new TypeError('redirectUri is needed to sign in by a page');
        }

        return redirectUri;
    };

    return {
        signIn: async (go = (address) => location.assign(address)) => {
            const [state, verifier] = [random(), random()];
            const challenge = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
            await begun.setItem(pendingKey, JSON.stringify({ state, verifier }));
            go(`${base}/oauth/auth?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: redirect(), scope: scope.join(' '), state, code_challenge: challenge, code_challenge_method: 'S256' })}`);
        },

        complete: async (address = location.href) => {
            const { searchParams } = new URL(address);
            const code = searchParams.get('code');
            const error = searchParams.get('error');
            if (!searchParams.has('state') || (code === null && error === null)) {
                return false;
            }

            const pending: unknown = JSON.parse(await begun.getItem(pendingKey) ?? 'null');
            await begun.removeItem(pendingKey);
            if (!isRecord(pending) || pending.state !== searchParams.get('state') || searchParams.get('iss') !== base) {
                throw new AuthError('invalid_state', 'This is no answer to a sign-in that was begun here.');
            }

            if (globalThis.location?.href === address) {
                // The code is not to stay in the address.
                const rest = new URL(address);
                ['code', 'state', 'iss', 'error', 'error_description'].forEach((name) => rest.searchParams.delete(name));
                history.replaceState(history.state, '', rest);
            }

            if (code === null) {
                throw new AuthError(String(error), searchParams.get('error_description') ?? String(error));
            }

            await kept.save(tokensOf(await post('token', { grant_type: 'authorization_code', code, redirect_uri: redirect(), code_verifier: String(pending.verifier) })));
            return true;
        },

        signInOnDevice: async (show, { signal } = {}) => {
            const started = await post('device', { scope: scope.join(' ') }, signal);
            show({ userCode: String(started.user_code), address: String(started.verification_uri), addressWithCode: String(started.verification_uri_complete) });
            let seconds = Number(started.interval ?? 5);
            for (;;) {
                await pause(seconds * 1000, signal);
                try {
                    await kept.save(tokensOf(await post('token', { grant_type: DEVICE, device_code: String(started.device_code) }, signal)));
                    return;
                }
                catch (error) {
                    const reason = error instanceof AuthError ? error.code : '';
                    if (reason !== 'authorization_pending' && reason !== 'slow_down') {
                        throw error;
                    }

                    seconds += reason === 'slow_down' ? 5 : 0;
                }
            }
        },

        token,

        get scope() {
            return kept.known?.scope ?? [];
        },

        fetch: async (request) => {
            const own = await token();
            if (own === null || new URL(request.url).origin !== new URL(base).origin) {
                return send(request);
            }

            const signed = new Request(request);
            signed.headers.set('Authorization', `Bearer ${own}`);
            return send(signed);
        },

        signOut: async () => {
            // A token that arrives after this would sign in again.
            await renewing?.catch(() => undefined);
            const own = await kept.read();
            try {
                await kept.forget();
            }
            finally {
                if (own !== null) {
                    await revoke(own);
                }
            }
        }
    };
}
