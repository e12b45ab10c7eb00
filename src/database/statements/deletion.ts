/*
 * Users, projects, pages and elements that are deleted stay in their tables until they are purged, and `deleted_at` says since when.
 * Things inside of something deleted are not marked themselves, but for the projects of a deleted user: see rules/chain.ts.
 */

/** SQL for whether a row is not deleted, given its alias or table. */
export const live = (row: string): string => `${row}.deleted_at is null`;

/** SQL for whether a row is deleted. */
export const gone = (row: string): string => `${row}.deleted_at is not null`;

/** SQL that deletes a row, for the SET of an UPDATE. */
export const deletes = 'deleted_at = now()';

/** SQL that deletes an account, under an id that its projects get too. What its user wrote about themselves goes at once. */
export const deletesAccount = `${deletes}, about = '', deletion_id = nextval('deletions_id_seq')`;

/** SQL that deletes a row if the condition holds. */
export const deletesIf = (condition: string): string => `deleted_at = case when ${condition} then now() end`;

/** SQL that brings a row back. */
export const restores = 'deleted_at = null, deletion_id = null';
