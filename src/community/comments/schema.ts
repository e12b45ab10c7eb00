import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { feedQuery } from '../../api/request/pagination';
import { id } from '../../api/request/schema';
import { commentText, who } from './json';

/** A comment, as it is sent. */
export interface NewComment {
    text: string;
    page?: string;
    element?: string;
    reply_to?: string;
}

/** POST …/comments */
export const newComment = Joi.object({
    text: commentText.required(),
    page: id.description('Id of the page that it is about. That of the element, if it is left out.').example('40'),
    element: id.description('Id of the element that it is about.').example('95'),
    reply_to: id.description('Id of a comment that it answers. It is in the same thread.').example('71'),
    ...keyField
});

/** PATCH …/comments/{comment} */
export const commentChanges = Joi.object({ text: commentText.required() });

/** PUT …/comments/settings */
export const commentSettings = Joi.object({ who: who.required() });

/** GET …/comments */
export const commentsQuery = feedQuery.keys({
    thread: id.description(
        'The answers of the thread that began with the comment of this id, oldest first. Not together with `page` or `element`.'
    ).example('71'),
    page: id.description('Threads about this page, or about an element of it, alone.').example('40'),
    element: id.description('Threads about this element alone.').example('95')
}).without('thread', ['page', 'element']).messages({ 'object.without': '"thread" cannot be given together with "page" or "element"' });
