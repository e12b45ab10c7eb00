/*
 * What the statements of others say of likes (docs/decisions/fragments-of-owners.md).
 */

/** Likes up to which an author sees their number. */
export const MAX_COUNTED_LIKES = 1000;

/** A statement that deletes the likes of a project, before it is deleted for good. */
export const leavesLikes = (project: string): string => `delete from project_likes where project_id = ${project}`;

/** SQL for the number of likes of a project by open accounts, which only its author may read. It is not counted further than a list can wait for. */
export const likesOf = (project: string): string => `(
    select count(*) from (select from project_likes l where l.project_id = ${project} and not l.closed limit ${MAX_COUNTED_LIKES}) l)`;

/** SQL that reads the likes of a user, in the rows `l`; further conditions may follow. */
export const fromLikesOf = (user: string): string => `from project_likes l where l.user_id = ${user}`;
