import type { PublishLevel } from '../api/request/publish-levels';
import { inAllShards, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { gone, live } from '../database/statements/deletion';
import { run, statement } from '../database/statements/statement';
import { NO_APP, counts, updated } from '../rules/write-sql';

/*
 * What happens when a class tightens what its accounts make visible. The triggers of migration 0043 keep others from making more visible: whoever is about
 * to has locked the row of the account, so the first statement here waits for them, and those after it see what they made.
 */

const bound = statement({ parameters: ['bigint', 'text'] }, `
    update users u set publish = $2, about = case when $2 = 'everybody' then u.about else '' end where u.managed_by = $1 and u.publish is not null`);

/** SQL for whether the user in the row `u` is of the class $1, and may make nothing visible. */
const isBound = `u.managed_by = $1 and u.publish in ('nobody', 'class')`;

// In order of id, as every writer of several projects locks them. In the history it is a change of the owner, as closing an account is: the teacher may not write in the project.
const hide = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `
    with found as materialized (
        select p.id from projects p join users u on u.id = p.user_id where ${isBound} and p.visibility <> 'private' and ${live('p')} order by p.id for no key update of p
    )
    ${updated('projects', { author: 'p.user_id', app: NO_APP, kind: 'edit', counts: counts({ project: 1 }), set: [`visibility = 'private'`] }, 'from found f where p.id = f.id')}`);

// What is in the trash comes back private. That is no change in the history.
const hideDeleted = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `
    update projects p set visibility = 'private' from users u where u.id = p.user_id and ${isBound} and p.visibility <> 'private' and ${gone('p')}`);

const hideCollections = statement({ parameters: ['bigint'] }, `
    update collections c set visibility = 'private', updated_at = now() from users u where u.id = c.user_id and ${isBound} and c.visibility <> 'private'`);

const part = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `
    delete from project_members m using projects p, users u where p.id = m.project_id and u.id = p.user_id and ${isBound} and not exists (
        select from class_people k where k.class_id = $1 and k.user_id = m.user_id and (u.publish = 'class' or k.role = 'teacher'))`);

const lower = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `
    update class_projects a set audience = 'teachers' from projects p join users u on u.id = p.user_id
    where a.class_id = $1 and a.audience <> 'teachers' and p.id = a.project_id and u.managed_by = $1 and u.publish = 'nobody'`);

const withdraw = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `
    delete from class_projects a using projects p where a.class_id = $1 and p.id = a.project_id and not exists (select from class_people k where k.class_id = $1 and k.user_id = p.user_id)`);

const empty = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, 'delete from class_projects where class_id = $1');
const forget = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, 'delete from class_hidden_projects where class_id = $1');
const unpause = statement({ parameters: ['bigint'] }, 'update class_people set paused_until = null where class_id = $1 and paused_until is not null');
const show = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `update class_projects set state = 'shown' where class_id = $1 and state = 'waiting'`);

/** Shows the class what waits for a look of its teachers. It is locked. */
export const showWaiting = (trx: Database, classId: string): Promise<unknown> => run(trx, show, [classId]);

/**
 * Ends what was shared and is not allowed any more, because the class has changed, or who is in it: memberships in projects of the accounts that it manages, and who of
 * the class reads projects. The class is locked.
 */
export async function endSharing(trx: Database, classId: string): Promise<void> {
    await run(trx, part, [classId]);
    await run(trx, lower, [classId]);
    await run(trx, withdraw, [classId]);
}

/** Takes all projects out of a class that is locked and is being deleted: nobody reads them by it any more. Its pauses end. */
export async function takeProjectsOut(trx: Database, classId: string): Promise<void> {
    await run(trx, empty, [classId]);
    await run(trx, forget, [classId]);
    await run(trx, unpause, [classId]);
}

/** Lets the accounts of a class that is locked make so much visible, and no more: what is beyond it becomes private. */
export async function boundAccounts(trx: Database, classId: string, publish: PublishLevel): Promise<void> {
    await run(trx, bound, [classId, publish]);
    await run(trx, hide, [classId]);
    await run(trx, hideDeleted, [classId]);
    await run(trx, hideCollections, [classId]);
    await endSharing(trx, classId);
}
