import { fromActiveUser } from '../../accounts/users/fragments';
import { inAllShards } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { fromQueuedReports } from '../moderation/fragments';
import { fromQueuedThingReports } from '../reports/fragments';

/*
 * Whose reports count for `HOLD_AFTER`: people whose account is some days old and managed by no class, and of whose reports moderators have
 * followed at least half. Who has sent none that was decided does not count, so that accounts which were made for a storm never do.
 */

/** Days that such an account is old; and how many of its newest reports are looked at, of projects and of others each. */
export const STANDING_DAYS = 7;
const STANDING_REPORTS = 100;

const settled = statement({
    parameters: ['bigint'], row: { id: 'bigint' }
}, `
    select u.id ${fromActiveUser('$1')} and u.publish is null and u.created_at <= now() - interval '${STANDING_DAYS} days'`);

const newest = `where r.user_id = $1 order by r.at desc limit ${STANDING_REPORTS}`;

const decided = statement({
    parameters: ['bigint'], row: { decided: 'integer', followed: 'integer' }, place: inAllShards({ kind: 'sum' })
}, `
    select count(*)::int as decided, (count(*) filter (where s.outcome <> 'kept'))::int as followed from (
        (select q.outcomes[r.round + 1] as outcome ${fromQueuedReports} ${newest}) union all
        (select q.outcomes[r.round + 1] ${fromQueuedThingReports} ${newest})
    ) s where s.outcome is not null`);

/** Whether the reports of a user count for `HOLD_AFTER`. */
export async function isOfStanding(trx: Database, userId: string): Promise<boolean> {
    if (await runOne(trx, settled, [userId]) === undefined) {
        return false;
    }

    const { decided: all, followed } = await runAlways(trx, decided, [userId]);
    return all > 0 && followed * 2 >= all;
}
