import { errorBodyOf, retryAfterOf } from './errors.js';

/** Sends one request: `fetch`, or something around it. */
export type Send = (request: Request) => Promise<Response>;

/** How long a request is tried again before its failure is told. */
export interface Patience {
    /** tries at most, the first included; 4 if left out */
    tries?: number;
    /** milliseconds at most from the first try to the start of the last; 30,000 if left out */
    time?: number;
}

/** Statuses that pass, as far as a mere reader is concerned. */
const passing = new Set([429, 502, 503, 504]);

/** Codes of a 503 that says that nothing was done. */
const nothingDone = new Set<string | undefined>(['try_again', 'overloaded']);

/**
 * Whether a request can be sent again without doing anything twice: it only reads, or the answer says that nothing was done.
 * A write whose answer was lost may have been done; an idempotency key, once the service knows them, belongs here.
 */
async function mayRepeat({ method }: Request, response: Response | undefined): Promise<boolean> {
    if (method === 'GET') {
        return response === undefined || passing.has(response.status);
    }

    return response?.status === 429 || (response?.status === 503 && nothingDone.has((await errorBodyOf(response)).code));
}

/** Milliseconds to wait after a try: what the answer says, or else twice as long each time, and not all clients at once. */
function pauseAfter(tried: number, response: Response | undefined): number {
    const asked = response && retryAfterOf(response);
    return asked === undefined ? 250 * 2 ** tried * (0.5 + Math.random() / 2) : asked * 1000;
}

/** Waits, or throws the signal's reason as soon as it is aborted. */
function sleep(time: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
        const stop = (): void => {
            clearTimeout(timer);
            reject(signal.reason);
        };

        const timer = setTimeout(() => {
            signal.removeEventListener('abort', stop);
            resolve();
        }, time);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) {
            stop();
        }
    });
}

/** Sends a request again where that is safe, after what `Retry-After` says, within bounds. */
export function retrying(send: Send, { tries = 4, time = 30_000 }: Patience): Send {
    return async (request) => {
        const end = Date.now() + time;
        for (let tried = 1; ; ++tried) {
            let response: Response | undefined;
            let failure: unknown;
            try {
                response = await send(request.clone());
            }
            catch (error) {
                failure = error;
            }

            const pause = pauseAfter(tried, response);
            if (tried < tries && Date.now() + pause <= end && !request.signal.aborted && await mayRepeat(request, response)) {
                // Frees the connection; nobody has to wait for that.
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
