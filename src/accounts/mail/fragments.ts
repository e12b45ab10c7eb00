/*
 * What the statements of others say of mail addresses (docs/decisions/fragments-of-owners.md).
 */

/** SQL that joins the confirmed address of a user, as `a.address`. */
export const joinAddress = (user: string): string => `join mail_addresses a on a.user_id = ${user} and a.address is not null`;

/** SQL for whether a user has one. */
export const hasAddress = (user: string): string => `exists (
    select from mail_addresses a where a.user_id = ${user} and a.address is not null)`;
