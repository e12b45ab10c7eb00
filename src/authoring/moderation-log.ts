import type { Database } from '../db/connection';
import { run, statement } from '../db/statement';
import { isMember, isOpen } from './visibility';

/** What a moderator did, as the log shows it. Reads are noted below, and the triggers of migration 0012 add `feature`, `unfeature` and `remove`. */
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

const add = statement('/* place: in $5 */ select log_act($1, $2, $3, $4, $5, $6, $7)');

/** Adds a line to the moderation log, as a part of the transaction that does what it says. */
export async function logAct(trx: Database, { moderatorId, act, type, id, projectId, ownerId, reason }: Entry): Promise<void> {
    await run(trx, add, [moderatorId, act, type, id, projectId, ownerId, reason]);
}

/** SQL for whether a moderator's read is to be noted: once an hour for each thing. */
const notLately = (act: string, id: string): string => `not exists (
    select from moderation_log l where l.moderator_id = $1 and l.act = '${act}' and l.thing_id = ${id} and l.at > now() - interval '1 hour')`;

/** SQL that notes reads of the projects in $2 by the moderator $1, but for those whose owner or member the moderator is. */
const projectsRead = (act: string, condition: string): string => `
    /* place: each $2 */ select log_act($1, '${act}', 'project', p.id, p.id, p.user_id, null) from projects p
    where p.id = any($2::bigint[]) and p.user_id <> $1 and not ${isMember('p', '$1')} and ${condition} and ${notLately(act, 'p.id')} order by p.id`;

const reads = {
    read: statement(projectsRead('read', `not ${isOpen('p')}`)),
    read_history: statement(projectsRead('read_history', 'true')),
    read_members: statement(projectsRead('read_members', 'true')),
    read_trash: statement(`/* place: one */ select log_act($1, 'read_trash', 'user', u.id, null, u.id, null) from users u where u.id = any($2::bigint[]) and u.id <> $1 and ${notLately('read_trash', 'u.id')}`)
};

/**
 * Notes what a moderator has read that is not for everybody: projects (`read`), the history or the members of a project, or the trash of a user.
 * What the moderator may read anyway is left out.
 * @param ids of projects or users
 */
export async function noteReads(db: Database, moderatorId: string, act: keyof typeof reads, ids: readonly string[]): Promise<void> {
    await run(db, reads[act], [moderatorId, ids]);
}
