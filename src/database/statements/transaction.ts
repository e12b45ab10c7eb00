import type { Knex } from 'knex';

import { INSTANCE } from './connection';
import type { Database } from './connection';
import { retried } from './retry';
import { endWith, run, signalOfTransaction, statement } from './statement';

const nameSession = statement({ parameters: ['text'], row: { set_config: 'text' } }, `select set_config('application_name', $1, true)`);

/**
 * Runs several statements as one transaction, and tries again after a deadlock or serialization failure. Meanwhile PostgreSQL shows the
 * request's trace id in `application_name`: in `pg_stat_activity`, and in its log with `%a`.
 * @param signal ends it, with the statement that is running
 */
export function transaction<Result>(db: Database, traceId: string | undefined, work: (trx: Knex.Transaction) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    // The outer transaction has the name already, and is tried again as a whole.
    if (db.isTransaction) {
        return db.transaction((inner) => {
            endWith(inner, signal ?? signalOfTransaction(db));
            return work(inner);
        });
    }

    return retried(() => db.transaction(async (trx) => {
        endWith(trx, signal);
        // Not awaited: the first statement of the work is sent right behind it.
        const named = traceId === undefined ? undefined : run(trx, nameSession, [`${INSTANCE} ${traceId}`]);
        const [result] = await Promise.all([work(trx), named]);
        return result;
    }));
}
