import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { fromLiveProject } from '../../projects/fragments';
import { existing } from '../../rules/existing';
import { fromCommentOf, holdsComment, isHeldComment, isPresentComment, releasesComment, removesComment } from '../comments/fragments';
import { noteDecision, noteEnd, noteKept } from '../moderation/decisions';
import type { Why } from '../moderation/decisions';
import { AUTOMATIC_REASON } from '../moderation/holds';
import type { ReasonedDecision } from './input';

/** The comment that a moderator decides about. */
const columns = { id: 'bigint', projectId: 'bigint', authorId: 'bigint', isHeld: 'boolean' } as const;
export type ModeratedComment = RowOf<typeof columns>;

const lockProject = statement({ parameters: ['bigint'], row: { id: 'bigint' }, place: writing(inProject(1)) }, `
    select p.id ${fromLiveProject('$1')} for no key update`);

// One whose author is gone for good is removed.
const lock = statement({ parameters: ['bigint', 'bigint'], row: columns, place: writing(inProject(1)) }, `
    select k.id, k.project_id as "projectId", coalesce(k.user_id, 0) as "authorId", ${isHeldComment} as "isHeld"
    ${fromCommentOf('$1', '$2')} and ${isPresentComment} for no key update`);

/**
 * Locks a comment, after its project, as whoever changes comments does: streams read them in the order in which they were changed.
 * @throws 404 if there is none, or it was removed
 */
export async function lockComment(trx: Database, projectId: string, id: string): Promise<ModeratedComment> {
    return existing(await runOne(trx, lockProject, [projectId]) && await runOne(trx, lock, [projectId, id]), 'comment');
}

const ids = { parameters: ['bigint', 'bigint'], place: writing(inProject(1)) } as const;
const writes = { hold: statement(ids, holdsComment('$1', '$2')), remove: statement(ids, removesComment('$1', '$2')) } as const;
const release = statement(ids, releasesComment('$1', '$2'));

/** Holds or removes a comment, and says why to its author and in the log. */
async function decide(trx: Database, decision: 'hold' | 'remove', comment: ModeratedComment, why: Why): Promise<void> {
    const { id, projectId, authorId } = comment;
    await run(trx, writes[decision], [projectId, id]);
    await noteDecision(trx, { userId: authorId, decision, type: 'comment', thingId: id, projectId, ...why });
}

/** Hides what a comment says from others, until a moderator releases it. */
export const holdComment = (trx: Database, comment: ModeratedComment, why: ReasonedDecision): Promise<void> => {
    return decide(trx, 'hold', comment, { ...why, facts: 'report' });
};

/** Holds a comment because people of standing have reported it (HOLD_AFTER), until a moderator decides about the reports. */
export const holdCommentAutomatically = (trx: Database, comment: ModeratedComment): Promise<void> => {
    return decide(trx, 'hold', comment, { reason: AUTOMATIC_REASON, facts: 'automatic', moderatorId: null });
};

/** Removes a comment; its place in the thread stays. */
export const removeComment = (trx: Database, comment: ModeratedComment, why: ReasonedDecision): Promise<void> => {
    return decide(trx, 'remove', comment, { ...why, facts: 'report' });
};

/** Leaves a comment as it is, or shows it again if it was held. */
export async function keepComment(trx: Database, comment: ModeratedComment, why: ReasonedDecision): Promise<void> {
    const { id, projectId, authorId: ownerId, isHeld: isReleased } = comment;
    if (isReleased) {
        const { moderatorId, reason } = why;
        await noteEnd(trx, { decision: 'hold', type: 'comment', thingId: id, projectId, moderatorId }, ownerId, reason);
        await run(trx, release, [projectId, id]);
    }

    await noteKept(trx, { type: 'comment', id, projectId, ownerId }, why, isReleased);
}
