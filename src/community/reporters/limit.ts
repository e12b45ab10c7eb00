import { faultWith } from '../../api/errors/errors';
import { inAllShards } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { MAX_REPORTS_A_DAY } from '../../limits';
import { fromReports } from '../moderation/fragments';
import { fromThingReports } from '../reports/fragments';

const sentLately = statement({ parameters: ['bigint'], row: { wait: 'integer' }, place: inAllShards() }, `
    select ceil(extract(epoch from s.at + interval '1 day' - now()))::int as wait
    from (select r.at ${fromReports} where r.user_id = $1 union all select r.at ${fromThingReports} where r.user_id = $1) s
        where s.at > now() - interval '1 day'`);

/**
 * Refuses one more report of a user who has sent too many, of projects, comments and people together. The caller has locked the user.
 * @throws 429
 */
export async function checkReportLimit(trx: Database, userId: string): Promise<void> {
    const sent = await run(trx, sentLately, [userId]);
    if (sent.length >= MAX_REPORTS_A_DAY) {
        const wait = Math.min(...sent.map((report) => report.wait));
        throw faultWith('rate_limited', [wait], { retryAfter: wait });
    }
}
