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
}

/** Bytes that the bodies of all requests may have together, and from which on one counts: those of small ones are bounded by their number. */
const MOST_BYTES = 128 * 1024 * 1024;
const LARGE = 256 * 1024;

/** Milliseconds between two looks at who waits for a client. */
const LOOK = 50;

const bodiless = new Set<string | undefined>(['GET', 'HEAD']);

/**
 * Bounds the requests in hand, as everything that they queue for, be it the event loop, a connection to the database or a
 * lock, is then queued for in bounded time.
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
        if (inHand.size >= most && now() - lookedAt > LOOK) {
            lookedAt = now();
            leaveOut();
        }

        return inHand.size < most;
    };

    return {
        inHand: () => inHand.size,
        refused: () => refused,
        enter: (response, size) => {
            const fits = size < LARGE || bytes + size <= MOST_BYTES;
            if (!fits || !hasRoom()) {
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
        }
    };
}
