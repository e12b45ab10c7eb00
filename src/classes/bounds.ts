import { fromUser, updateUsers } from '../accounts/users/fragments';
import { updateCollections } from '../community/collections/fragments';
import { inAllShards, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { gone, live } from '../database/statements/deletion';
import { run, runAlways, statement } from '../database/statements/statement';
import { endMemberships, fromProject, fromProjectsWithAuthor, updateProjects } from '../projects/fragments';
import { becomesPrivate, isShared } from '../rules/visibility';
import { NO_APP, counts, updated } from '../rules/write-sql';
import { isInClass } from './fragments';

/*
 * What happens when a class tightens what its accounts make visible. The triggers of people/schema.sql keep others from making more
 * visible: whoever is about to has locked the row of the account, so the first statement here waits for them, and those after it see what
 * they made.
 */

/** SQL, as a common table expression after the class in the row `written`, that lets the accounts of the class make so much visible, and no more. */
export const accountsBounded = `
    accounts_bounded as (
        ${updateUsers(`publish = w.publish, about = case when w.publish = 'everybody' then u.about else '' end`)}
        from written w where w.bounds and u.managed_by = w.id and u.publish is not null
    )`;

/** SQL for whether the user in the row `u` is of the class $1, and may make nothing visible. */
const isBound = `u.managed_by = $1 and u.publish in ('nobody', 'class')`;

/** SQL for whether the owner of the project in the row `p` is of the class $1. */
const isOfClass = isInClass('$1', 'p.user_id');

/** SQL that ends what was shared and is not allowed any more: common table expressions, and a statement after them. `lowered` leaves out those who left, so that no row is written twice. */
const sharing = {
    before: `
    parted as (
        ${endMemberships(isBound)} and not exists (
            select from class_people k where k.class_id = $1 and k.user_id = m.user_id and (u.publish = 'class' or k.role = 'teacher'))
    ), lowered as (
        update class_projects a set audience = 'teachers' ${fromProjectsWithAuthor}
        where a.class_id = $1 and a.audience <> 'teachers' and p.id = a.project_id
            and u.managed_by = $1 and u.publish = 'nobody' and ${isOfClass}
    )`,
    last: `delete from class_projects a where a.class_id = $1 and exists (select ${fromProject('a.project_id')} and not ${isOfClass})`
} as const;

const end = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `with ${sharing.before} ${sharing.last}`);

// Projects in order of id, as every writer of several locks them. In the history it is a change of the owner, as closing an account is: the
// teacher may not write in the project. What is in the trash comes back private, also what was deleted while this waited; that is no change
// in the history.
const bound = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `
    with found as materialized (
        select p.id, p.deleted_at ${fromProjectsWithAuthor} where ${isBound} and ${isShared('p')} order by p.id for no key update of p
    ), hidden as (
        ${updated('projects', { author: 'p.user_id', app: NO_APP, kind: 'edit', counts: counts({ project: 1 }), set: [becomesPrivate] }, `from found f where p.id = f.id and ${live('f')}`)}
    ), hidden_in_trash as (
        ${updateProjects(becomesPrivate)} from found f where p.id = f.id and ${gone('f')}
    ), ${sharing.before}
    ${sharing.last}`);

// The rights are looked at when it has waited for all locks.
const hideCollections = statement({ parameters: ['bigint', 'bigint', 'bytea'], row: { present: 'boolean' } }, `
    with hidden as (
        ${updateCollections(`${becomesPrivate}, updated_at = now()`)}
            ${fromUser('c.user_id')} and ${isBound} and ${isShared('c')} returning c.id
    )
    select writer_present($3, $2, false) as present from (select count(*) from hidden) h`);

const empty = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, 'delete from class_projects where class_id = $1');
const forget = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, 'delete from class_hidden_projects where class_id = $1');
const unpause = statement({ parameters: ['bigint'] }, 'update class_people set paused_until = null where class_id = $1 and paused_until is not null');
const show = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `update class_projects set state = 'shown' where class_id = $1 and state = 'waiting'`);

/** Shows the class what waits for a look of its teachers. It is locked. */
export const showWaiting = (trx: Database, classId: string): Promise<unknown> => run(trx, show, [classId]);

/**
 * Ends what was shared and is not allowed any more, because the class has changed, or who is in it: memberships in projects of the accounts
 * that it manages, and who of the class reads projects. The class is locked.
 */
export const endSharing = (trx: Database, classId: string): Promise<unknown> => run(trx, end, [classId]);

/** Takes all projects out of a class that is locked and is being deleted: nobody reads them by it any more. Its pauses end. */
export async function takeProjectsOut(trx: Database, classId: string): Promise<void> {
    await run(trx, empty, [classId]);
    await run(trx, forget, [classId]);
    await run(trx, unpause, [classId]);
}

/** Makes private what is beyond the bounds of a class that is locked and has just got other ones. @returns whether the writer still has what they had when their request came */
export async function boundAccounts(trx: Database, classId: string, { id, tokenHash }: { id: string; tokenHash: Buffer | null }): Promise<boolean> {
    await run(trx, bound, [classId]);
    return (await runAlways(trx, hideCollections, [classId, id, tokenHash])).present;
}
