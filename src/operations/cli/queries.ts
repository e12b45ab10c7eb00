import { fromProjectsOf } from '../../projects/fragments';
import { fromUsers } from '../../accounts/users/fragments';
import { byLookup } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { live } from '../../database/statements/deletion';
import { run, statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';

const listedUserColumns = {
    id: 'bigint',
    username: 'text',
    language: 'text',
    moderator: 'boolean',
    staff: 'boolean',
    teacher: 'boolean',
    projects: 'bigint',
    created: 'text',
    deleted: 'text?'
} as const;
export type ListedUser = RowOf<typeof listedUserColumns>;

const day = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;

const batch = statement({ parameters: ['bigint'], row: listedUserColumns, place: byLookup }, `
    select u.id, u.username, u.language, u.moderator, u.staff, u.teacher, ${day('u.created_at')} as created, ${day('u.deleted_at')} as deleted,
        (select count(*) ${fromProjectsOf('u.id')} and ${live('p')}) as projects
    ${fromUsers('u.id > $1')} order by u.id limit 1000`);

/** All users in order of id, deleted ones included. They are read a thousand at a time. */
export async function* allUsers(db: Database): AsyncGenerator<ListedUser> {
    let users = await run(db, batch, ['0']);
    while (users.length > 0) {
        yield* users;
        users = await run(db, batch, [users.at(-1)?.id]);
    }
}
