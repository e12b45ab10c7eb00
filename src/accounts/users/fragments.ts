import { deletesAccount, live, restores } from '../../database/statements/deletion';
import { isoTime } from '../../database/statements/json-sql';

/*
 * What the statements of others say of users (docs/decisions/fragments-of-owners.md). The row of a user is called `u` if nothing else is said. It is there until the account is
 * purged; that of an active user is of an account that is not deleted.
 */

/** SQL that joins a user by their id. */
export const joinUser = (id: string, as = 'u'): string => `join users ${as} on ${as}.id = ${id}`;

/** SQL that joins an active user by their id. */
export const joinActiveUser = (id: string, as = 'u'): string => `${joinUser(id, as)} and ${live(as)}`;

/** SQL that reads the users for whom a condition holds; further ones may follow, as after all that read one user. */
export const fromUsers = (condition: string, as = 'u'): string => `from users ${as} where ${condition}`;

/** SQL that reads a user by their id. */
export const fromUser = (id: string, as = 'u'): string => fromUsers(`${as}.id = ${id}`, as);

/** SQL that reads an active user by their id. */
export const fromActiveUser = (id: string, as = 'u'): string => `${fromUser(id, as)} and ${live(as)}`;

/** SQL that reads an active user by the key of their name. */
export const fromActiveUserNamed = (key: string): string => `${fromUsers(`u.username_key = ${key}`)} and ${live('u')}`;

/** SQL that lets a DELETE read the user of a row that it deletes. */
export const usingUser = (id: string): string => `using users u where u.id = ${id}`;
export const usingActiveUser = (id: string): string => `${usingUser(id)} and ${live('u')}`;
export const usingActiveUserNamed = (key: string): string => `using users u where u.username_key = ${key} and ${live('u')}`;

/** SQL that changes users; what follows says which. */
export const updateUsers = (set: string): string => `update users u set ${set}`;

/** SQL that closes accounts, or brings closed ones back. */
export const closeAccounts = updateUsers(`${deletesAccount}, revision = u.revision + 1, updated_at = now()`);
export const restoreAccounts = (more = ''): string => updateUsers(`${restores},${more === '' ? '' : ` ${more},`} revision = u.revision + 1, updated_at = now()`);

/** SQL for whether a user is active. */
export const isActiveUser = (id: string, as = 'u'): string => `exists (select ${fromActiveUser(id, as)})`;

/** SQL for whether a user has a password. */
export const hasPassword = (id: string): string => `exists (select ${fromUser(id)} and u.password_hash is not null)`;

/** SQL for the name of a user. */
export const usernameOf = (id: string): string => `(select username from users where id = ${id})`;

/** SQL for whether the user in this row is suspended. A moderator never is. */
export const isSuspended = (row: string): string => `(${row}.suspended_until > now() and not ${row}.moderator)`;

/** SQL for when the suspension of the user in this row ends; null if no end was set. */
export const suspendedUntil = (row: string): string => isoTime(`nullif(${row}.suspended_until, 'infinity')`);

/** SQL for whether the user in a row is of the staff. An account that a class manages never is, as its teachers can sign in to it. */
export const isStaff = (row: string): string => `(${row}.staff and ${row}.publish is null and ${live(row)})`;
