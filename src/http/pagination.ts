import type { Request } from '@hapi/hapi';
import Joi from 'joi';

import { MAX_ID, isId } from './schema';
import { share } from './shared-responses';
import type { Shared } from './shared-responses';

/** Where in a list a page starts: after this place, newest first, or so many rows in. */
export interface Place {
    /** position among ranks; 0 where the list has but one */
    rank: number;
    /** rows made before this, as PostgreSQL reads a time; `infinity` from the newest on */
    before: string;
    /** and, of those made at that time, with a smaller id */
    beforeId: string;
    offset: number;
    count: number;
}

/** One page as its statement answers it. */
export interface ListRow {
    /** JSON texts with commas between them */
    items: string;
    /** rank, milliseconds and id of the last row shown, where more follow */
    rank: number | null;
    time: string | null;
    id: string | null;
}

export type ListQuery = {
    count?: number;
    page?: number;
    after?: string;
};

/** What is needed of a request for a list. Not its `url`: hapi makes that with the Host header, which may hold anything. */
export type ListRequest = Pick<Request, 'path'> & { query: ListQuery };

/** Joi with numbers as a query string writes them: whole, without sign, leading zeros or blanks. */
const joi: Joi.Root = Joi.extend({
    type: 'number',
    base: Joi.number().prefs({ convert: true }),
    validate: (value: number, { error, original }) => (/^[1-9][0-9]{0,3}$/.test(original) ? { value } : { value, errors: [error('number.base')] })
});

const whole = (max: number): Joi.NumberSchema => joi.number().integer().min(1).max(max)
    .messages({ '*': `{{#label}} must be a whole number from 1 to ${max}` });

/** Milliseconds in the year 9999, past which no row was made. */
const LAST_TIME = 253_402_300_799_999;

/** A place in a list. Opaque: what it is made of may change. */
const cursor = Joi.string().pattern(/^[A-Za-z0-9_-]{1,64}$/)
    .custom((value: string, helpers) => (readCursor(value) ? value : helpers.error('cursor')))
    .messages({ cursor: '{{#label}} is not a cursor that a list answered as "next"', 'string.pattern.base': '{{#label}} is not a cursor that a list answered as "next"' })
    .example(writeCursor({ rank: 0, time: '1767261600000', id: '42' }));

/** The query string of every list. */
export const listQuery = Joi.object({
    count: whole(100).description('How many to answer; 10 if left out.').example(10),
    page: whole(50).description('Which page of so many; 1 if left out. Not together with `after`.').example(1),
    after: cursor.description('The `next` of the page before: the list goes on from there, and skips or repeats nothing. Not together with `page`.')
}).oxor('page', 'after').messages({ 'object.oxor': '"page" and "after" cannot be given together' });

/** The place a validated query string asks for. */
export function placeOf(query: ListQuery): Place {
    const { count = 10, page = 1, after } = query;
    const place = after === undefined ? undefined : readCursor(after);
    return {
        count,
        offset: (page - 1) * count,
        rank: place?.rank ?? 0,
        before: place === undefined ? 'infinity' : new Date(Number(place.time)).toISOString(),
        beforeId: place?.id ?? MAX_ID
    };
}

function writeCursor({ rank, time, id }: Pick<ListRow, 'rank' | 'time' | 'id'>): string {
    return Buffer.from(`${rank}.${time}.${id}`).toString('base64url');
}

/** A cursor holds a place and nothing else, so a forged one can only ask for another place. */
function readCursor(text: string): { rank: number; time: string; id: string } | undefined {
    const [, rank = '', time = '', id = ''] = /^([0-2])\.(0|[1-9][0-9]{0,14})\.([0-9]{1,19})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
    const place = { rank: Number(rank), time, id };
    return rank !== '' && isId(id) && Number(time) <= LAST_TIME && writeCursor(place) === text ? place : undefined;
}

/** A page of a list of projects, with the way to the next one in the body and as a link (RFC 8288). */
export function projectList({ path, query: { count } }: ListRequest, { items, rank, time, id }: ListRow): Shared {
    const next = id === null ? null : writeCursor({ rank, time, id });
    const body = `{"status":"success","projects":[${items}],"next":${JSON.stringify(next)}}`;
    if (next === null) {
        return share(body);
    }

    const query = new URLSearchParams({ ...count !== undefined && { count: String(count) }, after: next });
    return share(body, `<${path}?${query}>; rel="next"`);
}
