import { defined } from '../../api/errors/defined';
import type { EventStream } from '../../api/request/event-stream';
import { MAX_WALLS } from '../../limits';
import { startPolling } from '../../projects/live/looks';
import type { LooksOptions } from '../../projects/live/looks';
import type { StreamPlaces } from '../../projects/live/places';
import type { SeenWall, WallReader } from './queries';
import { WallTurns } from './turns';

/** The streams of classes in this process. */
export interface WallHub {
    /**
     * Adds a stream. It is told at once, and then whenever its reader sees something else. With too many streams of one reader, the oldest ends.
     * @returns false if there is no place
     */
    add(stream: EventStream, wall: WallReader, caller: string): boolean;
}

interface WallHubOptions extends Pick<LooksOptions, 'failing'> {
    places: StreamPlaces;
    /** Reads what each of these sees, in their order. */
    read(walls: readonly WallReader[]): Promise<SeenWall[]>;
}

/** Milliseconds between two looks at whether a wall is due. */
const LOOK_EVERY = 100;

/** A class that somebody watches, as one reader, with what each of the streams was told last. */
interface Watched extends WallReader {
    streams: Map<EventStream, string | null>;
}

const keyOf = ({ classId, reader, token }: WallReader): string => `${classId} ${reader} ${token?.toString('hex')}`;

/** Tells people of a class that what they see of it has changed. One look serves all who watch it here. */
export function wallHub({ places, read, failing }: WallHubOptions): WallHub {
    const watched = new Map<string, Watched>();
    const turns = new WallTurns();
    /** by reader, oldest first */
    const readers = new Map<string, Set<EventStream>>();

    const end = (stream: EventStream): void => {
        places.remove(stream);
        stream.end();
    };

    const leave = (stream: EventStream, one: Watched): void => {
        one.streams.delete(stream);
        turns.remove(one.classId, one.reader);
        if (one.streams.size === 0) {
            watched.delete(keyOf(one));
        }

        const own = defined(readers.get(one.reader));
        own.delete(stream);
        if (own.size === 0) {
            readers.delete(one.reader);
        }

        if (watched.size === 0) {
            looks.end();
        }
    };

    const tell = ({ streams }: Watched, { state, expired }: SeenWall): void => {
        for (const [stream, told] of streams) {
            if (state === null) {
                // If only the token has ended, its user is told when they connect again.
                if (!expired) {
                    stream.event('gone', '{}');
                }

                end(stream);
            }
            else if (state !== told) {
                streams.set(stream, state);
                stream.event('change', `{"state":"${state}"}`);
            }
        }
    };

    const looks = startPolling({
        every: LOOK_EVERY, failing,
        look: async () => {
            for (let ids = turns.next(performance.now()); ids.length > 0; ids = turns.next(performance.now())) {
                const began = performance.now();
                const some = new Set(ids);
                const all = [...watched.values()].filter(({ classId }) => some.has(classId));
                const seen = await read(all);
                turns.done(performance.now() - began, performance.now());
                seen.forEach((one, index) => tell(defined(all[index]), one));
            }

            return false;
        }
    });

    return {
        add: (stream, wall, caller) => {
            if (places.isClosed()) {
                stream.end();
                return true;
            }

            const [oldest, ...others] = readers.get(wall.reader) ?? [];
            if (oldest !== undefined && others.length + 1 >= MAX_WALLS) {
                end(oldest);
            }

            if (!places.add(stream, caller, () => leave(stream, one))) {
                return false;
            }

            const one = watched.get(keyOf(wall)) ?? { ...wall, streams: new Map<EventStream, string | null>() };
            one.streams.set(stream, null);
            watched.set(keyOf(wall), one);
            turns.add(wall.classId, wall.reader);
            readers.set(wall.reader, (readers.get(wall.reader) ?? new Set()).add(stream));
            looks.begin();
            return true;
        }
    };
}
