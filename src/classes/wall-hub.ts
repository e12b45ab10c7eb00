import { setTimeout as sleep } from 'node:timers/promises';

import { defined } from '../api/errors/defined';
import type { EventStream } from '../api/request/event-stream';
import { MOST_WALLS } from '../limits';
import { repeatedLooks } from '../projects/live/looks';
import type { LooksOptions } from '../projects/live/looks';
import type { StreamPlaces } from '../projects/live/places';
import type { SeenWall, WallReader } from './wall-queries';

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
    /** milliseconds between two looks */
    every?: number;
}

/** An edit is to be seen within two seconds, with the time to read the class again. */
const LOOK_EVERY = 500;
/** Classes that one look reads at once, each with up to 5,000 projects. */
const MOST_READ = 20;
/** After a look, the next one waits this many times as long as it took: looking uses a quarter of a connection at most. But not longer than this, in milliseconds. */
const REST = 3;
const LONGEST_REST = 10_000;

/** A class that somebody watches, as one reader, with what each of the streams was told last. */
interface Watched extends WallReader {
    streams: Map<EventStream, string | null>;
}

const keyOf = ({ classId, reader, token }: WallReader): string => `${classId} ${reader} ${token?.toString('hex')}`;

/** Tells people of a class that what they see of it has changed. One look serves all who watch it here. */
export function wallHub({ places, read, failing, every = LOOK_EVERY }: WallHubOptions): WallHub {
    const watched = new Map<string, Watched>();
    /** by reader, oldest first */
    const readers = new Map<string, Set<EventStream>>();

    const end = (stream: EventStream): void => {
        places.remove(stream);
        stream.end();
    };

    const leave = (stream: EventStream, one: Watched): void => {
        one.streams.delete(stream);
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

    const looks = repeatedLooks({
        every, failing,
        look: async () => {
            const began = performance.now();
            const classes = [...new Set([...watched.values()].map(({ classId }) => classId))];
            for (let at = 0; at < classes.length; at += MOST_READ) {
                const some = new Set(classes.slice(at, at + MOST_READ));
                const all = [...watched.values()].filter(({ classId }) => some.has(classId));
                const seen = await read(all);
                seen.forEach((one, index) => tell(defined(all[index]), one));
            }

            await sleep(Math.min(LONGEST_REST, REST * (performance.now() - began)), undefined, { ref: false });
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
            if (oldest !== undefined && others.length + 1 >= MOST_WALLS) {
                end(oldest);
            }

            if (!places.add(stream, caller, () => leave(stream, one))) {
                return false;
            }

            const one = watched.get(keyOf(wall)) ?? { ...wall, streams: new Map<EventStream, string | null>() };
            one.streams.set(stream, null);
            watched.set(keyOf(wall), one);
            readers.set(wall.reader, (readers.get(wall.reader) ?? new Set()).add(stream));
            looks.begin();
            return true;
        }
    };
}
