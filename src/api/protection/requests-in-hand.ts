import type { ServerResponse } from 'node:http';

import { shares } from './shares';
import type { Caller } from './shares';

/** The requests that are being worked on, which are limited: whatever they wait for, they then wait for a bounded time. */
export interface RequestsInHand {
    /** how many there are, without those that wait for their clients */
    count(): number;
    /** how many were refused so far */
    refused(): number;
    /** Counts a new request. @returns false if there are too many, of all callers or of this one */
    admit(response: ServerResponse, caller: Caller): boolean;
    /** To be called when a request has been answered. */
    release(response: ServerResponse): void;
}

/** Milliseconds between two checks of which requests wait for their clients. */
const LOOK_EVERY = 50;

const bodiless = new Set<string | undefined>(['GET', 'HEAD']);

/**
 * Counts requests in hand. Clients that are slow to send a body, or to read a response, cost nothing but memory, which
 * is limited elsewhere, and so do not count while they do.
 * @param most requests at a time
 * @param now milliseconds of a clock that never goes back
 */
export function requestsInHand(most: number, now: () => number): RequestsInHand {
    const inHand = new Map<ServerResponse, Caller>();
    const counts = shares(most);
    let refused = 0;
    let lookedAt = 0;

    const add = (response: ServerResponse, caller: Caller): void => {
        inHand.set(response, caller);
        counts.add(caller, 1);
    };

    const remove = (response: ServerResponse): void => {
        const caller = inHand.get(response);
        if (caller !== undefined) {
            inHand.delete(response);
            counts.remove(caller, 1);
        }
    };

    /** Leaves out requests that wait for their clients. */
    const leaveOut = (): void => {
        for (const [response, caller] of inHand) {
            const { req: request } = response;
            if (response.writableEnded) {
                remove(response);
            }
            // A GET does not wait for its body.
            else if (!request.complete && !bodiless.has(request.method)) {
                remove(response);
                // If it has been answered by then, the next look leaves it out again.
                request.once('end', () => add(response, caller));
            }
        }
    };

    const hasRoom = (caller: Caller): boolean => {
        if (counts.exceeded(caller, 1) === undefined) {
            return true;
        }

        if (now() - lookedAt > LOOK_EVERY) {
            lookedAt = now();
            leaveOut();
        }

        return counts.exceeded(caller, 1) === undefined;
    };

    return {
        count: () => inHand.size,
        refused: () => refused,
        admit: (response, caller) => {
            if (!hasRoom(caller)) {
                ++refused;
                return false;
            }

            add(response, caller);
            return true;
        },
        release: remove
    };
}
