import { inOneShard, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { insertNotices } from '../notices/fragments';

/** Most reporters who are told of one decision: the newest. */
export const MAX_TOLD_REPORTERS = 100;

// It names no project: who has reported one is told also if nobody reads it any more.
const insert = statement({
    parameters: ['bigint[]'], place: writing(inOneShard)
}, `
    ${insertNotices} select 0, r.id, 'decision', null, null from unnest($1::bigint[]) r (id)`);

/** Tells reporters that a moderator has decided, as a part of the transaction that does so. */
export async function tellReporters(trx: Database, reporters: readonly string[]): Promise<void> {
    if (reporters.length > 0) {
        await run(trx, insert, [reporters]);
    }
}
