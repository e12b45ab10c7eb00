/*
 * What the statements of others say of who follows whom (docs/decisions/fragments-of-owners.md).
 */

/** SQL that ends that two users follow each other, or one of them the other. */
export const endsFollowing = (one: string, other: string): string => `
    delete from follows where (user_id = ${one} and followed_id = ${other}) or (user_id = ${other} and followed_id = ${one})`;

/** SQL that reads whom a user follows, in the rows `k`; further conditions may follow. */
export const fromFollowedBy = (user: string): string => `from follows k where k.user_id = ${user}`;
