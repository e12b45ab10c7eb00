import Joi from 'joi';

import type { Status } from '../http/responses';

/** An object in an answer: it has all of these fields, but for those said to be optional, and no others. */
export const record = (fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema => Joi.object(Object.fromEntries(Object.entries(fields).map(([name, field]) => {
    const { presence } = Object(field.describe().flags);
    return [name, presence === undefined ? field.required() : field];
}))).required();

/** A body: a status, and what it is about. */
export const bodyOf = (status: Status, fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema => record({ status: Joi.valid(status).description('What came of the request.'), ...fields });

/** ISO 8601 in UTC, to the millisecond. */
export const time = Joi.string().pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/).meta({ format: 'date-time' });

export const history = record({
    created_at: time.description('When it was made, in UTC.').example('2026-01-01T10:00:00.000Z'),
    updated_at: time.description('When it, or anything inside it, was last written, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id('History').description('When it came about.');

/** A revision as it is shown. */
export const shownRevision = Joi.number().integer().min(1).max(2 ** 31 - 1)
    .description('Grows whenever this or anything inside it changes. Send it back as `revision` with a write, and nobody\'s work is lost.').example(3);

/** The `next` of a list: null at its end. */
export const next = Joi.string().pattern(/^[A-Za-z0-9_-]{1,64}$/).allow(null)
    .description('Cursor of what follows, for `after`; null at the end of the list.').example('MC4xNzY3MjYxNjAwMDAwLjQy');
