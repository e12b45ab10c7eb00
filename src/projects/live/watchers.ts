import { defined } from '../../api/errors/defined';
import type { EventStream } from '../../api/request/event-stream';
import type { StreamPlaces } from './places';

/** A thing that somebody watches, with what each of the streams was told last. */
export type Watched<Watch> = Watch & { streams: Map<EventStream, string | null> };

interface WatchersOptions<Watch> {
    places: StreamPlaces;
    /** most streams of one reader: with one more, the oldest ends */
    most: number;
    /** the reader */
    readerOf(watch: Watch): string;
    /** what differs if streams are not told the same */
    keyOf(watch: Watch): string;
    /** called when a stream has come, when one leaves, and when none is left */
    joined(watch: Watch): void;
    left?(watch: Watch): void;
    emptied(): void;
}

/** Those who watch in this process, with their streams. */
export interface Watchers<Watch> {
    all(): Watched<Watch>[];
    /** @returns false if there is no place */
    add(stream: EventStream, watch: Watch, caller: string): boolean;
    end(stream: EventStream): void;
}

/** Keeps the streams of readers. */
export function keepWatchers<Watch extends object>({ places, most, readerOf, keyOf, joined, left, emptied }: WatchersOptions<Watch>): Watchers<Watch> {
    const watched = new Map<string, Watched<Watch>>();
    /** by reader, oldest first */
    const readers = new Map<string, Set<EventStream>>();

    const end = (stream: EventStream): void => {
        places.remove(stream);
        stream.end();
    };

    const leave = (stream: EventStream, one: Watched<Watch>): void => {
        one.streams.delete(stream);
        left?.(one);
        if (one.streams.size === 0) {
            watched.delete(keyOf(one));
        }

        const own = defined(readers.get(readerOf(one)));
        own.delete(stream);
        if (own.size === 0) {
            readers.delete(readerOf(one));
        }

        if (watched.size === 0) {
            emptied();
        }
    };

    return {
        all: () => [...watched.values()],
        end,
        add: (stream, watch, caller) => {
            if (places.isClosed()) {
                stream.end();
                return true;
            }

            const reader = readerOf(watch);
            const [oldest, ...others] = readers.get(reader) ?? [];
            if (oldest !== undefined && others.length + 1 >= most) {
                end(oldest);
            }

            if (!places.add(stream, caller, () => leave(stream, one))) {
                return false;
            }

            const one = watched.get(keyOf(watch)) ?? { ...watch, streams: new Map<EventStream, string | null>() };
            one.streams.set(stream, null);
            watched.set(keyOf(watch), one);
            readers.set(reader, (readers.get(reader) ?? new Set()).add(stream));
            joined(watch);
            return true;
        }
    };
}
