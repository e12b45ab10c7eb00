import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { MAX_TOLD_REPORTERS, tellReporters } from '../reporters/tell';
import type { Decision } from './schema';

const close = statement({
    parameters: ['bigint', 'integer', 'text', 'bigint'], row: { reporters: 'bigint[]' }, place: writing(inProject(1))
}, `
    update report_queue q set open = false, count = 0, round = q.round + 1, decided_revision = $2, outcomes[q.round + 1] = $3
        where q.project_id = $1
    returning array(select r.user_id from reports r where r.project_id = q.project_id and r.round = q.round - 1 and r.user_id <> $4
        order by r.at desc, r.user_id limit ${MAX_TOLD_REPORTERS}) as reporters`);

/**
 * Closes the reports of a project, if there are any, and tells those who have sent them. `revision` is that of the project at the decision.
 */
export async function closeReports(
    trx: Database, { id, revision }: { id: string; revision: number }, outcome: Decision, moderatorId: string
): Promise<void> {
    const closed = await runOne(trx, close, [id, revision, outcome, moderatorId]);
    await tellReporters(trx, closed?.reporters ?? []);
}
