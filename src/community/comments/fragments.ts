import { fromUser, joinUser } from '../../accounts/users/fragments';
import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { MAX_CHANGED_COMMENTS } from './limits';

/*
 * What the statements of others say of comments (docs/decisions/fragments-of-owners.md). The row of a comment is called `k`.
 */

/** SQL that undoes a decision about a comment (`'hold'`, `'remove'`): one that a moderator has removed since it was held stays so. */
export const restoresComment = (project: string, id: string, decision: string): string => `
    update comments k set removed_at = null, removed_by = null, held_at = null where k.project_id = ${project} and k.id = ${id}
    and case ${decision} when 'hold' then k.removed_at is null and k.held_at is not null else k.removed_by = 'moderator' end`;

/** Statements that delete the comments on a project, before it is deleted for good. */
export const leavesComments = (project: string): readonly string[] => {
    return [`delete from comments where project_id = ${project}`, `delete from comment_settings where project_id = ${project}`];
};

/** SQL that joins the comments of a user. */
export const joinCommentsOf = (user: string): string => `join comments k on k.user_id = ${user}`;

/** SQL that leaves the places of a user's comments on a project, as `comments_forgotten` does; further conditions may follow. */
export const forgetsComments = (project: string, user: string): string => `
    update comments k set user_id = null, text = '-', mentions = '{}', told = '{}', removed_at = coalesce(k.removed_at, now()), removed_by = coalesce(k.removed_by, 'author')
    where k.project_id = ${project} and k.user_id = ${user}`;

/** SQL that reads comments that are shown: neither removed, nor held until a moderator has looked. */
export const fromShownComments = (condition: string): string => `from comments k where ${condition} and k.removed_at is null and k.held_at is null`;

/** SQL for how often something has happened to the comments of a project. */
export const commentChanges = (project: string): string => `coalesce((select max(k.changed) from comments k where k.project_id = ${project}), 0)`;

const eventData = jsonObject({
    id: plainQuoted('k.id'),
    thread: plainQuoted('coalesce(k.thread_id, k.id)'),
    removed: `case when k.removed_at is null then 'false' else 'true' end`
});

/**
 * SQL for what has happened to the comments of a project since it had happened so often, as JSON: `changed`, and the `data` of an event.
 * The first of it, if it is much.
 */
export const changedComments = (project: string, since: string): string => `coalesce((
    select json_agg(json_build_object('changed', k.changed, 'data', ${eventData}) order by k.changed)
    from (select k.* from comments k where k.project_id = ${project} and k.changed > ${since} order by k.changed limit ${MAX_CHANGED_COMMENTS}) k), '[]')`;

/**
 * SQL for the comments that a user has written, with larger ids than another, as rows of `id` and their JSON text: those that are not
 * removed, in order, at most so many.
 */
export const ownComments = (user: string, after: string, most: number): string => `
    select k.id::text as id, ${jsonObject({
        id: plainQuoted('k.id'), project_id: plainQuoted('k.project_id'), text: quoted('k.text'), page: orNull(plainQuoted('k.page_id')), element: orNull(plainQuoted('k.element_id')),
        reply_to: orNull(plainQuoted('k.reply_to')), created_at: plainQuoted(isoTime('k.created_at')), edited_at: timeOrNull('k.edited_at')
    })} as json
    from comments k where k.user_id = ${user} and k.id > ${after} and k.removed_at is null order by k.id limit ${most}`;

// For moderation.

/** SQL that reads the comments with an id, wherever they are; and one of a project. */
export const fromCommentsWithId = (id: string): string => `from comments k where k.id = ${id}`;
export const fromCommentOf = (project: string, id: string): string => `from comments k where k.project_id = ${project} and k.id = ${id}`;

/** SQL for whether the comment in a row is not removed; and for whether it waits until a moderator has looked. */
export const isPresentComment = '(k.removed_at is null)';
export const isHeldComment = '(k.held_at is not null)';

/** SQL that holds a comment, releases it, or removes it for moderators. */
const updateComment = (set: string, project: string, id: string): string => `update comments k set ${set} where k.project_id = ${project} and k.id = ${id}`;
export const holdsComment = (project: string, id: string): string => updateComment('held_at = coalesce(k.held_at, now())', project, id);
export const releasesComment = (project: string, id: string): string => updateComment('held_at = null', project, id);
export const removesComment = (project: string, id: string): string => {
    return updateComment(`removed_at = now(), removed_by = 'moderator', held_at = null`, project, id);
};

const somebody = jsonObject({ id: plainQuoted('a.id'), username: quoted('a.username') });

/** SQL for the JSON text of the comment in a row with all that it says, as moderators see it. */
export const judgedCommentJson = jsonObject({
    id: plainQuoted('k.id'), project_id: plainQuoted('k.project_id'), author: orNull(`(select ${somebody} ${fromUser('k.user_id', 'a')})`), text: quoted('k.text'),
    page: orNull(plainQuoted('k.page_id')), element: orNull(plainQuoted('k.element_id')), reply_to: orNull(plainQuoted('k.reply_to')),
    mentions: `'[' || coalesce((select string_agg(${somebody}, ',' order by m.n) from unnest(k.mentions) with ordinality m (id, n) ${joinUser('m.id', 'a')}), '') || ']'`,
    created_at: plainQuoted(isoTime('k.created_at')), edited_at: timeOrNull('k.edited_at'), removed: orNull(plainQuoted('k.removed_by')), held: bool(isHeldComment)
});
