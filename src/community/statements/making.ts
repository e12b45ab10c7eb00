import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, statement } from '../../database/statements/statement';
import type { Decision, Facts, StatedType } from './json';
import type { Rule } from '../report-reasons';

/** A decision about something that a person made, or about the person. */
export interface Stated {
    /** whom it concerns */
    userId: string;
    decision: Decision;
    type: Exclude<StatedType, 'picture'>;
    thingId: string;
    /** the project that it is, or is in; null for a user */
    projectId: string | null;
    rule?: Rule;
    /** null if the moderator who removed it said nothing */
    reason: string | null;
    facts: Facts;
    /** null if an operator or the service decided */
    moderatorId: string | null;
    /** when it ends */
    until?: string;
    /** when the first of the reports came that led to it, if any did */
    reportedAt?: Date | null;
}

const add = statement({
    parameters: [
        'bigint', 'bigint', 'text', 'text', 'bigint', 'text', 'text', 'text', 'bigint', 'timestamp with time zone',
        'timestamp with time zone'
    ], row: { id: 'text' }, place: writing(inProject(1))
}, 'select add_statement($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)::text as id');

/** The reason of a removal without one. That of what goes into the trash is the same. */
const REMOVED = 'A moderator removed this.';

/**
 * States a decision, and tells the person, in the transaction that does what it says. One about the same before it has no effect any more.
 * Removals by moderators that go into the trash are stated by a trigger.
 * @returns the id of the statement
 */
export async function addStatement(
    trx: Database,
    { userId, decision, type, thingId, projectId, rule = 'other', reason, facts, moderatorId, until, reportedAt = null }: Stated
): Promise<string> {
    return (await runAlways(
        trx, add, [projectId ?? '0', userId, decision, type, thingId, rule, reason ?? REMOVED, facts, moderatorId, until ?? null, reportedAt]
    )).id;
}

/** A decision about a picture. */
export interface StatedPicture {
    /** its SHA-256 */
    picture: string;
    /** who has sent it */
    senders: readonly string[];
    /** kept from others, or gone and refused */
    decision: 'hold' | 'remove';
    reason: string;
    /** null if the service decided */
    moderatorId: string | null;
}

// Of a picture that was removed nobody is the sender any more: whom that was stated to is told a new reason.
const addPicture = statement({ parameters: ['bigint', 'bigint[]', 'text', 'text', 'text', 'text', 'bigint'], place: writing(inProject(1)) }, `
    select add_statement($1, u.id, $4, 'picture', u.id, 'other', $5, $6, $7, null, null, $3) from (
        select unnest($2::bigint[]) as id union select s.user_id from statements s
        where s.project_id = $1 and s.picture = $3 and $4 = 'remove' and s.decision = $4 and s.ended_at is null) u order by u.id`);

/** States a decision about a picture to all who have sent it, and tells them, in the transaction that does what it says. */
export async function statePicture(trx: Database, { picture, senders, decision, reason, moderatorId }: StatedPicture): Promise<void> {
    await run(trx, addPicture, ['0', senders, picture, decision, reason, moderatorId === null ? 'automatic' : 'own', moderatorId]);
}

const explain = statement({ parameters: ['bigint', 'text', 'bigint', 'text', 'timestamp with time zone'], place: writing(inProject(1)) }, `
    with s as (update statements set rule = $4, facts = 'report'
        where project_id = $1 and type = $2 and thing_id = $3 and decision = 'remove' and ended_at is null)
    update moderation_counts set hours = ceil(extract(epoch from now() - $5::timestamptz) / 3600)::integer
    where project_id = $1 and id = (select max(c.id) from moderation_counts c where c.project_id = $1 and c.act = 'remove')`);

/** Says of a removal, which was stated just now, that it came of reports. */
export async function explainRemoval(
    trx: Database, { projectId, type, thingId }: { projectId: string; type: StatedType; thingId: string }, rule: Rule,
    reportedAt: Date | null
): Promise<void> {
    await run(trx, explain, [projectId, type, thingId, rule, reportedAt]);
}

/** A decision that is taken back. */
export interface TakenBack {
    decision: Decision;
    type: StatedType;
    /** null for a picture */
    thingId: string | null;
    /** the project that it is, or is in; null for a user or a picture */
    projectId: string | null;
    /** the SHA-256 of a picture */
    picture?: string | null;
    /** null for an operator */
    moderatorId: string | null;
}

const end = statement({
    parameters: ['bigint', 'text', 'text', 'bigint', 'bigint', 'text'], place: writing(inProject(1))
}, 'select end_statements($1, $2, $3, $4, $5, $6)');

/**
 * Ends what was stated about something, in the transaction that takes it back; an open appeal is thereby decided, and the person is told.
 * What comes back from the trash is ended by a trigger.
 * @throws 403 `own_decision` if the moderator is a person concerned; or decided it themselves, the person has appealed, and there is
 * another moderator
 */
export async function endStatements(trx: Database, { decision, type, thingId, projectId, picture = null, moderatorId }: TakenBack): Promise<void> {
    await run(trx, end, [projectId ?? '0', decision, type, thingId, moderatorId, picture]);
}

const kept = statement({ parameters: ['bigint', 'text', 'timestamp with time zone'], place: writing(inProject(1)) }, `
    insert into moderation_counts (project_id, kind, act, hours)
        values ($1, $2, 'kept', ceil(extract(epoch from now() - $3::timestamptz) / 3600)::integer)`);

/** Counts for the summary that a moderator left something as it is. */
export async function countKept(
    trx: Database, projectId: string | null, kind: 'project' | 'comment' | 'user', reportedAt: Date | null
): Promise<void> {
    await run(trx, kept, [projectId ?? '0', kind, reportedAt]);
}
