import Joi from 'joi';

import { joinActiveUser } from '../../accounts/users/fragments';
import { bodyOf, next, record, time } from '../../api/representations/shapes';
import { somebody, somebodyJson } from '../../api/representations/user';
import { idOf, shownId, text } from '../../api/request/schema';
import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { MAX_LISTED } from '../../limits';
import { MAX_COMMENT, MAX_FIRST_REPLIES, MAX_MENTIONS, MAX_REPLIES } from './limits';
import { hasBlocked } from '../blocks/fragments';
import { commentAudiences, commentRemovers } from './audiences';

/** SQL for who reads: expressions. The id is null for whoever sent no token. */
export interface ViewerExpressions {
    id: string;
    moderator: string;
}

/** SQL that joins the author of the comment in the row `k`, who may have closed their account. */
export const joinAuthor = `left ${joinActiveUser('k.user_id')}`;

/** SQL for whether a comment in the row `k`, of the author in `u`, is in lists: what is removed and has no answers is not. */
export const isListed = '(k.removed_at is null or k.replies > 0)';

/** SQL for whether a reader sees what the comment in the row `k`, of the author in `u`, says. It is null for some who do not. */
const isShown = ({ id, moderator }: ViewerExpressions): string => `(k.removed_at is null and u.id is not null
    and (k.held_at is null or k.user_id = ${id} or ${moderator}) and not ${hasBlocked(id, 'k.user_id')})`;

/** The fields of a comment in the row `k`, of the author in `u`, as a reader sees it. */
const fieldsFor = (viewer: ViewerExpressions): Readonly<Record<string, string>> => ({
    id: plainQuoted('k.id'),
    project_id: plainQuoted('k.project_id'),
    author: orNull(`case when u.id is not null then ${somebodyJson} end`),
    text: `case when ${isShown(viewer)} then ${quoted('k.text')} else 'null' end`,
    page: orNull(plainQuoted('k.page_id')),
    element: orNull(plainQuoted('k.element_id')),
    reply_to: orNull(plainQuoted('k.reply_to')),
    mentions: `'[' || coalesce(case when ${isShown(viewer)} then (
        select string_agg(${somebodyJson}, ',' order by m.nth) from unnest(k.mentions) with ordinality m (id, nth) ${joinActiveUser('m.id')}) end, '') || ']'`,
    created_at: plainQuoted(isoTime('k.created_at')),
    edited_at: timeOrNull('k.edited_at'),
    removed: orNull(`case when k.removed_at is not null then ${plainQuoted('k.removed_by')} when u.id is null then '"author"' end`),
    held: bool('k.removed_at is null and k.held_at is not null')
});

/** SQL for the JSON text of a comment. */
export const commentJson = (viewer: ViewerExpressions): string => jsonObject(fieldsFor(viewer));

/**
 * SQL for the JSON text of a comment that began a thread, with the first answers, their JSON text and the cursor after them in the row `r`.
 */
export const threadJson = (viewer: ViewerExpressions): string => jsonObject({
    ...fieldsFor(viewer),
    replies: `'[' || r.items || ']'`,
    reply_count: 'k.replies',
    next_reply: orNull(plainQuoted('r.next'))
});

/** The text of a comment, in a request. Line breaks are all it has of control characters. */
export const commentText = text(1, MAX_COMMENT).pattern(/^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$/, 'text without control characters')
    .custom((value: string, { error }) => {
        const trimmed = value.replaceAll(/\r\n?/g, '\n').trim();
        return /[^\p{C}\p{Z}]/u.test(trimmed) ? trimmed : error('string.unseen');
    })
    .messages({ 'string.unseen': '{{#label}} must have something that can be seen' })
    .description('What it says, as plain text. Blanks around it are cut off. `@name` mentions a user.').example('Lovely! How did you draw the pond, @new-author?');

const fields = {
    id: idOf('comment'),
    project_id: idOf('project'),
    author: somebody.allow(null).description('Who wrote it; null if the account is closed.'),
    text: text(1, MAX_COMMENT).allow(null)
        .description('What it says; null if it is removed, if it is held for a moderator to look at and the reader did not write it, and if the reader has blocked its author.')
        .example('Lovely! How did you draw the pond, @new-author?'),
    page: shownId.allow(null).description('Id of the page that it is about; null if it is about none.').example('40'),
    element: shownId.allow(null).description('Id of the element that it is about; null if it is about none.').example(null),
    reply_to: shownId.allow(null).description('Id of the comment that it answers; null if it began a thread.').example(null),
    mentions: Joi.array().items(somebody).max(MAX_MENTIONS).description('Users whom the text mentions by their names as they were, and who could read the project.'),
    created_at: time.description('When it was written, in UTC.').example('2026-03-01T18:30:00.000Z'),
    edited_at: time.allow(null).description('When its author last changed the text, in UTC; null if they did not.').example(null),
    removed: Joi.alternatives(Joi.valid(...commentRemovers), Joi.valid(null))
        .description('Who removed it: its author, the owner of the project, or a moderator. Null if nobody did. It is shown only if it has answers.').example(null),
    held: Joi.boolean().description('Whether it waits for a moderator to look at it.').example(false)
};

const comment = record(fields).id('Comment').description('A comment on a project.');

const thread = record({
    ...fields,
    replies: Joi.array().items(comment).max(MAX_FIRST_REPLIES).description(`The first answers in the thread, oldest first, at most ${MAX_FIRST_REPLIES}.`),
    reply_count: Joi.number().integer().min(0).max(MAX_REPLIES).description('How many answers the thread has that are not removed.').example(0),
    next_reply: next.description('Cursor of the further answers, to send as `after` together with `thread`; null if there are none.').example(null)
}).id('Thread').description('A comment that began a thread, with the first answers to it.');

export const commentBody = (status: 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { comment });

export const commentList = bodyOf('success', {
    comments: Joi.alternatives(
        Joi.array().items(thread).max(MAX_LISTED).description('Threads, newest first.'),
        Joi.array().items(comment).max(MAX_LISTED).description('The answers of one thread, oldest first, if `thread` was sent.')
    ).description('Threads, newest first; with `thread`, the answers of that one, oldest first.'),
    next
});

export const who = Joi.valid(...commentAudiences)
    .description('Who may comment: everybody who may read the project, its owner and members, or nobody.').example('everybody');

export const settingsBody = (status: 'success' | 'updated'): Joi.ObjectSchema => bodyOf(status, {
    settings: record({
        who,
        class_only: Joi.boolean().description('Whether the owner\'s account is managed by a class, so that only its people may comment, and only if it allows comments.').example(false),
        may_comment: Joi.boolean().description('Whether the sender of the token may comment at the moment.').example(true)
    }).id('CommentSettings').description('Who may comment on the project.')
});
