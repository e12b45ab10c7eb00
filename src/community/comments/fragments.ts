/*
 * What the statements of others say of comments (docs/decisions/fragments-of-owners.md). The row of a comment is called `k`.
 */

/** SQL that brings back a comment that a moderator removed, or that is held. */
export const restoresComment = (project: string, id: string): string => `update comments k set removed_at = null, removed_by = null, held_at = null
    where k.project_id = ${project} and k.id = ${id} and (k.removed_by = 'moderator' or (k.removed_at is null and k.held_at is not null))`;

/** Statements that delete the comments on a project, before it is deleted for good. */
export const leavesComments = (project: string): readonly string[] => [`delete from comments where project_id = ${project}`, `delete from comment_settings where project_id = ${project}`];

/** SQL that reads comments that are shown: neither removed, nor held until a moderator has looked. */
export const fromShownComments = (condition: string): string => `from comments k where ${condition} and k.removed_at is null and k.held_at is null`;
