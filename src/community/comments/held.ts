import { inProject, writing } from '../../database/declaration';
import { run, statement } from '../../database/statements/statement';
import type { Locked } from '../../rules/locked';
import { logAct } from '../moderation/acts';
import { opensComment } from '../reports/fragments';
import { closeThingReports } from '../reports/queue';
import { addStatement } from '../statements/index';

/** Why a comment with a blocked word is held (`BLOCKED_WORDS`), for its author. */
const REASON = 'It has words that are blocked here. A moderator looks at it.';

/** Why a comment is gone, where the moderator who removed it said nothing. A removal that goes into the trash says the same. */
const REMOVED = 'A moderator removed this.';

const open = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, opensComment('$1', '$2'));

/** A comment that is there, and who wrote it. */
interface Written {
    id: string;
    authorId: string;
}

/** Tells the author of a comment, which is held by now, that it waits, and puts it into the queue of moderators. */
export async function askForLook({ trx, id: projectId }: Locked<'project'>, { id, authorId }: Written): Promise<void> {
    const comment = { type: 'comment', projectId, moderatorId: null, reason: REASON } as const;
    await addStatement(trx, { ...comment, userId: authorId, decision: 'hold', thingId: id, facts: 'automatic' });
    await run(trx, open, [projectId, id]);
    await logAct(trx, { ...comment, act: 'hold', id, ownerId: authorId });
}

/** Tells the author of a comment that a moderator removes it of their own accord, and those who have reported it. */
export async function stateRemoval(
    { trx, id: projectId }: Locked<'project'>, { id, authorId }: Written, moderatorId: string
): Promise<void> {
    await addStatement(trx, {
        userId: authorId, decision: 'remove', type: 'comment', thingId: id, projectId, reason: REMOVED, facts: 'own', moderatorId
    });
    await logAct(trx, { moderatorId, act: 'remove', type: 'comment', id, projectId, ownerId: authorId, reason: null });
    await closeThingReports(trx, { projectId, type: 'comment', id }, 'removed', moderatorId);
}
