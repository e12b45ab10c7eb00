import { tokensOf } from '../../accounts/tokens/fragments';
import { fromProjectsOf } from '../../projects/fragments';
import { fromActiveUserNamed, fromUsers } from '../../accounts/users/fragments';
import { byLookup } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { usernameKey } from '../../api/representations/username';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import { runOne, statement } from '../../database/statements/statement';
import { NoSuchUser, noSuchUser } from './command';

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
        (select count(*)::int ${fromProjectsOf('u.id')} and ${live('p')}) as projects,
        (select count(*)::int ${tokensOf('u.id')}) as tokens
    ${fromActiveUserNamed('$1')}`);

/** The account with this name; case does not matter. @throws NoSuchUser if there is none, or it was deleted */
export async function namedAccount(db: Database, username: string): Promise<Account> {
    const account = await runOne(db, find, [usernameKey(username)]);
    if (account === undefined) {
        throw noSuchUser(username);
    }

    return account;
}

const deleted = statement({ parameters: ['text'], row: { id: 'bigint', username: 'text' } }, `select u.id, u.username ${fromUsers('u.username_key = $1')} and ${gone('u')}`);

/** The deleted account with this name. @throws NoSuchUser if there is none */
export async function deletedAccount(db: Database, username: string): Promise<{ id: string; username: string }> {
    const account = await runOne(db, deleted, [usernameKey(username)]);
    if (account === undefined) {
        throw new NoSuchUser(`There is no deleted account "${username}".`);
    }

    return account;
}
