/*
 * What the statements of others say of apps (docs/decisions/fragments-of-owners.md). The row of an app is called `a`, that of an
 * authorization `g`.
 */

/** SQL that joins an app by its id. */
export const joinApp = (id: string): string => `join apps a on a.id = ${id}`;

/** SQL that reads the apps for which a condition holds; further ones may follow. */
export const fromApps = (condition: string): string => `from apps a where ${condition}`;

/** SQL that changes apps, or deletes them with all that they were let in to; what follows says which. */
export const updateApps = (set: string): string => `update apps a set ${set}`;
export const deleteApps = 'delete from apps a';

/** SQL that reads the authorizations of an app that have not ended. */
export const fromAuthorizations = (app: string): string => `from authorizations g where g.app_id = ${app} and g.expires_at > now()`;

/** SQL that ends all authorizations of users; what follows says whose. */
export const endAuthorizationsOf = (users: string): string => `delete from authorizations where user_id ${users}`;
