import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { outageOf } from '../../database/statements/outage';
import { isReadOnly } from '../../database/statements/read-only';

/** Milliseconds between two looks. */
const EVERY = 5000;

type State = 'usable' | 'read-only' | 'away';

const words: Readonly<Record<State, string>> = {
    usable: 'the database takes reads and writes again',
    'read-only': 'the database is read-only: writes get 503 (database_read_only), and /ready too',
    away: 'the database cannot be used'
};

/**
 * Logs when the database becomes read-only, cannot be used, or is back, also while nobody sends requests, and shows that in metrics.
 * @returns a function that ends it
 */
export function watchDatabase(db: Knex, logger: Pick<Logger, 'warn'>, registry: Registry | undefined, every = EVERY): () => Promise<void> {
    let state: State = 'usable';
    let looking: Promise<void> | undefined;
    const enter = (next: State, why: string): void => {
        if (next !== state) {
            state = next;
            logger.warn(why === '' ? words[next] : `${words[next]}: ${why}`);
        }
    };

    const look = async (): Promise<void> => {
        try {
            enter(await isReadOnly(db) ? 'read-only' : 'usable', '');
        }
        catch (error) {
            enter('away', outageOf(error)?.words ?? String(error));
        }
    };

    const timer = setInterval(() => {
        looking ??= look().finally(() => {
            looking = undefined;
        });
    }, every).unref();
    if (registry !== undefined) {
        const gauge = (name: string, help: string, shown: State): Gauge => new Gauge({
            name, help, registers: [registry], aggregator: 'max', collect() {
                this.set(Number(state === shown));
            }
        });
        gauge('pagewright_database_read_only', 'Whether the database takes no writes: 1 or 0.', 'read-only');
        gauge('pagewright_database_away', 'Whether the database cannot be used at all: 1 or 0.', 'away');
    }

    return async () => {
        clearInterval(timer);
        await looking;
    };
}
