import { defined } from '../../api/errors/defined';
import type { EventStream } from '../../api/request/event-stream';
import { MAX_WALLS } from '../../limits';
import { startPolling } from '../../projects/live/looks';
import type { LooksOptions } from '../../projects/live/looks';
import type { StreamPlaces } from '../../projects/live/places';
import { keepWatchers } from '../../projects/live/watchers';
import type { Watched } from '../../projects/live/watchers';
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

const keyOf = ({ classId, reader, token }: WallReader): string => `${classId} ${reader} ${token?.toString('hex')}`;

/** Tells people of a class that what they see of it has changed. One look serves all who watch it here. */
export function wallHub({ places, read, failing }: WallHubOptions): WallHub {
    const turns = new WallTurns();
    const watchers = keepWatchers<WallReader>({
        places, most: MAX_WALLS, readerOf: ({ reader }) => reader, keyOf,
        joined: ({ classId, reader }) => {
            turns.add(classId, reader);
            looks.begin();
        },
        left: ({ classId, reader }) => turns.remove(classId, reader), emptied: () => looks.end()
    });

    const tell = ({ streams }: Watched<WallReader>, { state, expired }: SeenWall): void => {
        for (const [stream, told] of streams) {
            if (state === null) {
                // If only the token has ended, its user is told when they connect again.
                if (!expired) {
                    stream.event('gone', '{}');
                }

                watchers.end(stream);
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
                const all = watchers.all().filter(({ classId }) => some.has(classId));
                const seen = await read(all);
                turns.done(performance.now() - began, performance.now());
                seen.forEach((one, index) => tell(defined(all[index]), one));
            }

            return false;
        }
    });

    return { add: watchers.add };
}
