import { accountOf } from './account.js';
import type { Account } from './account.js';
import { alongOf } from './along.js';
import type { Along } from './along.js';
import { apiOf, signalOf } from './api.js';
import type { Api, CallOptions, SendCall } from './api.js';
import { appsOf } from './apps.js';
import type { Apps } from './apps.js';
import { assetsOf } from './assets.js';
import type { Assets } from './assets.js';
import type { Action, Change } from './changes.js';
import { classesOf } from './classes.js';
import type { Classes } from './classes.js';
import { collectionsOf } from './collections.js';
import type { Collections } from './collections.js';
import { PagewrightError, errorBodyOf, retryAfterOf } from './errors.js';
import { historyOf } from './history.js';
import type { History } from './history.js';
import { membersOf } from './members.js';
import type { Members } from './members.js';
import { remembering } from './memory.js';
import { adminOf } from './admin.js';
import type { Admin } from './admin.js';
import { moderationOf } from './moderation.js';
import type { Moderation } from './moderation.js';
import { projectsOf } from './projects.js';
import type { Projects } from './projects.js';
import { openQueue } from './queue.js';
import type { Queue, QueueOptions } from './queue.js';
import { renewalOf, renewing, revokeRenewal } from './renewal.js';
import { keeping, retrying } from './retries.js';
import type { Patience, Send } from './retries.js';
import { saveWith } from './save.js';
import type { Saved, SendActions } from './save.js';
import { keepSession, memoryStore } from './session.js';
import type { Renewal, Session, SessionStore } from './session.js';
import type { NewToken, PasskeyAnswer, Project, ProjectPlace, ProviderAnswer, Report, SignedInUser, User } from './things.js';
import { trashOf } from './trash.js';
import type { Trash } from './trash.js';
import { sendingBody } from './uploads.js';
import { remixesOf } from './upstream.js';
import type { Remixes } from './upstream.js';
import { watchClass, watchProject } from './watch.js';
import type { ChangeEvent, WatchOptions, Watching } from './watch.js';
import { webhooksOf } from './webhooks.js';
import type { Webhooks } from './webhooks.js';

export interface ClientOptions {
    /** where the session is kept; in memory if left out */
    store?: SessionStore;
    /** called when the service no longer accepts the token; the session has been removed by then */
    onSignedOut?: (error: PagewrightError) => void;
    patience?: Patience;
    /** another `fetch` than the global one */
    fetch?: (request: Request) => Promise<Response>;
    /** called instead of sending a request that is no upload, with what sends it: to keep copies of responses, for example, and to answer with them without a connection */
    around?: (request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>;
}

export interface SaveOptions extends CallOptions {
    /** whether large data URIs become assets */
    lift?: boolean;
}

/** The options of `signUp` and `signIn`. */
export interface Credentials {
    username: string;
    password: string;
}

export interface Client extends Along {
    /** Every path of the service, typed. */
    readonly api: Api;
    readonly projects: Projects;
    readonly collections: Collections;
    /** Classes, their people, and accounts for pupils. */
    readonly classes: Classes;
    /** The methods for a project's history, and for going back in it. */
    readonly history: History;
    readonly trash: Trash;
    /** The methods for the source of a remix, and for its changes since. */
    readonly remixes: Remixes;
    /** Pictures, drawings, sounds and videos. */
    readonly assets: Assets;
    /** Who else may see a project and write in it, and what others share with you. */
    readonly members: Members;
    /** The methods for moderators. */
    readonly moderation: Moderation;
    /** The methods for the staff of a place, and announcements for everybody. */
    readonly admin: Admin;
    /** Programs that sign people in: those that you registered, and those that you use. */
    readonly apps: Apps;
    /** Addresses to which the service tells what happens to your projects. */
    readonly webhooks: Webhooks;
    /** Your own account and its tokens. */
    readonly account: Account;

    /** Reports somebody else's project to the moderators. Again replaces the reason. @throws PagewrightError 429 after 50 reports in a day */
    report(project: Pick<Project, 'id'>, reason: Report['reason'], text?: string, options?: CallOptions): Promise<Report>;

    /**
     * Each change of a project after `since`, once, as it happens. A lost connection is made again from the last change, so nothing is missed.
     * Ends when the project is deleted or can no longer be read, or the signal is aborted.
     */
    watch(project: ProjectPlace, options?: WatchOptions): AsyncGenerator<ChangeEvent, void, undefined>;

