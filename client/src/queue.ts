import type { Change } from './changes.js';
import { PagewrightError } from './errors.js';
import { backoff, sleepOffline } from './pauses.js';
import { QueueContents } from './queue-contents.js';
import type { Unsent } from './queue-contents.js';
import type { Entry } from './queue-entry.js';
import { QueueFailures } from './queue-failures.js';
import type { QueueFailure } from './queue-failures.js';
import { memoryQueue } from './queue-storage.js';
import type { QueueStorage } from './queue-storage.js';
import { rebase } from './rebase.js';
import { SaveError, afterConflict, saveOnce } from './save.js';
import type { Saved, SendActions } from './save.js';
import type { KeptSession } from './session.js';

/** A queue's state: one object until it changes. */
export interface QueueStatus {
    /**
     * `idle`: nothing waits. `sending`. `offline`: the service cannot be reached, and is tried again by itself. `signed-out`: waits until the user whose changes they are is signed in.
     * `failed`: all else is saved, and what is in `failures` waits for `resolve`.
     */
    state: 'idle' | 'sending' | 'offline' | 'signed-out' | 'failed';
    /** saves that wait */
    waiting: number;
    /** the oldest of `failures` */
    failure: QueueFailure | null;
    /** what could not be saved, oldest first, in any state */
    failures: readonly QueueFailure[];
}

export interface QueueOptions {
    /** where it keeps what waits; in memory if left out */
    storage?: QueueStorage;
    /** id of the user whose changes they are: so some can be added that wait until this user is signed in again; whoever is signed in if left out */
    user?: string;
    /**
     * Called after each save, whichever tab has sent it, with what it returned and its changes as they were sent.
     * @param saves how many saves it was: more than 1 if they were joined, because many waited
     */
    onSaved?: (saved: Saved, changes: readonly Change[], saves: number) => void;
}

/** Saves that wait for a connection. They are sent in order, each once. */
export interface Queue {
    readonly status: QueueStatus;
    /** Calls the listener whenever `status` changes. @returns a function that unsubscribes */
    subscribe(this: void, listener: () => void): () => void;

    /**
     * Adds one save. Resolves when it is kept. Each `base` is the thing as it was before the edit, with earlier edits that still wait; it may be
     * something new that still waits, by its temporary id and with revision 0.
     * @throws RangeError if more than 10,000 saves or 64 MiB would wait; TypeError if nobody is signed in, and the options name no user
     */
    add(changes: readonly Change[]): Promise<void>;

    /**
     * After a failure: sends other changes instead, such as with `error.current` as the base, or none.
     * @param failure the failure that the changes were made of; the oldest one if left out
     * @throws TypeError if nothing has failed, or if that failure was resolved already
     */
    resolve(changes: readonly Change[] | null, failure?: QueueFailure): Promise<void>;

    /** Unsent changes, to show them where only the service's state is known: after a reload of the page. Resolves when the storage was read. */
    unsent(): Promise<Unsent>;

    /** Stops sending. What waits is kept. */
    close(): void;
}

/** The parts of the client that a queue uses. @param send sends actions once, with an idempotency key */
export interface QueueHost {
    session: KeptSession;
    send(actions: Parameters<SendActions>[0], key: string, signal: AbortSignal): ReturnType<SendActions>;
}

/** Whether the same request may succeed later. */
const isPassing = (error: PagewrightError): boolean => error.status >= 500 || error.status === 429 || error.status === 408 || error.code === 'request_in_flight';

