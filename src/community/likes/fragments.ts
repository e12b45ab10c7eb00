/*
 * What the statements of others say of likes (docs/decisions/fragments-of-owners.md).
 */

/** A statement that deletes the likes of a project, before it is deleted for good. */
export const leavesLikes = (project: string): string => `delete from project_likes where project_id = ${project}`;
