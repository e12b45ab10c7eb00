import { defined } from '../errors/defined';
/** A queue for long work of one kind, of which a limited number of pieces run at a time, shared fairly between callers. */
export interface WorkQueue {
    /**
     * Runs work when it is its turn.
     * @param caller whose it is; all who name none are one caller
     * @param signal takes the work out of the queue while it waits
     * @throws the reason of the signal, if it is aborted before the work begins
     */
    run<Result>(work: () => Promise<Result>, caller?: string, signal?: AbortSignal): Promise<Result>;
    /** how many waiting pieces new work of this caller would wait for */
    ahead(caller?: string): number;
    /** Milliseconds that new work of this caller would wait, estimated from how long the work before took. */
    wait(caller?: string): number;
}

/** Weight of the newest piece of work in the moving average of durations. */
const NEWEST = 0.1;

/**
 * Runs at most `most` pieces of long work at a time; the others wait. Otherwise they would take all connections of the pool,
 * or all processors, and short reads would wait for one. Callers who wait take turns, one piece each, so one caller's many
 * pieces do not hold up another's first.
 * @param mostOfOne pieces of one caller that run at a time; if it is less than `most`, there is always a place for another caller
 */
export function workQueue(most: number, mostOfOne = most): WorkQueue {
    /** what waits by caller; whose turn is next comes first */
    const waiting: Map<string, (() => void)[]> = new Map();
    /** how many pieces run by caller */
    const running = new Map<string, number>();
    let free = most;
    /** moving average of how long a piece takes, in milliseconds */
    let lasts: number | undefined;

    const mayRun = (caller: string): boolean => free > 0 && (running.get(caller) ?? 0) < mostOfOne;

    const begin = (caller: string): void => {
        --free;
        running.set(caller, (running.get(caller) ?? 0) + 1);
    };

    const end = (caller: string): void => {
        ++free;
        const left = defined(running.get(caller)) - 1;
        if (left === 0) {
            running.delete(caller);
        }
        else {
            running.set(caller, left);
        }
    };

    const waitingOf = (caller: string): (() => void)[] => waiting.get(caller) ?? [];

    /** The pieces of a caller that wait from now on. A caller without any is not kept. */
    const setWaiting = (caller: string, own: (() => void)[]): void => {
        if (own.length > 0) {
            waiting.set(caller, own);
        }
        else {
            waiting.delete(caller);
        }
    };

    const beginNext = (): void => {
        for (const [caller, [next, ...others]] of waiting) {
            if (mayRun(caller)) {
                // Behind all others again.
                waiting.delete(caller);
                setWaiting(caller, others);
                begin(caller);
                next?.();
                return;
            }
        }
    };

    const untilTurn = (caller: string, signal: AbortSignal | undefined): Promise<void> => new Promise((resolve, reject) => {
        const next = (): void => {
            signal?.removeEventListener('abort', leave);
            resolve();
        };

        const leave = (): void => {
            setWaiting(caller, waitingOf(caller).filter((other) => other !== next));
            reject(signal?.reason);
        };

        signal?.addEventListener('abort', leave, { once: true });
        setWaiting(caller, [...waitingOf(caller), next]);
    });

    /** If this caller's new piece is their n-th, up to n pieces of each caller go first. */
    const ahead = (caller = ''): number => {
        const turn = waitingOf(caller).length + 1;
        return [...waiting.values()].reduce((sum, { length }) => sum + Math.min(length, turn), 0);
    };

    return {
        run: async (work, caller = '', signal) => {
            signal?.throwIfAborted();
            if (mayRun(caller)) {
                begin(caller);
            }
            else {
                await untilTurn(caller, signal);
            }

            const began = performance.now();
            try {
                return await work();
            }
            finally {
                const lasted = performance.now() - began;
                lasts = lasts === undefined ? lasted : lasts + NEWEST * (lasted - lasts);
                end(caller);
                beginNext();
            }
        },
        ahead,
        wait: (caller = '') => Math.max(ahead(caller) / most, waitingOf(caller).length / mostOfOne) * (lasts ?? 0)
    };
}

/** How many pieces of long work of one kind may run on a pool of connections: a fifth of it, at least 1. */
export const shareOf = (pool: number): number => Math.max(1, Math.floor(pool / 5));
