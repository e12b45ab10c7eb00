import { signalOf } from './api.js';
import type { Api, CallOptions, SendCall } from './api.js';
import { PagewrightError } from './errors.js';
import { EventReader } from './events.js';
import type { ServerEvent } from './events.js';
import { pathOf } from './lists.js';
import type { NoticesState } from './notices.js';
import { anyOf, backoff, sleepOffline } from './pauses.js';
import type { HistoryEntry, ProjectPlace } from './things.js';

/** A change of a project, as it happens. `changes(project, revision)` says what is different. */
export type ChangeEvent = Pick<HistoryEntry, 'revision' | 'from' | 'at' | 'author'>;

export interface WatchOptions extends CallOptions {
    /** the revision that you have: you are told of everything after it. The present one if left out */
    since?: number;
}

/** The parts of the client that watching uses. */
export interface Watching {
    api: Api;
    /** sends a request once, without further tries */
    open: SendCall;
    isSignedIn(): boolean;
    url: string;
}

/** Milliseconds without a byte after which a connection is given up: the service sends a comment every 15 s. */
const SILENCE = 45_000;

const isFinal = (error: unknown): error is PagewrightError => error instanceof PagewrightError && error.status < 500 && error.status !== 429 && error.status !== 408;

/**
 * The data of the changes that a stream tells, over as many connections as it takes. Ends when what it tells of is gone, the signal is aborted, or the time of `timeout` is over.
 * @param connect what to ask for, each time anew
 * @throws PagewrightError if the service rejects the request
 */
async function* follow<Change>({ open, isSignedIn }: Pick<Watching, 'open' | 'isSignedIn'>, signal: AbortSignal, connect: () => Promise<Parameters<SendCall>>): AsyncGenerator<Change, void, undefined> {
    const state = { retry: 1000 };
    for (let failures = 0; !signal.aborted; ++failures) {
        const connection = new AbortController();
        let pause = 0;
        try {
            const [request, ...where] = await connect();
            const response = await open(new Request(request, { signal: anyOf(signal, connection.signal), cache: 'no-store' }), ...where);
            for await (const { name, data } of eventsOf(response, connection, state)) {
                failures = 0;
                if (name === 'gone') {
                    if (!isSignedIn()) {
                        return;
                    }

                    // It may have become private, and whoever is signed in may still see it. If not, the next request ends this.
                    break;
                }

                if (name === 'change' || name === 'notice') {
                    const change: Change = JSON.parse(data);
                    yield change;
                }
            }

            failures = 0;
            pause = state.retry;
        }
        catch (error) {
            if (isFinal(error) && !signal.aborted) {
                if (error.status === 404) {
                    return;
                }

                throw error;
            }

            pause = Math.max(state.retry, backoff(failures), error instanceof PagewrightError ? 1000 * (error.retryAfter ?? 0) : 0);
        }
        finally {
            connection.abort();
        }

        await sleepOffline(pause, signal);
    }
}

/**
 * Each change of a project after `since`, once. A lost connection is made again, from the last change that was told, so nothing is missed.
 * Ends when the project is gone, the signal is aborted, or the time of `timeout` is over.
 * @throws PagewrightError if the service rejects the request, as for an invalid `since`
 */
export async function* watchProject({ api, url, ...watching }: Watching, project: ProjectPlace, { since, ...options }: WatchOptions): AsyncGenerator<ChangeEvent, void, undefined> {
    const signal = signalOf(options) ?? new AbortController().signal;
    const { user, project: id } = pathOf(project);
    let seen = since;
    const changes = follow<ChangeEvent>(watching, signal, async () => {
        // Without a revision to begin at, a connection that is lost before the first event would miss something.
        seen ??= (await api.GET('/users/{user}/projects/{project}', { params: { path: pathOf(project) }, signal })).data.project.revision;
        return [new Request(`${url}/users/${user}/projects/${id}/events?since=${seen}`), '/users/{user}/projects/{project}/events', { user, project: id }];
    });
    for await (const change of changes) {
        if (change.revision !== seen) {
            seen = change.revision;
            yield change;
        }
    }
}

/**
 * Tells when what one sees of a class is not what it was: at once, and then with each change, also after a connection was lost. Ends as `watchProject` does.
 * @throws PagewrightError if the service rejects the request
 */
export async function* watchClass({ url, ...watching }: Omit<Watching, 'api'>, id: string, options: CallOptions): AsyncGenerator<{ state: string }, void, undefined> {
    const signal = signalOf(options) ?? new AbortController().signal;
    let seen = '';
    const changes = follow<{ state: string }>(watching, signal, () => Promise.resolve([new Request(`${url}/classes/${id}/events`), '/classes/{class_id}/events', { class_id: id }]));
    for await (const change of changes) {
        if (change.state !== seen) {
            seen = change.state;
            yield change;
        }
    }
}

/**
 * Tells how many notices are unread: at once, and then whenever that may have changed. Ends as `watchProject` does.
 * @throws PagewrightError if the service rejects the request
 */
export async function* watchNotices(
    { url, ...watching }: Omit<Watching, 'api'>, options: CallOptions
): AsyncGenerator<NoticesState, void, undefined> {
    const signal = signalOf(options) ?? new AbortController().signal;
    let seen = '';
    const connect = (): Promise<Parameters<SendCall>> => {
        return Promise.resolve([new Request(`${url}/users/me/notices/events`), '/users/{user}/notices/events', { user: 'me' }]);
    };

    for await (const state of follow<NoticesState>(watching, signal, connect)) {
        const told = `${state.unread} ${state.newest}`;
        if (told !== seen) {
            seen = told;
            yield state;
        }
    }
}

/** The events of one connection. Ends with it, and aborts it if nothing comes for too long. */
async function* eventsOf({ body }: Response, connection: AbortController, state: { retry: number }): AsyncGenerator<ServerEvent, void, undefined> {
    const events = new EventReader();
    const stream = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
        const timer = setTimeout(() => connection.abort(), SILENCE);
        const piece = await stream?.read().finally(() => clearTimeout(timer));
        if (piece === undefined || piece.done) {
            return;
        }

        yield* events.read(piece.value);
        state.retry = events.retry ?? state.retry;
    }
}
