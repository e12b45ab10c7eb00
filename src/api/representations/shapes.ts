import Joi from 'joi';

import { MAX_LISTED, MAX_OBJECT_BYTES } from '../../limits';
import type { Status } from '../request/responses';

/** Schema of an object in a response: it has these fields and no others, all of them unless they are optional. */
export const record = (fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema => Joi.object(Object.fromEntries(Object.entries(fields).map(([name, field]) => {
    // Whole descriptions of schemas would take a fifth of the time of a start.
    return [name, field.$_getFlag('presence') === undefined ? field.required() : field];
}))).required();

/** Schema of a response body: a status beside other fields. */
export const bodyOf = (status: Status, fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema => record({ status: Joi.valid(status).description('The outcome of the request.'), ...fields });

/** ISO 8601 in UTC, to the millisecond. */
export const time = Joi.string().pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'a time in UTC, such as 2026-01-01T10:00:00.000Z').meta({ format: 'date-time' });

/** When something happened. */
export const when = (what: string): Joi.StringSchema => time.description(`${what}, in UTC.`).example('2026-03-01T18:30:00.000Z');

export const history = record({
    created_at: time.description('When it was created, in UTC.').example('2026-01-01T10:00:00.000Z'),
    updated_at: time.description('When it or anything inside it was last changed, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id('History').description('When it was created and last changed.');

/** A revision in a response. */
export const shownRevision = Joi.number().integer().min(1).max(2 ** 31 - 1)
    .description('Grows with every change of this or of anything inside it. Send it as `revision` with a write, so that nobody\'s changes are overwritten.').example(3);

/** Schema of the response, or a part of it, of an update that may be merged with what others have changed. */
export const orMerged = (schema: Joi.ObjectSchema): Joi.ObjectSchema => schema.keys({
    merged: Joi.valid(true).optional().description('There if the update was merged with changes of others.').example(true)
});

/** JSON Pointers (RFC 6901) to fields, one of them as an example: no more than the objects of a thing have, and no longer than twice the name of one. */
export const pointers = (example: string): Joi.ArraySchema => Joi.array().items(Joi.string().max(2 * MAX_OBJECT_BYTES + 100).example(example)).max(MAX_OBJECT_BYTES);

/** Server-sent events. A stream ends after some minutes, long before it has as many characters as a text of JavaScript can have. */
export const eventStream = (example: string): Joi.StringSchema => Joi.string().max(2 ** 29).description('Events, as they happen.').example(example);

/** The `next` of a list. */
export const next = Joi.string().pattern(/^[A-Za-z0-9_-]{1,64}$/).allow(null)
    .description('Cursor of the next page, to send as `after`; null at the end of the list.').example('MC4xNzY3MjYxNjAwMDAwLjQy');

/** Schema of a response with a page of a list, and other fields beside it. */
export const listBody = (name: string, items: Joi.Schema, beside: Readonly<Record<string, Joi.Schema>> = {}): Joi.ObjectSchema =>
    bodyOf('success', { [name]: Joi.array().items(items).max(MAX_LISTED).description('At most `count` items; fewer at the end of the list.'), next, ...beside });
