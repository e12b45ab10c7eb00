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
import { authorizing } from './authorization.js';
import type { Action, Change } from './changes.js';
import { classesOf } from './classes.js';
import type { Classes } from './classes.js';
import { collectionsOf } from './collections.js';
import type { Collections } from './collections.js';
import { commentsOf } from './comments.js';
import type { Comments } from './comments.js';
import { PagewrightError, errorBodyOf, retryAfterOf } from './errors.js';
import { historyOf } from './history.js';
import type { History } from './history.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import { membersOf } from './members.js';
import type { Members } from './members.js';
import { remembering } from './memory.js';
import { adminOf } from './admin.js';
import type { Admin } from './admin.js';
import { moderationOf } from './moderation.js';
import type { Moderation } from './moderation.js';
import { peopleOf } from './people.js';
import type { People } from './people.js';
import { noticesOf } from './notices.js';
import type { Notices } from './notices.js';
import { projectsOf } from './projects.js';
import type { Projects } from './projects.js';
import { openQueue } from './queue.js';
import type { Queue, QueueOptions } from './queue.js';
import { renewing } from './renewal.js';
import { keeping, retrying } from './retries.js';
import type { Patience, Send } from './retries.js';
import { saveWith } from './save.js';
import type { Saved, SendActions } from './save.js';
import { keepSession, memoryStore } from './session.js';
import type { Session, SessionStore } from './session.js';
import { signInOf } from './sign-in.js';
import type { SignIn } from './sign-in.js';
import type { OwnReport, Project, ProjectPlace, Report, ThingReport, User } from './things.js';
import { trashOf } from './trash.js';
import type { Trash } from './trash.js';
import { sendingBody } from './uploads.js';
import { remixesOf } from './upstream.js';
import type { Remixes } from './upstream.js';
import { watchClass, watchNotices, watchProject } from './watch.js';
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

export interface Client extends Along, SignIn {
    /** Every path of the service, typed. */
    readonly api: Api;
    readonly projects: Projects;
    readonly collections: Collections;
    /** Comments on projects, in threads. */
    readonly comments: Comments;
    /** Classes, their people, and accounts for pupils. */
    readonly classes: Classes;
    /** The methods for a project's history, and for going back in it. */
    readonly history: History;
    readonly trash: Trash;
    /** The methods for the source of a remix, and for its changes since. */
    readonly remixes: Remixes;
    /** Pictures, drawings, sounds and videos. */
    readonly assets: Assets;
    /** Whom you block and follow, and what you like. */
    readonly people: People;
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
    /** Notices of what happened that concerns you. */
    readonly notices: Notices;
    /** Your own account and its tokens. */
    readonly account: Account;

    /** Reports somebody else's project to the moderators. Again replaces the reason. @throws PagewrightError 429 after 50 reports in a day */
    report(project: Pick<Project, 'id'>, reason: Report['reason'], text?: string, options?: CallOptions): Promise<Report>;

    /** Reports somebody else's comment, or a person, as `report` does. */
    reportComment(comment: { id: string }, reason: Report['reason'], text?: string, options?: CallOptions): Promise<ThingReport>;
    reportUser(user: Pick<User, 'id'>, reason: Report['reason'], text?: string, options?: CallOptions): Promise<ThingReport>;

    /** your own reports, newest first, with what moderators have decided */
    reports(options?: ListOptions): List<OwnReport>;

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
     * Sends an editor's changes as one bulk: all of them are done, or none. With `lift`, large data URIs in them are sent as assets before, and references saved instead.
     * @throws SaveError if one of them fails; RangeError if they are too many or too large for one bulk
     */
    save(changes: readonly Change[], options?: SaveOptions): Promise<Saved>;

    /** A queue of saves, which are kept while there is no connection, and sent in order, each once. Use one for a storage. */
    queue(options?: QueueOptions): Queue;
}

/** @param url of the service, such as `http://127.0.0.1:3000` */
export function createClient(url: string, { store = memoryStore(), onSignedOut, patience = {}, fetch: ownFetch, around }: ClientOptions = {}): Client {
    const plain = ownFetch ?? ((request) => globalThis.fetch(request));
    const fetch = keeping(around === undefined ? plain : (request) => around(request, plain));
    const session = keepSession(store, `pagewright ${url}`);
    const send = retrying(remembering(fetch), patience);
    const base = url.replace(/\/$/, '');

    const renewed = renewing(session, base, send, (error) => onSignedOut?.(error));
    const sendAs = authorizing(session, renewed, URL.canParse(url) && new URL(url).origin === globalThis.location?.origin);

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

    return {
        api,
        ...alongOf(base, async () => (await renewed.current())?.token, (...call) => askThrough(fetch, ...call), (body, onProgress, ...call) => askThrough(sendingBody(ownFetch, body, onProgress), ...call)),
        ...signInOf(api, base, session, ask, fetch),
        projects: projectsOf(api, checkSignedIn),
        collections: collectionsOf(api),
        comments: commentsOf(api),
        classes: classesOf(api, (id, options) => watchClass(watching, id, options)),
        history: historyOf(api),
        trash: trashOf(api),
        remixes: remixesOf(api),
        people: peopleOf(api),
        members: membersOf(api),
        moderation: moderationOf(api),
        admin: adminOf(api),
        apps: appsOf(api),
        webhooks: webhooksOf(api),
        notices: noticesOf(api, (options) => watchNotices(watching, options)),
        account: accountOf(api, session),
        report: async ({ id: project }, reason, text = '', options = {}) => (await api.POST('/projects/{project}/reports', { params: { path: { project } }, body: { reason, text }, ...options })).data.report,
        reportComment: async ({ id: comment }, reason, text = '', options = {}) =>
            (await api.POST('/comments/{comment}/reports',
                { params: { path: { comment } }, body: { reason, text }, ...options })).data.report,
        reportUser: async ({ id: user }, reason, text = '', options = {}) =>
            (await api.POST('/users/{user}/reports', { params: { path: { user } }, body: { reason, text }, ...options })).data.report,
        reports: (options) => each(options, async (query, call) => {
            const { reports, next } = (await api.GET('/users/{user}/reports', { params: { path: { user: 'me' }, query }, ...call })).data;
            return { items: reports, next };
        }),
        watch: (project, options = {}) => watchProject(watching, project, options),
        assets,

        get session() {
            return session.read();
        },

        subscribe: session.subscribe,

        save: async (changes, { lift = false, ...options } = {}) => {
            checkSignedIn();
            const signal = signalOf(options);
            return await saveWith(lift ? await assets.lift(changes, { signal }) : changes, (actions) => bulk({ actions }, signal));
        },

        // The key is in the body, because pages of other origins cannot send the header.
        queue: (options) => openQueue({ session, send: (actions, key, signal) => bulk({ actions, idempotency_key: key }, signal) }, options)
    };
}
