/*
 * What the statements of others say of moderation (docs/decisions/fragments-of-owners.md).
 */

/** A statement that adds a line to the moderation log: moderator (null for an operator), act, type and id of the thing, project (null for a user), owner, reason. */
export const logsAct = 'select log_act($1, $2, $3, $4, $5, $6, $7)';
export const logsActParameters = ['bigint', 'text', 'text', 'bigint', 'bigint', 'bigint', 'text'];

/** SQL that reads reports of projects, in the rows `r`; and with their place in the queue, `q`. */
export const fromReports = 'from reports r';
export const fromQueuedReports = 'from reports r join report_queue q on q.project_id = r.project_id';

/** SQL that notes of the reports of a project, of which a decision was the outcome, that nobody follows them. */
export const keepsReports = (project: string, outcome: string): string =>
    `update report_queue q set outcomes[q.round] = 'kept' where q.project_id = ${project} and q.outcomes[q.round] = ${outcome}`;
