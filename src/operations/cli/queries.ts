import { live } from '../../database/statements/deletion';
import { run, statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';

export interface ListedUser {
    id: string;
    username: string;
    language: string;
    moderator: boolean;
    staff: boolean;
    projects: string;
    created: string;
    deleted: string | null;
}

const day = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;

const batch = statement<ListedUser>(`
    /* place: lookup */
    select u.id, u.username, u.language, u.moderator, u.staff, ${day('u.created_at')} as created, ${day('u.deleted_at')} as deleted,
        (select count(*) from projects p where p.user_id = u.id and ${live('p')}) as projects
    from users u where u.id > $1 order by u.id limit 1000`);

/** All users in order of id, deleted ones included. They are read a thousand at a time. */
export async function* allUsers(db: Database): AsyncGenerator<ListedUser> {
    let users = await run(db, batch, ['0']);
    while (users.length > 0) {
        yield* users;
        users = await run(db, batch, [users.at(-1)?.id]);
    }
}
