import { inProject, writing } from '../../database/declaration';
import { run, statement } from '../../database/statements/statement';
import type { Locked } from '../../rules/locked';
import { noteDecision } from '../moderation/decisions';
import { opensComment } from '../reports/fragments';
import { closeThingReports } from '../reports/queue';

/** Why a comment with a blocked word is held (`BLOCKED_WORDS`), for its author. */
const REASON = 'It has words that are blocked here. A moderator looks at it.';

const open = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, opensComment('$1', '$2'));

/** A comment that is there, and who wrote it. */
interface Written {
    id: string;
    authorId: string;
}

/** Tells the author of a comment, which is held by now, that it waits, and puts it into the queue of moderators. */
export async function askForLook({ trx, id: projectId }: Locked<'project'>, { id, authorId }: Written): Promise<void> {
    await noteDecision(trx, {
        userId: authorId, decision: 'hold', type: 'comment', thingId: id, projectId, reason: REASON, facts: 'automatic', moderatorId: null
    });
    await run(trx, open, [projectId, id]);
}

/** Tells the author of a comment that a moderator removes it of their own accord, and those who have reported it. */
export async function stateRemoval(
    { trx, id: projectId }: Locked<'project'>, { id, authorId }: Written, moderatorId: string
): Promise<void> {
    await noteDecision(trx, {
        userId: authorId, decision: 'remove', type: 'comment', thingId: id, projectId, reason: null, facts: 'own', moderatorId
    });
    await closeThingReports(trx, { projectId, type: 'comment', id }, 'removed', moderatorId);
}
