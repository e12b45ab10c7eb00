/** A queue for long work of one kind, of which a limited number of pieces run at a time. */
export interface Turns {
    /** Runs work when it is its turn. */
    take<Result>(work: () => Promise<Result>): Promise<Result>;
    /** how many pieces are waiting */
    waiting(): number;
    /** Milliseconds that new work would wait, estimated from how long the work before took. */
    wait(): number;
}

/** Weight of the newest piece of work in the moving average of durations. */
const SHARE = 0.1;

/**
 * Runs at most `most` pieces of long work at a time; the others wait in order. Otherwise they would take all connections of the
 * pool, or all processors, and short reads would wait for one.
 */
export function turns(most: number): Turns {
    const waiting: (() => void)[] = [];
    let free = most;
    /** moving average of how long a piece takes, in milliseconds */
    let lasts: number | undefined;

    return {
        take: async (work) => {
            if (free > 0) {
                --free;
            }
            else {
                await new Promise<void>((resolve) => {
                    waiting.push(resolve);
                });
            }

            const began = performance.now();
            try {
                return await work();
            }
            finally {
                const lasted = performance.now() - began;
                lasts = lasts === undefined ? lasted : lasts + SHARE * (lasted - lasts);
                const next = waiting.shift();
                if (next === undefined) {
                    ++free;
                }
                else {
                    next();
                }
            }
        },
        waiting: () => waiting.length,
        wait: () => waiting.length * (lasts ?? 0) / most
    };
}

/** How many pieces of long work of one kind may run on a pool of connections: a fifth of it, at least 1. */
export const shareOf = (pool: number): number => Math.max(1, Math.floor(pool / 5));