export function openQueue({ session, send }: QueueHost, { storage = memoryQueue(), user: owner, onSaved }: QueueOptions = {}): Queue {
    const contents = new QueueContents(storage);
    const listeners = new Set<() => void>();
    const closed = new AbortController();
    let status: QueueStatus = { state: 'idle', waiting: 0, failure: null, failures: [] };
    const known = new QueueFailures();
    const resolving = new Set<string>();
    let state: 'sending' | 'offline' = 'sending';
    let tries = 0;
    let wake = (): void => undefined;

    const publish = (): void => {
        const { first, failed } = contents.look();
        const failures = known.of(failed, status.failures);
        const next: QueueStatus = {
            state: first === undefined ? (failures.length === 0 ? 'idle' : 'failed') : first.user === session.read()?.user.id ? state : 'signed-out',
            waiting: contents.size, failure: failures[0] ?? null, failures
        };
        if (next.state !== status.state || next.waiting !== status.waiting || failures.length !== status.failures.length || failures.some((failure, place) => failure !== status.failures[place])) {
            status = next;
            listeners.forEach((listener) => listener());
        }
    };

    const changed = (): void => {
        publish();
        wake();
    };

    /** Another tab has written, perhaps after a save. */
    const heard = (message: string | undefined): void => {
        if (message !== undefined) {
            const { ids, things, changes, saves } = JSON.parse(message);
            onSaved?.({ ids: new Map(ids), things }, changes, saves);
        }

        changed();
    };

    const nextChange = (): Promise<void> => new Promise((resolve) => {
        wake = resolve;
    });

    const sendFirst = async (entry: Entry): Promise<void> => {
        let first = entry;
        try {
            await contents.join();
            first = await contents.freePart(entry);
            first.sent = first.changes.map((change, index) => rebase(change, index, contents.done));
            const saved = await saveOnce(first.sent, (actions) => send(actions, first.key, closed.signal));
            state = 'sending';
            tries = 0;
            await contents.finish(first, saved);
            onSaved?.(saved, first.sent, first.saves ?? 1);
        }
        catch (error) {
            if (closed.signal.aborted) {
                return;
            }

            const again = withoutRemoved(first, error) ?? afterConflict(first.sent ?? [], error);
            if (again !== undefined) {
                await contents.replace(first, again);
            }
            else if (error instanceof PagewrightError && !isPassing(error) && error.status !== 401) {
                await contents.fail(first, error);
            }
            else if (error instanceof RangeError || (error instanceof TypeError && first.sent === undefined)) {
                await contents.fail(first, new PagewrightError(400, { message: error.message, code: 'cannot_be_sent' }));
            }
            else {
                state = 'offline';
                publish();
                const asked = error instanceof PagewrightError ? 1000 * (error.retryAfter ?? 0) : 0;
                await sleepOffline(Math.max(asked, backoff(tries++)), closed.signal);
            }
        }
    };

    const work = async (): Promise<void> => {
        await contents.load();
        while (!closed.signal.aborted) {
            publish();
            if (status.state === 'sending' || status.state === 'offline') {
                const { first } = contents.look();
                await (first && sendFirst(first));
            }
            else {
                await nextChange();
            }
        }
    };

    const ready = contents.load().then(publish);
    const stops = [session.subscribe(changed), storage.subscribe((message) => void contents.load().then(() => heard(message), () => undefined))];
    const ended = ready.then(() => storage.lead(work));
    // A storage that does not work is reported by `add`.
    ended.catch(() => undefined);

    return {
        get status() {
            return status;
        },

        subscribe: (listener) => {
            const own = (): void => listener();
            listeners.add(own);
            return () => void listeners.delete(own);
        },

        add: async (changes) => {
            const user = owner ?? session.read()?.user.id;
            if (user === undefined) {
                throw new TypeError('Nobody is signed in: call signIn or signUp first');
            }

            await ready;
            await contents.add(user, changes);
            changed();
        },

        resolve: async (changes, failure = status.failure ?? undefined) => {
            const origin = known.originOf(failure, contents.look().failed);
            if (origin === undefined || resolving.has(origin.entry.id)) {
                throw new TypeError('Nothing has failed');
            }

            const { entry, later } = origin;
            resolving.add(entry.id);
            try {
                await contents.settle(entry, changes, later);
            }
            finally {
                resolving.delete(entry.id);
            }

            changed();
        },

        unsent: async () => {
            await ready;
            return contents.unsent();
        },

        close: () => {
            closed.abort();
            wake();
            stops.forEach((stop) => stop());
        }
    };
}

/** How many saves wait in a storage, without sending them. */
export async function countWaiting(storage: QueueStorage): Promise<number> {
    const contents = new QueueContents(storage);
    await contents.load();
    return contents.size;
}

/** The changes without the removal of something that somebody else has removed. */
function withoutRemoved({ sent }: Entry, error: unknown): readonly Change[] | undefined {
    return error instanceof SaveError && error.status === 404 && error.change.method === 'remove' ? sent?.filter((_change, index) => index !== error.index) : undefined;
}
