import type { Knex } from 'knex';

import { run, statement } from '../statements/statement';
import type { Statement } from '../statements/statement';
import { transaction } from '../statements/transaction';

/** A statement that returns a row if nobody else has the lock, which ends with the transaction. */
type Lock = Statement<{ claimed: boolean }>;

/** A lock of the transaction, not of its connection, which a pooler may give to others. @param key a number of its own */
export const exclusiveLock = (key: number): Lock => statement({ row: { claimed: 'boolean' } }, `
    select true as claimed where pg_try_advisory_xact_lock(${key})`);

/** Does something in a transaction, unless another instance does it at the moment. @returns undefined if another one does */
export function exclusively<Result>(db: Knex, lock: Lock, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result | undefined> {
    return transaction(db, undefined, async (trx) => ((await run(trx, lock, [])).length === 0 ? undefined : work(trx)));
}
