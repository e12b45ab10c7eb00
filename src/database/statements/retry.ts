import { setTimeout as sleep } from 'node:timers/promises';

import { DatabaseError } from 'pg';

import { mayBeChangedSession } from './pooled-session';

/** SQLSTATEs with which PostgreSQL ends one of two conflicting transactions: serialization failure, deadlock. */
const inTheWay = new Set<string | undefined>(['40001', '40P01']);

/** How many more times the work is tried. */
const TRIES = 3;

/** Maximum milliseconds before the next try; the actual time is random, so that the two do not meet again. */
const PAUSE = 50;

/** Whether PostgreSQL has ended the work because of somebody else, so that it can be tried again. */
const isInTheWay = (error: unknown): boolean => (error instanceof DatabaseError && inTheWay.has(error.code)) || mayBeChangedSession(error);

/**
 * Tries work again if it failed because of another transaction, or of another client of a pooler: PostgreSQL has rolled it back, and no
 * client has seen any of it. The work must only use the database, and be one statement or a whole transaction.
 * @throws the error of the last try
 */
export async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let left = TRIES; ; --left) {
        try {
            return await work();
        }
        catch (error) {
            if (left === 0 || !isInTheWay(error)) {
                throw error;
            }

            await sleep(Math.random() * PAUSE);
        }
    }
}

/** A lookup that is retried: it is in no other transaction's way. */
export const retriedLookup = <Result>(work: () => Promise<Result>): Promise<Result> => work().catch((error: unknown) => {
    if (mayBeChangedSession(error)) {
        return retried(work);
    }

    throw error;
});
