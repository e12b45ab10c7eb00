import { live } from '../../database/statements/deletion';
import { lookup, runAlways, runOne, statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';
import { usernameKey } from '../../api/representations/username';

/** The rights that an operator can grant, and `teacher` a moderator too: columns of users. */
export const permissions = ['moderator', 'staff', 'teacher'] as const;

export type Permission = typeof permissions[number];

export const isPermission = (word: unknown): word is Permission => permissions.some((permission) => permission === word);

const one = statement({ parameters: ['text'], row: { id: 'bigint' } }, `select id from users where username_key = $1 and ${live('users')}`);

/** The id of the user with this name (case does not matter); undefined if there is none, or the account was deleted. */
export async function findUserId(db: Database, username: string): Promise<string | undefined> {
    const row = await runOne(db, one, [usernameKey(username)]);
    return row?.id;
}

/** `changed` is false if nothing had to be changed. The revision grows only with a change. */
const setting = (column: Permission, by: 'username_key' | 'id' = 'username_key') => statement({ parameters: [by === 'id' ? 'bigint' : 'text', 'boolean'], row: { username: 'text', changed: 'boolean' } }, `
    with found as materialized (
        select * from users where ${by} = $1 and ${live('users')} for no key update
    ), written as (
        update users u set ${column} = $2, revision = u.revision + 1, updated_at = now()
        from found f where u.id = f.id and f.${column} <> $2
        returning u.id
    )
    select username, exists(select from written) as changed from found`);

const settings = { moderator: setting('moderator'), staff: setting('staff'), teacher: setting('teacher') };
const settingsById = { moderator: setting('moderator', 'id'), staff: setting('staff', 'id'), teacher: setting('teacher', 'id') };

const moderated = lookup({ row: { moderated: 'boolean' } }, `select exists (select from users u where u.moderator and ${live('u')}) as moderated`);

/** Whether there is any moderator. */
export const hasModerator = async (db: Database): Promise<boolean> => (await runAlways(db, moderated, [])).moderated;

/** Grants or revokes a permission. Returns undefined if there is no such user. */
export function setPermission(db: Database, username: string, permission: Permission, granted: boolean): Promise<{ username: string; changed: boolean } | undefined> {
    return runOne(db, settings[permission], [usernameKey(username), granted]);
}

/** Sets a permission by the user's id. */
export function setPermissionOf(db: Database, id: string, permission: Permission, granted: boolean): Promise<{ username: string; changed: boolean } | undefined> {
    return runOne(db, settingsById[permission], [id, granted]);
}
