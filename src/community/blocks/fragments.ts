/*
 * What the statements of others say of blocks (docs/decisions/fragments-of-owners.md).
 */

/** SQL for whether a user has blocked another. */
export const hasBlocked = (user: string, other: string): string => `exists (select from blocks b where b.user_id = ${user} and b.blocked_id = ${other})`;
