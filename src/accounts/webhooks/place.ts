import { live } from '../../database/statements/deletion';
import { isObject } from '../../api/json/is-object';

/*
 * Webhooks of the place. Operators make them (operators.ts), and they have no user. They watch everything, and are told ids and kinds of it, but nothing that anybody wrote: so
 * a program that gets them knows no more than that something happened, whatever is private.
 */

/** The id of everything, among ids of projects and negative ones of users. */
export const EVERYTHING = '0';

/** SQL for whether somebody watches the project in a row. The triggers of schema.sql say the same. */
export const isWatched = (row: string): string => `exists (select from webhook_watches w where w.watched in (${row}.id, -${row}.user_id, ${EVERYTHING}))`;

/** SQL for whether there is somebody who is told by the webhook in a row: the place, or its user, in the row `u`, who may not be there. */
export const hasReader = (row: string): string => `(${row}.user_id is null or ${live('u')})`;

/** Fields for a webhook of the place. */
const told = new Set([
    'project', 'remix', 'comment', 'thread', 'reply_to', 'page', 'element', 'work', 'assignment', 'id', 'user_id', 'class_id', 'revision',
    'by', 'remixed_from', 'featured', 'held', 'late'
]);

const idsOf = (value: unknown): unknown => (isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => told.has(key)).map(([key, own]) => [key, idsOf(own)])) : value);

/** The part of an event's JSON text that is for a webhook of the place. */
export const idsIn = (data: string): string => JSON.stringify(idsOf(JSON.parse(data)));
