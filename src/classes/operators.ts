import { joinActiveUser, joinUser, restoreAccounts } from '../accounts/users/fragments';
import type { RowOf } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { gone } from '../database/statements/deletion';
import { run, runOne, statement } from '../database/statements/statement';

/*
 * What operators read of classes, and how they restore a deleted one.
 */

const day = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;

const classColumns = { id: 'bigint', title: 'text', teachers: 'text?', pupils: 'integer', created: 'text', deleted: 'text?' } as const;

const all = statement({ row: classColumns }, `
    select c.id, c.title, (select string_agg(u.username, ',' order by u.username) from class_people k ${joinActiveUser('k.user_id')} where k.class_id = c.id and k.role = 'teacher') as teachers,
        (select count(*)::int from class_people k ${joinActiveUser('k.user_id')} where k.class_id = c.id and k.role = 'pupil') as pupils,
        ${day('c.created_at')} as created, ${day('c.deleted_at')} as deleted
    from classes c order by c.id`);

/** All classes in order of id, deleted ones included. */
export const allClasses = (db: Database): Promise<RowOf<typeof classColumns>[]> => run(db, all, []);

const bringBack = statement({ parameters: ['bigint'], row: { title: 'text', deleted_at: 'timestamp with time zone' } }, `
    with found as materialized (select id, deleted_at from classes where id = $1 and ${gone('classes')} for no key update)
    update classes c set deleted_at = null, revision = c.revision + 1, updated_at = now() from found f where c.id = f.id returning c.title, f.deleted_at`);

// Those that were removed with the class have the same time. They are managed again; accounts that became ordinary ones stay so.
const bringAccountsBack = statement({ parameters: ['bigint', 'timestamp with time zone'], row: { id: 'bigint', deletion_id: 'bigint?' } }, `
    with found as materialized (
        select u.id, u.deletion_id, c.publish from classes c join class_people k on k.class_id = c.id ${joinUser('k.user_id')} and u.managed_by = c.id
        where c.id = $1 and u.deleted_at = $2 order by u.id for no key update of u
    )
    ${restoreAccounts('publish = f.publish')} from found f where u.id = f.id returning u.id, f.deletion_id`);

const projectsOfWorks = statement({ parameters: ['bigint'], row: { project_id: 'bigint' } }, `
    select w.project_id from works w join assignments a on a.id = w.assignment_id join class_people k on k.class_id = a.class_id and k.user_id = w.user_id
    where a.class_id = $1 and w.project_id is not null order by w.project_id`);

/** Restores the row of a deleted class. @returns its title, and when it was deleted; undefined if there is no deleted class with this id */
export const restoreRow = (trx: Database, id: string): Promise<{ title: string; deleted_at: Date } | undefined> => runOne(trx, bringBack, [id]);

/** Restores the accounts that were removed with a class. @returns their ids, and under which id their projects were deleted */
export const restoreRemoved = (trx: Database, id: string, deletedAt: Date): Promise<{ id: string; deletion_id: string | null }[]> => run(trx, bringAccountsBack, [id, deletedAt]);

/** Ids of the projects of the works for a class. */
export const findProjectsOfWorks = async (trx: Database, id: string): Promise<string[]> => (await run(trx, projectsOfWorks, [id])).map(({ project_id: project }) => project);
