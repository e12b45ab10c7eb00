import { run, runOne, statement } from '../db/statement';
import type { Database } from '../db/connection';

export type Permission = 'moderator' | 'staff';

const anyUser = statement<{ found: boolean }>('select exists(select from users) as found');

/** Whether there is, or has been, anybody: deleted users count until they are purged. */
export async function hasUsers(db: Database): Promise<boolean> {
    const row = await runOne(db, anyUser, []);
    return row?.found === true;
}

const one = statement<{ id: string }>('select id from users where lower(username) = lower($1) and deleted_at is null');

/** The id of a live user; undefined where there is none of that name. */
export async function findUserId(db: Database, username: string): Promise<string | undefined> {
    const row = await runOne(db, one, [username]);
    return row?.id;
}

/** `changed` is false where the user had it, or lacked it, already; the revision grows only with a change. */
const setting = (column: Permission) => statement<{ username: string; changed: boolean }>(`
    with found as materialized (
        select * from users where lower(username) = lower($1) and deleted_at is null for no key update
    ), written as (
        update users u set ${column} = $2, revision = u.revision + 1, updated_at = now()
        from found f where u.id = f.id and f.${column} <> $2
        returning u.id
    )
    select username, exists(select from written) as changed from found`);

const permissions = { moderator: setting('moderator'), staff: setting('staff') };

/** Grants or revokes; undefined where there is no such user. */
export function setPermission(db: Database, username: string, permission: Permission, granted: boolean): Promise<{ username: string; changed: boolean } | undefined> {
    return runOne(db, permissions[permission], [username, granted]);
}

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
    select u.id, u.username, u.language, u.moderator, u.staff, ${day('u.created_at')} as created, ${day('u.deleted_at')} as deleted,
        (select count(*) from projects p where p.user_id = u.id and p.deleted_at is null) as projects
    from users u where u.id > $1 order by u.id limit 1000`);

/** Everybody in order of id, read a thousand at a time. */
export async function* allUsers(db: Database): AsyncGenerator<ListedUser> {
    let users = await run(db, batch, ['0']);
    while (users.length > 0) {
        yield* users;
        users = await run(db, batch, [users.at(-1)?.id]);
    }
}

const chain = {
    users: 'u.deleted_at',
    projects: 'least(p.deleted_at, u.deleted_at)',
    pages: 'least(g.deleted_at, p.deleted_at, u.deleted_at)',
    elements: 'least(e.deleted_at, g.deleted_at, p.deleted_at, u.deleted_at)'
};

/** SQL that removes rows for good and says how many. `least` passes over nulls: what is above a thing counts as the thing's own deletion. */
const removal = (sql: string) => statement<{ removed: string }>(`with gone as (${sql} returning 1) select count(*) as removed from gone`);

/** From the leaves up, so that each count is of its own rows and none goes uncounted by a cascade. */
const removals = {
    elements: removal(`
        delete from elements e using pages g, projects p, users u
        where g.id = e.page_id and p.id = g.project_id and u.id = p.user_id and ${chain.elements} < now() - make_interval(secs => $1)`),
    pages: removal(`
        delete from pages g using projects p, users u
        where p.id = g.project_id and u.id = p.user_id and ${chain.pages} < now() - make_interval(secs => $1)`),
    projects: removal(`
        delete from projects p using users u where u.id = p.user_id and ${chain.projects} < now() - make_interval(secs => $1)`),
    users: removal(`delete from users u where ${chain.users} < now() - make_interval(secs => $1)`)
};

const expired = removal('delete from tokens where expires_at < now()');

/** What `purge` removed, by table. */
export type Purged = Record<keyof typeof removals | 'tokens', number>;

/** Removes for good what was deleted so many seconds ago or before, and expired tokens: one statement a table. */
export async function purge(db: Database, seconds: number): Promise<Purged> {
    const count = async (sql: typeof expired, values: unknown[]): Promise<number> => {
        const row = await runOne(db, sql, values);
        return Number(row?.removed);
    };

    return {
        elements: await count(removals.elements, [seconds]),
        pages: await count(removals.pages, [seconds]),
        projects: await count(removals.projects, [seconds]),
        users: await count(removals.users, [seconds]),
        tokens: await count(expired, [])
    };
}
