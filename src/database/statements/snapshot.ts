import type { Knex } from 'knex';

import type { Database } from './connection';
import { endWith, run } from './statement';
import type { Statement } from './statement';

/** Runs a statement that only reads. @throws as `run` does */
export type Read = <Row extends object>(sql: Statement<Row>, values: unknown[]) => Promise<Row[]>;

/** Reads the present state each time. */
export function readNow(db: Database): Read {
    return (sql, values) => run(db, sql, values);
}

/** Reads one state of the database in several statements. @param signal ends them */
export function inSnapshot<Result>(db: Knex, work: (trx: Database) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return db.transaction((trx) => {
        endWith(trx, signal);
        return work(trx);
    }, { isolationLevel: 'repeatable read', readOnly: true });
}

/** Runs a generator that reads again and again. */
export type Snapshots = <Item>(work: (read: Read) => AsyncGenerator<Item>) => AsyncGenerator<Item>;

/**
 * Lets generators see one state of the database in all that they read. That takes a connection, so it lasts for `milliseconds` at most, and
 * for `most` generators at a time. After that, or if there are more, they read the present state: they have to check that nothing has
 * changed. So a slow reader of the items never holds a connection for long.
 */
export function snapshots(db: Knex, most: number, milliseconds = 10_000): Snapshots {
    let kept = 0;

    return async function* (work) {
        if (kept >= most) {
            yield* work(readNow(db));
            return;
        }

        ++kept;
        const trx = await db.transaction({ isolationLevel: 'repeatable read', readOnly: true }).catch((error: unknown) => {
            --kept;
            throw error;
        });

        let isOpen = true;
        const end = async (): Promise<void> => {
            if (isOpen) {
                isOpen = false;
                --kept;
                // It has written nothing. If its connection is lost, reading says so.
                await trx.commit().catch(() => undefined);
            }
        };

        const timer = setTimeout(() => void end(), milliseconds);
        try {
            yield* work((sql, values) => run(isOpen ? trx : db, sql, values));
        }
        finally {
            clearTimeout(timer);
            await end();
        }
    };
}
