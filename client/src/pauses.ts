/**
 * A signal that is aborted with the first of these. `AbortSignal.any` of Node 20 is forgotten by a garbage collection, and then never aborted.
 * These are listened to until then, so one of them should end.
 */
export function anyOf(...signals: AbortSignal[]): AbortSignal {
    const first = new AbortController();
    for (const signal of signals) {
        if (signal.aborted) {
            first.abort(signal.reason);
        }

        signal.addEventListener('abort', () => first.abort(signal.reason), { once: true, signal: first.signal });
    }

    return first.signal;
}

/** Waits, or throws the signal's reason when it is aborted. */
export function sleep(time: number, signal: AbortSignal): Promise<void> {
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

/** Waits, but not longer than until the browser says that it has a connection again. Returns early when the signal is aborted. */
export async function sleepOffline(time: number, signal: AbortSignal): Promise<void> {
    const online = new AbortController();
    const wake = (): void => online.abort();
    globalThis.addEventListener?.('online', wake);
    try {
        await sleep(time, anyOf(signal, online.signal)).catch(() => undefined);
    }
    finally {
        globalThis.removeEventListener?.('online', wake);
        online.abort();
    }
}

/** Milliseconds to wait after a number of failures: 0.5 to 1 s at first, twice as long each time, at most 15 s, with a random part so that clients do not come back all at once. */
export const backoff = (failures: number): number => Math.min(15_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
