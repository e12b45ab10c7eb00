import { defined } from '../../api/errors/defined';
import { startPolling } from './looks';
import type { LooksOptions } from './looks';
import type { StreamPlaces } from './places';
import type { ProjectStream } from './project-stream';
import { MAX_MOVED } from './queries';
import type { Moved, Seen } from './queries';

/** The streams of projects in this process. */
export interface LiveHub {
    /** Whether anybody here watches the project. */
    watches(project: string): boolean;
    /**
     * Adds a stream. It gets every change after its own revision.
     * @param caller whose stream it is
     * @returns false if there is no place
     */
    add(stream: ProjectStream, project: string, caller: string): boolean;
    /** Reads the changes soon. */
    look(): void;
}

export interface HubOptions extends Pick<LooksOptions, 'failing'> {
    places: StreamPlaces;
    /** Reads which projects have changed since the given revisions, or can no longer be read by their readers: at most `MAX_MOVED` of them. */
    read(seen: readonly Seen[]): Promise<Moved[]>;
}

/** Milliseconds between two reads of the database. */
const LOOK_EVERY = 250;

/** A project that somebody watches, as one reader. */
interface Watched extends Seen {
    /** the lowest revision that a client of these streams knows */
    seen: number;
    /** with whose they are */
    streams: Map<ProjectStream, string>;
}

/** The key of a watched project. */
const keyOf = ({ id, reader, token }: Pick<Seen, 'id' | 'reader' | 'token'>): string => `${id} ${reader} ${token?.toString('hex')}`;

/** Sends changes to streams. One statement reads the changes of all projects that are watched in this process: docs/decisions/live.md says why. */
export function liveHub({ places, read, failing }: HubOptions): LiveHub {
    /** by project and reader */
    const watched = new Map<string, Watched>();
    /** how many readers watch a project */
    const readers = new Map<string, number>();

    const leave = (stream: ProjectStream, one: Watched): void => {
        one.streams.delete(stream);
        if (one.streams.size > 0) {
            return;
        }

        watched.delete(keyOf(one));
        const others = defined(readers.get(one.id)) - 1;
        readers.set(one.id, others);
        if (others === 0) {
            readers.delete(one.id);
        }

        if (watched.size === 0) {
            looks.end();
        }
    };

    /** Takes out a stream whose project can no longer be read as it was, unless its token still lets it be read. */
    const change = async (stream: ProjectStream, { id }: Watched, caller: string, expired: boolean): Promise<void> => {
        places.remove(stream);
        if (await stream.goesOn(expired) && !add(stream, id, caller)) {
            stream.end();
        }
    };

    const tell = (one: Watched, { since, revision, expired, changes, comments }: Moved): void => {
        for (const [stream, caller] of one.streams) {
            if (revision === null) {
                void change(stream, one, caller, expired);
            }
            // A stream that was added meanwhile with a lower revision waits for the next read.
            else if (stream.seen >= since) {
                stream.tell(changes);
            }

            stream.tellOfComments(comments);
        }

        one.comments = Math.max(one.comments, ...comments.map(({ changed }) => changed));

        if (one.seen === since) {
            one.seen = revision ?? since;
        }
    };

    const looks = startPolling({
        every: LOOK_EVERY, failing,
        look: async () => {
            const all = [...watched.values()];
            const moved = await read(all);
            moved.forEach((each) => all.slice(each.n - 1, each.n).forEach((one) => tell(one, each)));
            return moved.length === MAX_MOVED;
        }
    });

    const add = (stream: ProjectStream, project: string, caller: string): boolean => {
        if (places.isClosed()) {
            stream.end();
            return true;
        }

        if (!places.add(stream, caller, () => leave(stream, one))) {
            return false;
        }

        const { reader = null, token = null } = stream.as;
        const key = keyOf({ id: project, reader, token });
        const known = watched.get(key);
        const one = known ?? { id: project, reader, token, seen: stream.seen, comments: stream.comments, streams: new Map() };
        if (known === undefined) {
            readers.set(project, (readers.get(project) ?? 0) + 1);
        }

        one.seen = Math.min(one.seen, stream.seen);
        one.comments = Math.min(one.comments, stream.comments);
        one.streams.set(stream, caller);
        watched.set(key, one);
        looks.begin();
        return true;
    };

    return { watches: (project) => readers.has(project), add, look: looks.soon };
}
