/*
 * What the statements of others say of reports of comments and people (docs/decisions/fragments-of-owners.md). Those of projects:
 * community/moderation/fragments.ts.
 */

/** SQL that reads reports of comments and people, in the rows `r`; and with their place in the queue, `q`. */
export const fromThingReports = 'from thing_reports r';
export const fromQueuedThingReports = `${fromThingReports}
    join thing_report_queue q on q.project_id = r.project_id and q.type = r.type and q.thing_id = r.thing_id`;

/** Statements that delete the reports of comments on a project, before it is deleted for good. */
export const leavesReports = (project: string): readonly string[] =>
    [`delete from thing_reports where project_id = ${project}`, `delete from thing_report_queue where project_id = ${project}`];

/** A statement that puts a comment, of a project and with an id, into the queue of moderators, though nobody has reported it. */
export const opensComment = (
    project: string, id: string
): string => `insert into thing_report_queue (project_id, type, thing_id, open) values (${project}, 'comment', ${id}, true)
    on conflict (project_id, type, thing_id) do update set open = true`;

/** SQL that notes of the reports of a comment or a person, of which a decision was the outcome, that nobody follows them. */
export const keepsThingReports = (project: string, type: string, id: string, outcome: string): string => `update thing_report_queue q
    set outcomes[q.round] = 'kept' where q.project_id = ${project} and q.type = ${type} and q.thing_id = ${id} and q.outcomes[q.round] = ${outcome}`;