    /** Who is signed in, null if nobody is: the same object until that changes. */
    readonly session: Session | null;

    /** Calls the listener whenever `session` changes, also in another tab that shares its `localStorage`. @returns a function that unsubscribes */
    subscribe(this: void, listener: () => void): () => void;

    /**
     * Opens an account and signs in.
     * @param account.code of an invitation: 403 `invitation_needed` says that the service asks for one
     * @throws PagewrightError 409 `username_taken`, 403 `sign_up_closed`, 403 `invitation_invalid`
     */
    signUp(account: Credentials & { language?: string; code?: string }, options?: CallOptions): Promise<User>;

    /** @throws PagewrightError 401 `wrong_credentials` */
    signIn(credentials: Credentials & { label?: string }, options?: CallOptions): Promise<User>;

    /** The `publicKey` of `navigator.credentials.get`, as JSON, to sign in with a passkey. */
    passkeyOptions(options?: CallOptions): Promise<object>;

    /** Signs in with what `navigator.credentials.get` returned, as its `toJSON()` gives it. @throws PagewrightError 401 `wrong_credentials` */
    signInWithPasskey(answer: { passkey: PasskeyAnswer; label?: string }, options?: CallOptions): Promise<User>;

    /** Signs in with a recovery code, which can be used once. @throws PagewrightError 401 `wrong_credentials` */
    signInWithRecoveryCode(credentials: { username: string; recovery_code: string; label?: string }, options?: CallOptions): Promise<User>;

    /** Begins to sign in at another provider, or to add an identity there. Send people to `url`, and keep `key` in the tab. @throws PagewrightError 404 `not_found` if there is no such provider, 503 `provider_unavailable` */
    beginSignIn(what: { provider: string; to?: 'sign_in' | 'add' }, options?: CallOptions): Promise<{ url: string; key: string; expires_at: string }>;

    /** Signs in with the answer of the provider. `code` is of an invitation. @throws PagewrightError 400 `identity_invalid`, 403 `sign_up_closed`, `invitation_needed`, 503 `provider_unavailable` */
    signInWithProvider(answer: ProviderAnswer & { code?: string; label?: string }, options?: CallOptions): Promise<SignedInUser>;

    /**
     * Has a mail with a link to a new password sent, if there is such an account with a confirmed address. Nobody can tell whether there is.
     * @param account a username, or an address
     * @throws PagewrightError 404 `mail_off` if the service sends no mail
     */
    askForPassword(account: string, options?: CallOptions): Promise<void>;

    /** Sets a new password, which ends all sign-ins of the account. @param key what is behind the `#` in the link @returns whose it is @throws PagewrightError 400 `link_invalid` */
    choosePassword(key: string, password: string, options?: CallOptions): Promise<{ id: string; username: string }>;

    /** Uses an existing session, for example with a token from `npm run admin -- token`. */
    signInWith(session: Session): void;

    /** Uses a token of an identity provider or for a script. Opens an account if the user has none yet, for which the token needs the scope `user`. @returns the account, or with a token of `projects` alone its id and name */
    signInWithToken(token: string, options?: CallOptions): Promise<SignedInUser>;

    /**
     * Revokes the token and removes the session, even if the service cannot be reached. With a token of an identity provider, that revokes its refresh token.
     * @param options.everywhere whether to revoke all other tokens of the user too
     */
    signOut(options?: CallOptions & { everywhere?: boolean }): Promise<void>;

    /**
     * Sends an editor's changes as one bulk: all of them are done, or none. With `lift`, large data URIs in them are sent as assets before, and references saved instead.
     * @throws SaveError if one of them fails; RangeError if they are too many or too large for one bulk
     */
    save(changes: readonly Change[], options?: SaveOptions): Promise<Saved>;

