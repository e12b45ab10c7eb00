import { signalOf } from './api.js';
import type { Api, CallOptions, SendCall } from './api.js';
import { PagewrightError } from './errors.js';
import { EventReader } from './events.js';
import type { ServerEvent } from './events.js';
import { pathOf } from './lists.js';
import { anyOf, backoff, sleepOffline } from './pauses.js';
import type { HistoryEntry, ProjectPlace } from './things.js';

/** A change of a project, as it happens. `changes(project, revision)` says what is different. */
export type ChangeEvent = Pick<HistoryEntry, 'revision' | 'from' | 'at' | 'author'>;

export interface WatchOptions extends CallOptions {
    /** the revision that you have: you are told of everything after it. The present one if left out */
    since?: number;
}

/** The parts of the client that watching uses. */
interface Watching {
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
 * Each change of a project after `since`, once. A lost connection is made again, from the last change that was told, so nothing is missed.
 * Ends when the project is gone, the signal is aborted, or the time of `timeout` is over.
 * @throws PagewrightError if the service rejects the request, as for an invalid `since`
 */
export async function* watchProject({ api, open, isSignedIn, url }: Watching, project: ProjectPlace, { since, ...options }: WatchOptions): AsyncGenerator<ChangeEvent, void, undefined> {
    const signal = signalOf(options) ?? new AbortController().signal;
    const { user, project: id } = pathOf(project);
    const reader = { seen: since, retry: 1000 };
    for (let failures = 0; !signal.aborted; ++failures) {
        const connection = new AbortController();
        let pause = 0;
        try {
            // Without a revision to begin at, a connection that is lost before the first event would miss something.
            reader.seen ??= (await api.GET('/users/{user}/projects/{project}', { params: { path: pathOf(project) }, signal })).data.project.revision;
            const request = new Request(`${url}/users/${user}/projects/${id}/events?since=${reader.seen}`, { signal: anyOf(signal, connection.signal), cache: 'no-store' });
            const response = await open(request, '/users/{user}/projects/{project}/events', { user, project: id });
            for await (const { name, data } of eventsOf(response, connection, reader)) {
                failures = 0;
                if (name === 'gone') {
                    if (!isSignedIn()) {
                        return;
                    }

                    // It may have become private, and whoever is signed in may still see it. If not, the next request ends this.
                    break;
                }

                const change: ChangeEvent | undefined = name === 'change' ? JSON.parse(data) : undefined;
                if (change !== undefined && change.revision !== reader.seen) {
                    reader.seen = change.revision;
                    yield change;
                }
            }

            failures = 0;
            pause = reader.retry;
        }
        catch (error) {
            if (isFinal(error) && !signal.aborted) {
                if (error.status === 404) {
                    return;
                }

                throw error;
            }

            pause = Math.max(reader.retry, backoff(failures), error instanceof PagewrightError ? 1000 * (error.retryAfter ?? 0) : 0);
        }
        finally {
            connection.abort();
        }

        await sleepOffline(pause, signal);
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
