/*
 * What the statements of others say of comments (docs/decisions/fragments-of-owners.md). The row of a comment is called `k`.
 */

/** Statements that delete the comments on a project, before it is deleted for good. */
export const leavesComments = (project: string): readonly string[] => [`delete from comments where project_id = ${project}`, `delete from comment_settings where project_id = ${project}`];

/** SQL that reads comments that are shown: neither removed, nor held until a moderator has looked. */
export const fromShownComments = (condition: string): string => `from comments k where ${condition} and k.removed_at is null and k.held_at is null`;
