import { setTimeout as sleep } from 'node:timers/promises';

import { DatabaseError } from 'pg';

/** What PostgreSQL ends one of two transactions with that cannot both go on: a serialization failure, a deadlock. */
const inTheWay = new Set<string | undefined>(['40001', '40P01']);

/** Further tries. */
const TRIES = 3;

/** Milliseconds before another try, at most: by chance, or two that met would meet again. */
const PAUSE = 50;

/**
 * Does work again that another transaction was in the way of: PostgreSQL has undone all of it, and nobody was told of any.
 * The work must do nothing but ask the database, and either be one statement or a whole transaction.
 * @throws what the last try threw
 */
export async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let left = TRIES; ; --left) {
        try {
            return await work();
        }
        catch (error) {
            if (left === 0 || !(error instanceof DatabaseError && inTheWay.has(error.code))) {
                throw error;
            }

            await sleep(Math.random() * PAUSE);
        }
    }
}
