/*
 * What the statements of others say of statements (docs/decisions/fragments-of-owners.md).
 */

/** SQL that counts a report for the summary: the project, 0 for a person, and `project`, `comment` or `user`. Reports of projects are counted by a trigger. */
export const countsReport = (project: string, kind: string): string => `insert into moderation_counts (project_id, kind, act) values (${project}, ${kind}, 'report')`;
