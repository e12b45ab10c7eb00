import { LRUCache } from 'lru-cache';

import type { Turn } from './work-queue';

/** How many times as long as a stopped task took its account waits, and the most milliseconds of that; and all others at its address, as accounts cost little to open. */
const ACCOUNT = { times: 4, most: 300_000 };
const ADDRESS = { times: 1, most: 10_000 };

/** Callers that are remembered. */
const MOST = 10_000;

/** Waits of callers whose tasks took too long and were stopped. */
export interface Debts {
    /** @param took milliseconds until it was stopped */
    add(turn: Turn, took: number): void;
    /** Milliseconds that this caller has to wait from now on. */
    of(turn: Turn): number;
}

/** Work of the service itself, whose turn is a name alone, has to wait for nothing. @param now milliseconds of a clock that never goes back */
export function debts(now = (): number => performance.now()): Debts {
    const until = new LRUCache<string, number>({ max: MOST });

    const keysOf = (turn: Turn): [key: string, rule: typeof ACCOUNT][] => {
        const [address = '', ...rest] = typeof turn === 'string' ? [] : turn;
        return address === '' ? [] : [[address, ADDRESS], [JSON.stringify([address, ...rest]), ACCOUNT]];
    };

    const left = (key: string): number => Math.max(0, (until.get(key) ?? 0) - now());

    return {
        add: (turn, took) => {
            for (const [key, { times, most }] of keysOf(turn)) {
                until.set(key, now() + Math.min(left(key) + times * took, most));
            }
        },
        of: (turn) => Math.max(0, ...keysOf(turn).map(([key]) => left(key)))
    };
}
