import type { EventStream } from '../../api/request/event-stream';

/** The places of all event streams of a process, whatever they tell of. */
export interface StreamPlaces {
    count(): number;
    /**
     * Gives a stream a place until it ends. When all are taken, the caller with the most streams loses the oldest to one who has fewer.
     * @param left is called once when the stream has no place any more
     * @returns false if there is no place
     */
    add(stream: EventStream, caller: string, left: () => void): boolean;
    /** Takes a stream out. It does not end by that. */
    remove(stream: EventStream): void;
    /** Ends all streams. A stream that comes later is to end at once. */
    close(): void;
    isClosed(): boolean;
}

export interface PlacesOptions {
    /** streams at a time */
    most: number;
    /** milliseconds between two comments of a stream */
    commentEvery: number;
    /** shortest life of a stream in milliseconds; the longest is half as much again */
    life: number;
}

interface Place {
    /** the caller's streams, oldest first */
    own: Set<EventStream>;
    caller: string;
    left: () => void;
    commentAt: number;
    endAt: number;
}

/** Milliseconds between two looks at which streams need a comment, or end. */
const TICK = 250;

export function streamPlaces({ most, commentEvery, life }: PlacesOptions): StreamPlaces {
    const places = new Map<EventStream, Place>();
    const callers = new Map<string, Set<EventStream>>();
    let ticks: NodeJS.Timeout | undefined;
    let closed = false;

    const remove = (stream: EventStream): void => {
        const place = places.get(stream);
        if (place === undefined) {
            return;
        }

        places.delete(stream);
        place.own.delete(stream);
        if (place.own.size === 0) {
            callers.delete(place.caller);
        }

        if (places.size === 0) {
            ticks = void clearInterval(ticks);
        }

        place.left();
    };

    const end = (stream: EventStream): void => {
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
    };

    return {
        count: () => places.size,
        isClosed: () => closed,
        remove,
        add: (stream, caller, left) => {
            if (!makePlace(caller)) {
                return false;
            }

            const own = callers.get(caller) ?? new Set();
            callers.set(caller, own.add(stream));
            const now = performance.now();
            places.set(stream, { own, caller, left, commentAt: now + commentEvery, endAt: now + life * (1 + Math.random() / 2) });
            stream.once('close', () => remove(stream));
            ticks ??= setInterval(tick, TICK).unref();
            return true;
        },
        close: () => {
            closed = true;
            [...places.keys()].forEach(end);
        }
    };
}
