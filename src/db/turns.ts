/**
 * Lets so many pieces of long work run at a time, and the others wait in order: they would hold the pool's connections,
 * and have whoever only reads wait for one.
 */
export function turns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
    const waiting: (() => void)[] = [];
    let free = most;

    return async (work) => {
        if (free > 0) {
            --free;
        }
        else {
            await new Promise<void>((resolve) => {
                waiting.push(resolve);
            });
        }

        try {
            return await work();
        }
        finally {
            const next = waiting.shift();
            if (next === undefined) {
                ++free;
            }
            else {
                next();
            }
        }
    };
}

/** How much long work of one kind a pool of connections can take: a fifth of it. */
export const shareOf = (pool: number): number => Math.max(1, Math.floor(pool / 5));
