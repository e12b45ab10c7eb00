import { errorBodyOf, retryAfterOf } from './errors.js';
import { sleep } from './pauses.js';

/** Sends one request: `fetch`, or a wrapper of it. */
export type Send = (request: Request) => Promise<Response>;

/** Requests under way. */
const underWay = new Set<Request>();

/** The request of a response whose body may still be on its way. */
const requestOf = new WeakMap<Response, Request>();

/** Keeps each request until its response is done with. In Node, a request that is garbage-collected before no longer hears its signal: nothing would end it. */
export function keeping(send: Send): Send {
    return async (request) => {
        underWay.add(request);
        try {
            const response = await send(request);
            requestOf.set(response, request);
            return response;
        }
        finally {
            underWay.delete(request);
        }
    };
}

/** How often and how long a request is tried before it fails. */
export interface Patience {
    /** the most tries, including the first; 4 if left out */
    tries?: number;
    /** the most milliseconds from the first try to the start of the last; 30,000 if left out */
    time?: number;
}

/** Temporary errors, after which a read can be repeated. */
const passing = new Set([429, 502, 503, 504]);

/** Codes of a 503 after which nothing was done. */
const nothingDone = new Set<string | undefined>(['try_again', 'overloaded']);

/**
 * Whether a request can be repeated without doing anything twice: it only reads, or the response says that nothing was done.
 * A write whose response was lost may have been done.
 */
async function mayRepeat({ method }: Request, response: Response | undefined): Promise<boolean> {
    if (method === 'GET') {
        return response === undefined || passing.has(response.status);
    }

    return response?.status === 429 || (response?.status === 503 && nothingDone.has((await errorBodyOf(response)).code));
}

/** Milliseconds to wait after a try: `Retry-After`, or else twice as long each time with a random part, so that clients do not retry all at once. */
function pauseAfter(tried: number, response: Response | undefined): number {
    const asked = response && retryAfterOf(response);
    return asked === undefined ? 250 * 2 ** tried * (0.5 + Math.random() / 2) : asked * 1000;
}

/** Repeats a request if that is safe, after the time in `Retry-After`, within the limits. */
export function retrying(send: Send, { tries = 4, time = 30_000 }: Patience): Send {
    return async (request) => {
        const end = Date.now() + time;
        for (let tried = 1; ; ++tried) {
            let response: Response | undefined;
            let failure: unknown;
            try {
                // The signal of a clone does not survive a garbage collection in Node either.
                response = await send(new Request(request.clone(), { signal: request.signal }));
            }
            catch (error) {
                failure = error;
            }

            const pause = pauseAfter(tried, response);
            if (tried < tries && Date.now() + pause <= end && !request.signal.aborted && await mayRepeat(request, response)) {
                // Frees the connection; there is no need to wait for that.
                response?.body?.cancel().catch(() => undefined);
                await sleep(pause, request.signal);
                continue;
            }

            if (response === undefined) {
                throw failure;
            }

            return response;
        }
    };
}