    /** A queue of saves, which are kept while there is no connection, and sent in order, each once. Use one for a storage. */
    queue(options?: QueueOptions): Queue;
}

/** Reads that need a token, or show more with one. To other origins, other reads are sent without it, because it would cause a preflight; and then with it, if they find nothing. */
const guardedReads = new Set([
    '/collections/{collection}', '/classes/{class_id}', '/classes/{class_id}/assignments', '/classes/{class_id}/assignments/{assignment}', '/classes/{class_id}/assignments/{assignment}/work', '/classes/{class_id}/takeout', '/classes/{class_id}/projects', '/classes/{class_id}/events', '/users/{user}/classes', '/users/{user}/projects/{project}/classes', '/users/{user}', '/users/{user}/address', '/tokens', '/moderation/reports', '/moderation/log', '/admin/users', '/admin/users/{user}', '/admin/log', '/admin/moderation-log', '/admin/statistics', '/admin/maintenance', '/admin/announcements', '/admin/apps', '/admin/webhooks', '/admin/sign-up-codes', '/users/{user}/assets', '/users/{user}/takeout', '/users/{user}/passkeys', '/users/{user}/identities', '/users/{user}/trash', '/users/{user}/apps', '/users/{user}/webhooks', '/users/{user}/webhooks/{webhook}/deliveries', '/users/{user}/authorizations', '/users/{user}/shared', '/users/{user}/projects/{project}/members', '/users/{user}/projects/{project}/invitations', '/users/{user}/projects/{project}/history', '/users/{user}/projects/{project}/history/{revision}'
]);

/** Projects that the client remembers to send the token for at once. */
const MAX_NOT_PUBLIC = 1000;

/** @param url of the service, such as `http://127.0.0.1:3000` */
export function createClient(url: string, { store = memoryStore(), onSignedOut, patience = {}, fetch: ownFetch, around }: ClientOptions = {}): Client {
    const plain = ownFetch ?? ((request) => globalThis.fetch(request));
    const fetch = keeping(around === undefined ? plain : (request) => around(request, plain));
    const session = keepSession(store, `pagewright ${url}`);
    const send = retrying(remembering(fetch), patience);
    const base = url.replace(/\/$/, '');

    const renewed = renewing(session, base, send, (error) => onSignedOut?.(error));

    /** projects that were found with a token only */
    const notPublic = new Set<unknown>();
    const isSameOrigin = URL.canParse(url) && new URL(url).origin === globalThis.location?.origin;

    const sendAs = async (transport: Send, request: Request, path: string, { user, project }: Readonly<Record<string, unknown>>): Promise<Response> => {
        if (session.read() === null || request.headers.has('Authorization')) {
            return await transport(request);
        }

        const signed = async (): Promise<Response> => {
            const current = await renewed.current();
            if (current === null) {
                return transport(request);
            }

            request.headers.set('Authorization', `token ${current.token}`);
            const response = await transport(request);
            const next = response.status === 401 && current.renewal !== undefined && !request.bodyUsed ? await renewed.after(current.token) : null;
            if (next === null || next.token === current.token) {
                return response;
            }

            request.headers.set('Authorization', `token ${next.token}`);
            return transport(request);
        };

        if (request.method !== 'GET' || guardedReads.has(path) || user === 'me' || notPublic.has(project) || (isSameOrigin && project !== undefined)) {
            return await signed();
        }

        const response = await transport(request);
        if (response.status !== 404 || project === undefined) {
            return response;
        }

        const own = await signed();
        if (own.ok && notPublic.size < MAX_NOT_PUBLIC) {
            notPublic.add(project);
        }

        return own;
    };

    const askThrough = async (transport: Send, ...[request, path, inPath]: Parameters<SendCall>): Promise<Response> => {
        const response = await sendAs(transport, request, path, inPath);
        if (response.ok) {
            return response;
        }

        const error = new PagewrightError(response.status, await errorBodyOf(response), retryAfterOf(response));
        // A late response to an old token must not end a newer session.
        if (error.code === 'invalid_token' && request.headers.get('Authorization') === `token ${session.read()?.token}`) {
            session.write(null);
            onSignedOut?.(error);
        }

        throw error;
    };

    const ask: SendCall = (...call) => askThrough(send, ...call);
    const api = apiOf(base, ask);
    const assets = assetsOf(api, base, (body, onProgress, ...call) => askThrough(retrying(sendingBody(ownFetch, body, onProgress), patience), ...call));

    const enter = ({ token: { access_token: token, id: tokenId }, user }: { token: NewToken; user: User }): User => {
        session.write({ token, tokenId, user: { id: user.id, username: user.username } });
        return user;
    };

    /** @throws TypeError if nobody is signed in */
    const checkSignedIn = (): void => {
        if (session.read() === null) {
            throw new TypeError('Nobody is signed in: call signIn or signUp first');
        }
    };

    const watching: Watching = { api, open: (...call) => askThrough(fetch, ...call), isSignedIn: () => session.read() !== null, url: base };

    const bulk = async (body: { actions: Action[]; idempotency_key?: string }, signal: AbortSignal | undefined): ReturnType<SendActions> => {
        return (await api.POST('/users/{user}/bulk', { params: { path: { user: 'me' } }, body, signal })).data.results;
    };

    const enterWithToken = async (token: string, options: CallOptions = {}, renewal?: Renewal): Promise<SignedInUser> => {
        const given = { headers: { Authorization: `token ${token}` }, signal: signalOf(options) };
        const found = await api.GET('/users/{user}', { params: { path: { user: 'me' } }, ...given }).catch(async (error: unknown) => {
            if (!(error instanceof PagewrightError) || error.code !== 'no_account') {
                throw error;
            }

            // With an identity provider there is no body here: the token identifies the account.
            await ask(new Request(`${base}/users`, { method: 'POST', headers: given.headers, signal: given.signal ?? null }), '/users', {});
            return api.GET('/users/{user}', { params: { path: { user: 'me' } }, ...given });
        });
        const { user } = found.data;
        session.write({ token, tokenId: null, user: { id: user.id, username: user.username }, ...renewal && { renewal } });
        return user;
    };

    return {
        api,
        ...alongOf(base, async () => (await renewed.current())?.token, (...call) => askThrough(fetch, ...call), (body, onProgress, ...call) => askThrough(sendingBody(ownFetch, body, onProgress), ...call)),
        projects: projectsOf(api, checkSignedIn),
        collections: collectionsOf(api),
        classes: classesOf(api, (id, options) => watchClass(watching, id, options)),
        history: historyOf(api),
        trash: trashOf(api),
        remixes: remixesOf(api),
        members: membersOf(api),
        moderation: moderationOf(api),
        admin: adminOf(api),
        apps: appsOf(api),
        webhooks: webhooksOf(api),
        account: accountOf(api, session),
        report: async ({ id: project }, reason, text = '', options = {}) => (await api.POST('/projects/{project}/reports', { params: { path: { project } }, body: { reason, text }, ...options })).data.report,
        watch: (project, options = {}) => watchProject(watching, project, options),
        assets,

        get session() {
            return session.read();
        },

        subscribe: session.subscribe,

        signUp: async (body, options) => enter((await api.POST('/users', { body, ...options })).data),

        signIn: async (body, options) => enter((await api.POST('/tokens', { body, ...options })).data),

        passkeyOptions: async (options) => (await api.POST('/passkeys/options', { body: { to: 'sign_in' }, ...options })).data.options,

        signInWithPasskey: async (body, options) => enter((await api.POST('/tokens', { body, ...options })).data),

        signInWithRecoveryCode: async (body, options) => enter((await api.POST('/tokens', { body, ...options })).data),

        beginSignIn: async ({ provider, to = 'sign_in' }, options) => (await api.POST('/sign-ins', { body: { provider, to }, ...options })).data.sign_in,

        signInWithProvider: async (body, options) => {
            const { data } = await api.POST('/sign-ins/answers', { body, ...options });
            // Where tokens come from the provider, its own is used.
            return 'access_token' in data ? enterWithToken(String(data.access_token), options, renewalOf(body.provider, data)) : enter(data);
        },

        askForPassword: async (account, options) => {
            await api.POST('/new-passwords/mails', { body: { account }, ...options });
        },

        choosePassword: async (key, password, options) => (await api.POST('/new-passwords', { body: { key, password }, ...options })).data.user,

        signInWith: (given) => session.write(given),

        signInWithToken: (token, options) => enterWithToken(token, options),

        signOut: async ({ everywhere = false, ...options } = {}) => {
            const ended = session.read();
            if (ended === null) {
                return;
            }

            try {
                if (everywhere) {
                    await api.DELETE('/tokens', options);
                }
                else if (ended.tokenId !== null) {
                    await api.DELETE('/tokens/{token}', { params: { path: { token: ended.tokenId } }, ...options });
                }
            }
            finally {
                session.write(null);
                if (ended.renewal !== undefined) {
                    await revokeRenewal(base, fetch, ended.renewal, options);
                }
            }
        },

        save: async (changes, { lift = false, ...options } = {}) => {
            checkSignedIn();
            const signal = signalOf(options);
            return await saveWith(lift ? await assets.lift(changes, { signal }) : changes, (actions) => bulk({ actions }, signal));
        },

        // The key is in the body, because pages of other origins cannot send the header.
        queue: (options) => openQueue({ session, send: (actions, key, signal) => bulk({ actions, idempotency_key: key }, signal) }, options)
    };
}
