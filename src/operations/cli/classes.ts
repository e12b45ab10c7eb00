import { restoreProjects } from '../../community/administration/people';
import { shareWithTeachers } from '../../classes/works/queries';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { gone, live, restores } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import { operatorWrite } from '../../rules/write';

const day = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;

const classColumns = { id: 'bigint', title: 'text', teachers: 'text?', pupils: 'integer', created: 'text', deleted: 'text?' } as const;

const all = statement({ row: classColumns }, `
    select c.id, c.title, (select string_agg(u.username, ',' order by u.username) from class_people k join users u on u.id = k.user_id and ${live('u')} where k.class_id = c.id and k.role = 'teacher') as teachers,
        (select count(*)::int from class_people k join users u on u.id = k.user_id and ${live('u')} where k.class_id = c.id and k.role = 'pupil') as pupils,
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
        select u.id, u.deletion_id, c.publish from users u join classes c on c.id = u.managed_by join class_people k on k.class_id = c.id and k.user_id = u.id
        where c.id = $1 and u.deleted_at = $2 order by u.id for no key update of u
    )
    update users u set ${restores}, publish = f.publish, revision = u.revision + 1, updated_at = now() from found f where u.id = f.id returning u.id, f.deletion_id`);

const projectsOfWorks = statement({ parameters: ['bigint'], row: { project_id: 'bigint' } }, `
    select w.project_id from works w join assignments a on a.id = w.assignment_id join class_people k on k.class_id = a.class_id and k.user_id = w.user_id
    where a.class_id = $1 and w.project_id is not null order by w.project_id`);

/**
 * Restores a deleted class with the accounts that were removed with it. Its teachers read the works again.
 * @returns undefined if there is no deleted class with this id
 */
export function restoreClass(db: Database, id: string): Promise<{ title: string; accounts: number } | undefined> {
    return operatorWrite(db, async (trx) => {
        const found = await runOne(trx, bringBack, [id]);
        if (found === undefined) {
            return undefined;
        }

        const accounts = await run(trx, bringAccountsBack, [id, found.deleted_at]);
        for (const account of accounts) {
            await run(trx, restoreProjects, [account.id, account.deletion_id]);
        }

        for (const { project_id: project } of await run(trx, projectsOfWorks, [id])) {
            await shareWithTeachers(trx, id, project);
        }

        return { title: found.title, accounts: accounts.length };
    });
}
