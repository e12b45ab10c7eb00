import createApi from 'openapi-fetch';

import { bodyOf } from './api.js';
import type { Api } from './api.js';
import type { Change } from './changes.js';
import { PagewrightError, errorBodyOf, retryAfterOf } from './errors.js';
import { remembering } from './memory.js';
import { projectsOf } from './projects.js';
import { retrying } from './retries.js';
import type { Patience } from './retries.js';
import { saveWith } from './save.js';
import type { Saved } from './save.js';
import type { components, paths } from './schema.js';
import { memoryStore, readSession } from './session.js';
import type { Session, SessionStore } from './session.js';
import type { User } from './things.js';

export interface ClientOptions {
    /** where the session is kept; in memory if left out */
    store?: SessionStore;
    /** told when the service no longer takes the token, which is forgotten by then */
    onSignedOut?: (error: PagewrightError) => void;
    patience?: Patience;
    /** another `fetch` than the global one */
    fetch?: (request: Request) => Promise<Response>;
}

/** What `signUp` and `signIn` take. */
export interface Credentials {
    username: string;
    password: string;
}

/** Reads of these alone need a token; with it, every other read of another origin would need a preflight. */
const guardedReads = new Set(['/users/{user}', '/tokens']);

/** @param url where the service is, as `http://127.0.0.1:3000` */
export function createClient(url: string, { store = memoryStore(), onSignedOut, patience = {}, fetch = (request) => globalThis.fetch(request) }: ClientOptions = {}) {
    const key = `pagewright ${url}`;
    const session = (): Session | null => readSession(store, key);
    const api: Api = createApi<paths>({ baseUrl: url, fetch: retrying(remembering(fetch), patience) });

    api.use({
        onRequest: ({ request, schemaPath }) => {
            const token = session()?.token;
            if (token !== undefined && (request.method !== 'GET' || guardedReads.has(schemaPath))) {
                request.headers.set('Authorization', `token ${token}`);
            }
        },
        onResponse: async ({ request, response }) => {
            if (response.ok || response.status === 304) {
                return;
            }

            const error = new PagewrightError(response.status, await errorBodyOf(response), retryAfterOf(response));
            // A late answer to an old token does not end the session that has begun since.
            if (error.code === 'invalid_token' && request.headers.get('Authorization') === `token ${session()?.token}`) {
                store.removeItem(key);
                onSignedOut?.(error);
            }

            throw error;
        }
    });

    const enter = ({ token, user }: { token: components['schemas']['NewToken']; user: User }): User => {
        const { id, username } = user;
        signInWith({ token: token.access_token, tokenId: token.id, user: { id, username } });
        return user;
    };

    /** Goes on with a token from elsewhere, as from an identity provider or `npm run admin -- token`. */
    const signInWith = (given: Session): void => store.setItem(key, JSON.stringify(given));

    /** The session there is. @throws TypeError where there is none */
    const current = (): Session => {
        const found = session();
        if (found === null) {
            throw new TypeError('Nobody is signed in: call signIn or signUp first');
        }

        return found;
    };

    return {
        api,

        projects: projectsOf(api, current),

        /** Who is signed in; null where nobody is. */
        get session(): Session | null {
            return session();
        },

        /** Opens an account and signs in. @throws PagewrightError 409 `username_taken` */
        signUp: async (account: Credentials & { language?: string }): Promise<User> => enter(await bodyOf(api.POST('/users', { body: account }))),

        /** @throws PagewrightError 401 `wrong_credentials` */
        signIn: async (credentials: Credentials & { label?: string }): Promise<User> => enter(await bodyOf(api.POST('/tokens', { body: credentials }))),

        signInWith,

        /**
         * Revokes the token and forgets it; it is forgotten also where the service cannot be told.
         * @param everywhere whether to revoke all others of the user as well
         */
        signOut: async ({ everywhere = false }: { everywhere?: boolean } = {}): Promise<void> => {
            const ended = session();
            if (ended === null) {
                return;
            }

            try {
                if (everywhere) {
                    await api.DELETE('/tokens');
                }
                else if (ended.tokenId !== null) {
                    await api.DELETE('/tokens/{token}', { params: { path: { token: ended.tokenId } } });
                }
            }
            finally {
                store.removeItem(key);
            }
        },

        /**
         * Sends an editor's changes as one: all of them are done, or none.
         * @throws SaveError where one of them cannot be done; RangeError where they are too many or too large for one bulk
         */
        save: (changes: readonly Change[], { signal }: { signal?: AbortSignal } = {}): Promise<Saved> => {
            const { id } = current().user;
            return saveWith(changes, async (actions) => {
                return (await bodyOf(api.POST('/users/{user}/bulk', { params: { path: { user: id } }, body: { actions }, signal }))).results;
            });
        }
    };
}

export type Client = ReturnType<typeof createClient>;
