import { isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { MAX_CHANGED_COMMENTS } from './limits';

/*
 * What the statements of others say of comments (docs/decisions/fragments-of-owners.md). The row of a comment is called `k`.
 */

/** Statements that delete the comments on a project, before it is deleted for good. */
export const leavesComments = (project: string): readonly string[] => [`delete from comments where project_id = ${project}`, `delete from comment_settings where project_id = ${project}`];

/** SQL for how often something has happened to the comments of a project. */
export const commentChanges = (project: string): string => `coalesce((select max(k.changed) from comments k where k.project_id = ${project}), 0)`;

const eventData = jsonObject({
    id: plainQuoted('k.id'),
    thread: plainQuoted('coalesce(k.thread_id, k.id)'),
    removed: `case when k.removed_at is null then 'false' else 'true' end`
});

/** SQL for what has happened to the comments of a project since it had happened so often, as JSON: `changed`, and the `data` of an event. The first of it, if it is much. */
export const changedComments = (project: string, since: string): string => `coalesce((
    select json_agg(json_build_object('changed', k.changed, 'data', ${eventData}) order by k.changed)
    from (select k.* from comments k where k.project_id = ${project} and k.changed > ${since} order by k.changed limit ${MAX_CHANGED_COMMENTS}) k), '[]')`;

/** SQL for the comments that a user has written, with larger ids than another, as rows of `id` and their JSON text: those that are not removed, in order, at most so many. */
export const ownComments = (user: string, after: string, most: number): string => `
    select k.id::text as id, ${jsonObject({
        id: plainQuoted('k.id'), project_id: plainQuoted('k.project_id'), text: quoted('k.text'), page: orNull(plainQuoted('k.page_id')), element: orNull(plainQuoted('k.element_id')),
        reply_to: orNull(plainQuoted('k.reply_to')), created_at: plainQuoted(isoTime('k.created_at')), edited_at: timeOrNull('k.edited_at')
    })} as json
    from comments k where k.user_id = ${user} and k.id > ${after} and k.removed_at is null order by k.id limit ${most}`;
