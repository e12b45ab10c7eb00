/** Long work of one kind, of which so much runs at a time. */
export interface Turns {
    /** Does work when it is its turn. */
    take<Result>(work: () => Promise<Result>): Promise<Result>;
    /** how many wait */
    waiting(): number;
    /** Milliseconds that whoever came now would wait, going by how long the work before took. */
    wait(): number;
}

/** The share that the last piece of work has in what one is taken to last. */
const SHARE = 0.1;

/**
 * Lets so many pieces of long work run at a time, and the others wait in order: they would hold the pool's
 * connections, or the processors, and have whoever only reads wait for one.
 */
export function turns(most: number): Turns {
    const waiting: (() => void)[] = [];
    let free = most;
    /** milliseconds that a piece lasts, lately */
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

/** How much long work of one kind a pool of connections can take: a fifth of it. */
export const shareOf = (pool: number): number => Math.max(1, Math.floor(pool / 5));
