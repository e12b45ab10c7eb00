import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { deleteProject } from '../../projects/queries';
import type { Writer } from '../../rules/access';
import type { Rule } from '../report-reasons';
import { addStatement, countKept, endStatements, explainRemoval, statePicture } from '../statements';
import type { Stated, StatedPicture, TakenBack } from '../statements/making';
import { logAct } from './acts';
import type { LogEntry } from './acts';

/*
 * Decisions of moderators and of the service: a statement for whom it concerns, and a line of the log, in the transaction that does what
 * they say. Removals that go into the trash, and what comes back from there, have triggers for both.
 */

/** Who decided something, and why. */
export type Why = Pick<Stated, 'facts' | 'moderatorId' | 'reason' | 'reportedAt' | 'rule'>;

/** States a decision, and logs it. */
export async function noteDecision(trx: Database, stated: Stated): Promise<void> {
    const { decision: act, type, thingId: id, projectId, userId: ownerId, moderatorId, reason } = stated;
    await addStatement(trx, stated);
    await logAct(trx, { moderatorId, act, type, id, projectId, ownerId, reason });
}

const ends = { hold: 'release', suspend: 'unsuspend' } as const;

/** Ends what was stated about something, and logs that. @throws 403 `own_decision` as `endStatements` does */
export async function noteEnd(
    trx: Database, ended: TakenBack & Pick<Stated, 'thingId' | 'type'> & { decision: keyof typeof ends },
    ownerId: string, reason: string | null
): Promise<void> {
    const { decision, type, thingId: id, projectId, moderatorId } = ended;
    await endStatements(trx, ended);
    await logAct(trx, { moderatorId, act: ends[decision], type, id, projectId, ownerId, reason });
}

/** Counts that a moderator left something as it is, and logs it. @param isReleased whether the end of its hold is in the log */
export async function noteKept(
    trx: Database, kept: Pick<LogEntry, 'id' | 'ownerId' | 'projectId'> & { type: 'project' | 'comment' | 'user' },
    { moderatorId, reason, reportedAt }: { moderatorId: string; reason: string; reportedAt: Date | null }, isReleased = false
): Promise<void> {
    await countKept(trx, kept.projectId, kept.type, reportedAt);
    await (isReleased || logAct(trx, { moderatorId, act: 'keep', reason, ...kept }));
}

/** Most characters of a reason in the log. */
const MAX_LOGGED = 1000;

/** The reason of a line about a picture, with its hash, as a picture has no id. */
export const reasonOf = (picture: string, why: string | undefined): string =>
    [...why === undefined ? picture : `${picture}: ${why}`].slice(0, MAX_LOGGED).join('');

const logPicture = (trx: Database, act: 'block_picture' | 'unblock_picture', moderatorId: string | null, ofUser: string, reason: string): Promise<void> =>
    logAct(trx, { moderatorId, act, type: 'user', id: ofUser, projectId: null, ownerId: ofUser, reason });

/** States a decision about a picture to all who have sent it, and logs it: it is of no project, so the line is about the moderator, or about who sent it first if the service decided. */
export async function noteDecisionOnPicture(trx: Database, stated: StatedPicture): Promise<void> {
    const { picture, senders: [first], moderatorId, reason } = stated;
    const about = moderatorId ?? first;
    await statePicture(trx, stated);
    await (about === undefined || logPicture(trx, 'block_picture', moderatorId, about, reasonOf(picture, reason)));
}

/** Ends what was stated about a picture, and logs that. @throws 403 `own_decision` as `endStatements` does, also to any who have sent it */
export async function noteEndOnPicture(
    trx: Database, { picture, decision, moderatorId }: Pick<StatedPicture, 'picture' | 'decision'> & { moderatorId: string }, why: string | undefined
): Promise<void> {
    await endStatements(trx, { decision, type: 'picture', thingId: null, projectId: null, picture, moderatorId });
    await logPicture(trx, 'unblock_picture', moderatorId, moderatorId, reasonOf(picture, why));
}

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

type Reported = RowOf<typeof reportedColumns>;

/** The open reports of a project, before a decision closes them; undefined if there are none. */
export const openReports = (trx: Database, id: string): Promise<Reported | undefined> => runOne(trx, open, [id]);

/**
 * States and logs that a project is held, before its reports are closed. @param moderatorId null if the service does it
 * @param rule that of most reports if it is left out
 */
export async function stateHold(
    trx: Database, { id, ownerId }: { id: string; ownerId: string }, moderatorId: string | null, reason: string, rule?: Rule
): Promise<void> {
    const reported = await openReports(trx, id);
    await noteDecision(trx, {
        userId: ownerId, decision: 'hold', type: 'project', thingId: id, projectId: id, rule: rule ?? reported?.rule ?? 'other', reason,
        facts: moderatorId === null ? 'automatic' : reported === undefined ? 'own' : 'report', moderatorId, reportedAt: reported?.at
    });
}

// The trigger that logs removals reads it.
const giveReason = statement({ parameters: ['text'], row: { set_config: 'text' } }, `select set_config('pagewright.reason', $1, true)`);

/** Removes a project because of its reports, which are closed by now. Triggers state and log it. */
export async function removeReported(
    trx: Database, { id, ownerId }: { id: string; ownerId: string }, writer: Writer, reason: string, { rule, at = null }: Partial<Reported>
): Promise<void> {
    await run(trx, giveReason, [reason]);
    await deleteProject(trx, [ownerId, id], writer);
    await explainRemoval(trx, { projectId: id, type: 'project', thingId: id }, rule ?? 'other', at);
}
