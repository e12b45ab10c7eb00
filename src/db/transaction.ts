import type { Knex } from 'knex';

import { INSTANCE } from './connection';
import type { Database } from './connection';
import { retried } from './retry';
import { run, statement } from './statement';

const nameSession = statement(`select set_config('application_name', $1, true)`);

/**
 * A transaction of several statements that belong together, begun again where another one was in the way. While it lasts,
 * PostgreSQL shows the request's trace as its `application_name`, in `pg_stat_activity` and in a log with `%a`.
 */
export function transaction<Result>(db: Database, traceId: string | undefined, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
    // The one around it has the name already, and is begun again as a whole.
    if (db.isTransaction) {
        return db.transaction(work);
    }

    return retried(() => db.transaction(async (trx) => {
        // Not waited for: the work's first statement goes down the connection right behind it.
        const named = traceId === undefined ? undefined : run(trx, nameSession, [`${INSTANCE} ${traceId}`]);
        const [result] = await Promise.all([work(trx), named]);
        return result;
    }));
}
