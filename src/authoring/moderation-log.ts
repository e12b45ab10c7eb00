import type { Database } from '../db/connection';
import { run, statement } from '../db/statement';

/** What a moderator did, as the log shows it. `feature`, `unfeature` and `remove` are added by the triggers of migration 0012. */
export type Act = 'keep' | 'hold' | 'release' | 'restore' | 'purge' | 'suspend' | 'unsuspend';

/** A line of the log. */
interface Entry {
    act: Act;
    /** null if an operator did it */
    moderatorId: string | null;
    type: 'project' | 'page' | 'element' | 'user';
    id: string;
    /** the project that it is, or is in; null for a user */
    projectId: string | null;
    ownerId: string;
    reason: string | null;
}

const add = statement('select log_act($1, $2, $3, $4, $5, $6, $7)');

/** Adds a line to the moderation log, as a part of the transaction that does what it says. */
export async function logAct(trx: Database, { moderatorId, act, type, id, projectId, ownerId, reason }: Entry): Promise<void> {
    await run(trx, add, [moderatorId, act, type, id, projectId, ownerId, reason]);
}
