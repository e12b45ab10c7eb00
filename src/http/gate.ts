import type { ServerResponse } from 'node:http';

/** How many requests are worked on at a time, and which one is too many. */
export interface Gate {
    /** requests that are being worked on, those left out that wait for their clients */
    inHand(): number;
    /** requests refused so far */
    refused(): number;
    /** Takes a request in and answers true, or refuses it; `size` is that of its body in bytes. */
    enter(response: ServerResponse, size: number): boolean;
    leave(response: ServerResponse): void;
    /** To be asked once a second from the first refusal on: ends the overload where nothing has been refused since. */
    calm(): boolean;
}

/** Milliseconds for which there may be more in hand than there should be, and how many times as many. */
const MOMENT = 1000;
const BURST = 5;

/** Bytes that the bodies of all requests may have together, and from which on one counts: those of small ones are bounded by their number. */
const MOST_BYTES = 128 * 1024 * 1024;
const LARGE = 256 * 1024;

/** Milliseconds between two looks at who waits for a client. */
const LOOK = 50;

const bodiless = new Set<string | undefined>(['GET', 'HEAD']);

/**
 * Bounds the requests in hand, as everything that they queue for, be it the event loop, a connection to the database or a
 * lock, is then queued for in bounded time. Whatever drains within a moment is let in, as when a class opens the
 * editor at once. What stands for longer is an overload: then there are no more than `most` in hand until nothing
 * has had to be refused for a second, so that those let in are answered soon.
 *
 * Large bodies are bounded by their bytes as well, which are held until they are answered, from whenever they begin to arrive.
 *
 * Clients that are slow to send a body, or to take an answer, cost time of their own alone, and do not count.
 * @param now milliseconds of a clock that never goes back
 */
export function gate(most: number, now: () => number): Gate {
    const inHand = new Set<ServerResponse>();
    /** bytes of large bodies */
    const bodies = new Map<ServerResponse, number>();
    let bytes = 0;
    let refused = 0;
    let overloaded = false;
    /** `refused`, when it was last asked whether it is over */
    let before = 0;
    /** when there last was room for one more */
    let roomAt = now();
    let lookedAt = 0;

    /** Leaves out those that wait for their clients. */
    const leaveOut = (): void => {
        for (const response of inHand) {
            const { req: request } = response;
            if (response.writableEnded) {
                inHand.delete(response);
            }
            // What has no use for its body does not wait for it.
            else if (!request.complete && !bodiless.has(request.method)) {
                inHand.delete(response);
                // Were it answered by then, it would be left out again at the next look.
                request.once('end', () => inHand.add(response));
            }
        }
    };

    const hasRoom = (): boolean => {
        const time = now();
        if (inHand.size >= most && time - lookedAt > LOOK) {
            lookedAt = time;
            leaveOut();
        }

        if (inHand.size < most) {
            roomAt = time;
            return true;
        }

        return !overloaded && inHand.size < BURST * most && time - roomAt <= MOMENT;
    };

    return {
        inHand: () => inHand.size,
        refused: () => refused,
        enter: (response, size) => {
            const fits = size < LARGE || bytes + size <= MOST_BYTES;
            if (!fits || !hasRoom()) {
                overloaded ||= fits;
                ++refused;
                return false;
            }

            inHand.add(response);
            if (size >= LARGE) {
                bodies.set(response, size);
                bytes += size;
            }

            return true;
        },
        leave: (response) => {
            inHand.delete(response);
            const size = bodies.get(response);
            if (size !== undefined) {
                bodies.delete(response);
                bytes -= size;
            }
        },
        calm: () => {
            const isCalm = refused === before;
            before = refused;
            overloaded &&= !isCalm;
            return isCalm;
        }
    };
}
