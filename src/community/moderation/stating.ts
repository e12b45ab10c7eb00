import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { addStatement } from '../statements/index';
import type { Rule } from '../statements/rules';

const reportedColumns = {
    /** the reason that most of them name */
    rule: known<Rule | null>('text?'),
    /** when the first one came */
    at: 'timestamp with time zone?'
} as const;

const ofRound = `select r.reason, r.at from reports r where r.project_id = q.project_id and r.round = q.round
    union all select r.reason, r.at from guest_reports r where r.project_id = q.project_id and r.round = q.round`;

const open = statement({ parameters: ['bigint'], row: reportedColumns, place: inProject(1) }, `
    select (select r.reason from (${ofRound}) r group by r.reason
        order by count(*) desc, r.reason limit 1) as rule, (select min(r.at) from (${ofRound}) r) as at
    from report_queue q where q.project_id = $1 and q.open`);

/** The open reports of a project, before a decision closes them; undefined if there are none. */
export const openReports = (trx: Database, projectId: string): Promise<RowOf<typeof reportedColumns> | undefined> =>
    runOne(trx, open, [projectId]);

/**
 * States that a project is held, before its reports are closed. @param moderatorId null if the service does it @param rule that of most
 * reports if it is left out
 */
export async function stateHold(
    trx: Database, { id, ownerId }: { id: string; ownerId: string }, moderatorId: string | null, reason: string, rule?: Rule
): Promise<void> {
    const reported = await openReports(trx, id);
    await addStatement(trx, {
        userId: ownerId, decision: 'hold', type: 'project', thingId: id, projectId: id, rule: rule ?? reported?.rule ?? 'other', reason,
        facts: moderatorId === null ? 'automatic' : reported === undefined ? 'own' : 'report', moderatorId, reportedAt: reported?.at
    });
}
