import { notFound } from '../../api/errors/errors';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { fromLiveProject } from '../../projects/fragments';
import { fromCommentOf, holdsComment, isHeldComment, isPresentComment, releasesComment, removesComment } from '../comments/fragments';
import { logAct } from '../moderation/acts';
import { AUTOMATIC_REASON } from '../moderation/holds';
import { addStatement, countKept, endStatements } from '../statements/index';
import type { Stated } from '../statements/making';
import type { ReasonedDecision } from './input';

/** The comment that a moderator decides about. */
const columns = { id: 'bigint', projectId: 'bigint', authorId: 'bigint', isHeld: 'boolean' } as const;
export type ModeratedComment = RowOf<typeof columns>;

// One whose author is gone for good is removed.
const lock = statement({ parameters: ['bigint', 'bigint'], row: columns, place: writing(inProject(1)) }, `
    select k.id, k.project_id as "projectId", coalesce(k.user_id, 0) as "authorId", ${isHeldComment} as "isHeld"
        ${fromCommentOf('$1', '$2')} and ${isPresentComment} and exists (select ${fromLiveProject('$1')}) for no key update`);

/** Locks a comment. @throws 404 if there is none, or it was removed */
export async function lockComment(trx: Database, projectId: string, id: string): Promise<ModeratedComment> {
    const found = await runOne(trx, lock, [projectId, id]);
    if (found === undefined) {
        throw notFound('comment');
    }

    return found;
}

const hold = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, holdsComment('$1', '$2'));
const release = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, releasesComment('$1', '$2'));
const remove = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, removesComment('$1', '$2'));

/** Writes a decision about a comment into the log. */
const log = (
    trx: Database, act: 'hold' | 'keep' | 'release' | 'remove', { id, projectId, authorId }: ModeratedComment, moderatorId: string | null,
    reason: string
): Promise<void> => {
    return logAct(trx, { moderatorId, act, type: 'comment', id, projectId, ownerId: authorId, reason });
};

/** States a decision about a comment. */
const state = async (
    trx: Database, decision: 'hold' | 'remove', comment: ModeratedComment,
    why: Pick<Stated, 'facts' | 'moderatorId' | 'reason' | 'reportedAt' | 'rule'>
): Promise<void> => {
    const { id, projectId, authorId } = comment;
    await addStatement(trx, { userId: authorId, decision, type: 'comment', thingId: id, projectId, ...why });
};

/** Hides what a comment says from others, until a moderator releases it. */
export async function holdComment(trx: Database, comment: ModeratedComment, why: ReasonedDecision): Promise<void> {
    const { moderatorId, reason } = why;
    await run(trx, hold, [comment.projectId, comment.id]);
    await state(trx, 'hold', comment, { ...why, facts: 'report' });
    await log(trx, 'hold', comment, moderatorId, reason);
}

/** Holds a comment because people of standing have reported it (HOLD_AFTER), until a moderator decides about the reports. */
export async function holdCommentAutomatically(trx: Database, comment: ModeratedComment): Promise<void> {
    await run(trx, hold, [comment.projectId, comment.id]);
    await state(trx, 'hold', comment, { reason: AUTOMATIC_REASON, facts: 'automatic', moderatorId: null });
    await log(trx, 'hold', comment, null, AUTOMATIC_REASON);
}

/** Removes a comment; its place in the thread stays. */
export async function removeComment(trx: Database, comment: ModeratedComment, why: ReasonedDecision): Promise<void> {
    const { moderatorId, reason } = why;
    await run(trx, remove, [comment.projectId, comment.id]);
    await state(trx, 'remove', comment, { ...why, facts: 'report' });
    await log(trx, 'remove', comment, moderatorId, reason);
}

/** Leaves a comment as it is, or shows it again if it was held. */
export async function keepComment(
    trx: Database, comment: ModeratedComment, { moderatorId, reason, reportedAt }: ReasonedDecision
): Promise<void> {
    const { id, projectId } = comment;
    if (comment.isHeld) {
        await endStatements(trx, { decision: 'hold', type: 'comment', thingId: id, projectId, moderatorId });
        await run(trx, release, [projectId, id]);
    }

    await countKept(trx, projectId, 'comment', reportedAt);

    await log(trx, comment.isHeld ? 'release' : 'keep', comment, moderatorId, reason);
}
