import { defined } from '../../api/errors/defined';
import type { ProjectStream } from './project-stream';
import { MOST_MOVED } from './queries';
import type { Moved, Seen } from './queries';

/** The streams of this process. */
export interface LiveHub {
    count(): number;
    /** Whether anybody here watches the project. */
    watches(project: string): boolean;
    /**
     * Adds a stream. It gets every change after its own revision.
     * @param caller whose stream it is: when all places are taken, the caller with the most streams loses the oldest to one who has fewer
     * @returns false if there is no place
     */
    add(stream: ProjectStream, project: string, caller: string): boolean;
    /** Reads the changes soon. */
    look(): void;
    /** Ends all streams. A stream that is added later ends at once. */
    close(): void;
}

export interface HubOptions {
    /** streams at a time */
    most: number;
    /** milliseconds between two comments of a stream */
    commentEvery: number;
    /** shortest life of a stream in milliseconds; the longest is half as much again */
    life: number;
    /** Reads which projects have changed since the given revisions, or can no longer be read by their readers: at most `MOST_MOVED` of them. */
    read(seen: readonly Seen[]): Promise<Moved[]>;
    /** Called with the error when reading begins to fail, and with undefined when it works again. */
    failing(error: unknown): void;
}

/** Milliseconds between two reads of the database. */
const LOOK_EVERY = 250;
/** Milliseconds to pause after a read, so that the next one serves everybody who asked for it in between. */
const LEAST_REST = 20;
/** After a slow read, the pause is this many times as long as the read: reading uses a quarter of a connection at most. */
const REST = 3;

/** A project that somebody watches, as one reader. */
interface Watched extends Seen {
    /** the lowest revision that a client of these streams knows */
    seen: number;
    streams: Set<ProjectStream>;
}

/** The key of a watched project. */
const keyOf = ({ id, reader, token }: Omit<Seen, 'seen'>): string => `${id} ${reader} ${token?.toString('hex')}`;

interface StreamPlace {
    watched: Watched;
    caller: string;
    /** the caller's streams */
    own: Set<ProjectStream>;
    commentAt: number;
    endAt: number;
}

/** Sends changes to streams. One statement reads the changes of all projects that are watched in this process: docs/decisions/live.md says why. */
export function liveHub({ most, commentEvery, life, read, failing }: HubOptions): LiveHub {
    /** by project and reader */
    const watched = new Map<string, Watched>();
    /** how many readers watch a project */
    const readers = new Map<string, number>();
    /** by caller, oldest first */
    const callers = new Map<string, Set<ProjectStream>>();
    const places = new Map<ProjectStream, StreamPlace>();
    let ticks: NodeJS.Timeout | undefined;
    let soon: NodeJS.Timeout | undefined;
    let looking = false;
    /** whether another read was requested during this one */
    let again = false;
    let restsUntil = 0;
    let failed = false;
    let closed = false;

    const remove = (stream: ProjectStream): void => {
        const place = places.get(stream);
        if (place === undefined) {
            return;
        }

        places.delete(stream);
        place.own.delete(stream);
        place.watched.streams.delete(stream);
        if (place.own.size === 0) {
            callers.delete(place.caller);
        }

        if (place.watched.streams.size === 0) {
            const { id } = place.watched;
            watched.delete(keyOf(place.watched));
            const others = defined(readers.get(id)) - 1;
            readers.set(id, others);
            if (others === 0) {
                readers.delete(id);
            }
        }

        if (places.size === 0) {
            ticks = void clearInterval(ticks);
        }
    };

    const end = (stream: ProjectStream): void => {
        remove(stream);
        stream.end();
    };

    const makePlace = (caller: string): boolean => {
        if (places.size < most) {
            return true;
        }

        const largest = [...callers.values()].reduce((one, other) => (other.size > one.size ? other : one));
        if (largest.size <= (callers.get(caller)?.size ?? 0) + 1) {
            return false;
        }

        [...largest].slice(0, 1).forEach(end);
        return true;
    };

    /** Takes out a stream whose project can no longer be read as it was, unless its token still lets it be read. */
    const leave = async (stream: ProjectStream, project: string, expired: boolean): Promise<void> => {
        const caller = defined(places.get(stream)).caller;
        remove(stream);
        if (await stream.goesOn(expired) && !enter(stream, project, caller)) {
            stream.end();
        }
    };

    const tell = (project: Watched, { since, revision, expired, changes }: Moved): void => {
        for (const stream of project.streams) {
            if (revision === null) {
                void leave(stream, project.id, expired);
            }
            // A stream that was added meanwhile with a lower revision waits for the next read.
            else if (stream.seen >= since) {
                stream.tell(changes);
            }
        }

        if (project.seen === since) {
            project.seen = revision ?? since;
        }
    };

    const look = async (): Promise<void> => {
        again = looking;
        if (looking || watched.size === 0) {
            return;
        }

        looking = true;
        const began = performance.now();
        try {
            const all = [...watched.values()];
            const moved = await read(all);
            moved.forEach((one) => all.slice(one.n - 1, one.n).forEach((project) => tell(project, one)));
            again ||= moved.length === MOST_MOVED;
            if (failed) {
                failed = false;
                failing(undefined);
            }
        }
        catch (error) {
            if (!failed) {
                failed = true;
                failing(error);
            }
        }

        const now = performance.now();
        restsUntil = now + Math.min(LOOK_EVERY, Math.max(LEAST_REST, REST * (now - began)));
        looking = false;
        if (again) {
            lookSoon();
        }
    };

    const lookSoon = (): void => {
        soon ??= setTimeout(() => {
            soon = undefined;
            void look();
        }, Math.max(0, restsUntil - performance.now()));
    };

    const tick = (): void => {
        const now = performance.now();
        for (const [stream, place] of places) {
            if (now >= place.endAt) {
                end(stream);
            }
            else if (now >= place.commentAt) {
                place.commentAt += commentEvery;
                stream.comment();
            }
        }

        void look();
    };

    const enter = (stream: ProjectStream, project: string, caller: string): boolean => {
        if (closed) {
            stream.end();
            return true;
        }

        if (!makePlace(caller)) {
            return false;
        }

        const own = callers.get(caller) ?? new Set();
        const { reader = null, token = null } = stream.as;
        const key = keyOf({ id: project, reader, token });
        const known = watched.get(key);
        const one = known ?? { id: project, reader, token, seen: stream.seen, streams: new Set() };
        if (known === undefined) {
            readers.set(project, (readers.get(project) ?? 0) + 1);
        }

        one.seen = Math.min(one.seen, stream.seen);
        callers.set(caller, own.add(stream));
        one.streams.add(stream);
        watched.set(key, one);

        const now = performance.now();
        places.set(stream, { watched: one, caller, own, commentAt: now + commentEvery, endAt: now + life * (1 + Math.random() / 2) });
        stream.once('close', () => remove(stream));
        ticks ??= setInterval(tick, LOOK_EVERY).unref();
        lookSoon();
        return true;
    };

    return {
        count: () => places.size,
        watches: (project) => readers.has(project),
        add: enter,
        look: lookSoon,
        close: () => {
            closed = true;
            [...places.keys()].forEach(end);
        }
    };
}
