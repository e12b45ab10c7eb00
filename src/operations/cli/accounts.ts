import { byLookup, inAllShards, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { NO_APP, counts, updated } from '../../rules/write-sql';
import { usernameKey } from '../../api/representations/username';
import type { Database } from '../../database/statements/connection';
import { deletesAccount, gone, live, restores } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import { transaction } from '../../database/statements/transaction';
import { deleteTokens } from '../../accounts/tokens/queries';
import { deleteContents } from '../../accounts/users/delete-contents';
import { noSuchUser } from './command';

/** An account, and how many projects it has. */
const accountColumns = {
    id: 'bigint',
    username: 'text',
    /** of another identity provider; null for an account with a password here */
    issuer: 'text?',
    projects: 'integer',
    tokens: 'integer'
} as const;
type Account = RowOf<typeof accountColumns>;

const find = statement({ parameters: ['text'], row: accountColumns, place: byLookup }, `
    select u.id, u.username, u.issuer,
        (select count(*)::int from projects p where p.user_id = u.id and ${live('p')}) as projects,
        (select count(*)::int from tokens t where t.user_id = u.id) as tokens
    from users u where username_key = $1 and ${live('u')}`);

/** The account with this name; case does not matter. @throws NoSuchUser if there is none, or it was deleted */
export async function namedAccount(db: Database, username: string): Promise<Account> {
    const account = await runOne(db, find, [usernameKey(username)]);
    if (account === undefined) {
        throw noSuchUser(username);
    }

    return account;
}

const changePassword = statement({ parameters: ['bigint', 'text'] }, 'update users set password_hash = $2 where id = $1');

/** Sets the hash of a new password, and revokes all tokens of the user, those of a sign-in under way included. */
export function resetPassword(db: Database, id: string, hash: string): Promise<void> {
    return transaction(db, undefined, async (trx) => {
        await run(trx, changePassword, [id, hash]);
        await deleteTokens(trx, [id]);
    });
}

const remove = statement({ parameters: ['bigint'] }, `
    update users set ${deletesAccount}, revision = revision + 1, updated_at = now()
    where id = $1 and ${live('users')}`);

/** Deletes an account as DELETE /users/{user} does. */
export function removeAccount(db: Database, id: string): Promise<void> {
    return transaction(db, undefined, async (trx) => {
        await run(trx, remove, [id]);
        await deleteContents(trx, [id]);
    });
}

const restoreUser = statement({ parameters: ['text'], row: { id: 'bigint', username: 'text', deletion_id: 'bigint?' } }, `
    with found as materialized (
        select id, deletion_id from users where username_key = $1 and ${gone('users')} for no key update
    )
    update users u set ${restores}, revision = u.revision + 1, updated_at = now()
    from found f where u.id = f.id returning u.id, u.username, f.deletion_id`);

// In order of id, as every writer of several projects locks them.
export const restoreProjects = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint' }, place: writing(inAllShards()) }, `
    with found as materialized (select id from projects where user_id = $1 and deletion_id = $2 order by id for no key update)
    ${updated('projects', { author: '$1', app: NO_APP, kind: 'restore', counts: counts({ project: 1 }), set: [restores] }, 'from found f where p.id = f.id returning p.id')}`);

/**
 * Restores a deleted account with the projects that were deleted with it. What was deleted before stays deleted, and the
 * tokens are gone.
 * @returns undefined if there is no deleted account with this name
 */
export function restoreAccount(db: Database, username: string): Promise<{ username: string; projects: number } | undefined> {
    return transaction(db, undefined, async (trx) => {
        const user = await runOne(trx, restoreUser, [usernameKey(username)]);
        if (user === undefined) {
            return undefined;
        }

        const projects = await run(trx, restoreProjects, [user.id, user.deletion_id]);
        return { username: user.username, projects: projects.length };
    });
}
