import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';

import { MAX_LISTED, MAX_LISTED_BYTES, inBytes } from '../../limits';
import type { RowOf } from '../../database/declaration';
import type { BoundedPage } from '../../database/bounded-page';
import { MAX_ID, isId } from './schema';
import type { ListQuery } from './list-url';
import { replyList, sharedResponse } from './shared-responses';
import type { SharedResponse } from './shared-responses';

/** Where a page of a list, newest first, begins. */
export interface ListPlace {
    /** 0 to 3 in a list that is ordered by rank first; else 0 */
    rank: number;
    /** what the cursor has for a time; 0 for the first page */
    time: string;
    /** the page has rows created before this time, as PostgreSQL reads it; `infinity` for the first page */
    before: string;
    /** or created at that time, with a smaller id than this */
    beforeId: string;
    /** rows to skip from there, on a numbered page; else null */
    offset: number | null;
    /** rows to show, 1 to 100 */
    count: number;
}

/** A page of a list, as its SQL statement returns it. */
export const listRowColumns = {
    /** JSON texts, separated by commas */
    items: 'text',
    /** rank, creation time in milliseconds and id of the last row shown; null at the end of the list */
    rank: 'integer?',
    time: 'bigint?',
    id: 'bigint?'
} as const;
export type ListRow = RowOf<typeof listRowColumns>;

/** Joi with numbers as they stand in a query string: digits only, without leading zeros. */
const joi: Joi.Root = Joi.extend({
    type: 'number',
    base: Joi.number().prefs({ convert: true }),
    validate: (value: number, { error, original }) => (/^[1-9][0-9]{0,3}$/.test(original) ? { value } : { value, errors: [error('number.base')] })
});

export const whole = (max: number): Joi.NumberSchema => joi.number().integer().min(1).max(max)
    .messages({ '*': `{{#label}} must be a whole number from 1 to ${max}` });

/** The end of the year 9999 in milliseconds: the latest time a cursor may name. */
const LAST_TIME = 253_402_300_799_999;

const NO_CURSOR = '{{#label}} is not a cursor that a list returned as "next"';

/** Marks a place in a list. Opaque to clients: its contents may change. */
const cursor = Joi.string().pattern(/^[A-Za-z0-9_-]{1,64}$/)
    .custom((value: string, helpers) => (readCursor(value) ? value : helpers.error('cursor')))
    .messages({ cursor: NO_CURSOR, 'string.pattern.base': NO_CURSOR })
    .example(writeCursor({ rank: 0, time: '1767261600000', id: '42' }));

const countOfItems = whole(MAX_LISTED).example(10)
    .description(`Most items to return; 10 if left out. A page also ends before ${inBytes(MAX_LISTED_BYTES)}, unless it is numbered, and \`next\` says where the list goes on.`);

/** Joi schema of the query of every list. */
export const listQuery = Joi.object({
    count: countOfItems,
    page: whole(50).description('Number of the page of that many items; 1 if left out. It has all of them, however long they are. Not together with `after`.').example(1),
    after: cursor.description('The `next` of the previous page: the list continues there, without skipping or repeating anything. Not together with `page`.')
}).oxor('page', 'after').messages({ 'object.oxor': '"page" and "after" cannot be given together' });

/** Joi schema of the query of lists that have no numbered pages. */
export const feedQuery = Joi.object({
    count: countOfItems,
    after: cursor.description('The `next` of the previous page: the list continues there, without skipping or repeating anything.')
});

/** The cursor of what comes after a page that is bounded in bytes; null at the end of the list. */
export const nextOfBounded = ({ rank, id }: BoundedPage): string | null => id && writeCursor({ rank, time: '0', id });

/** The place that the validated query of a list in rising order of rank and id asks for. */
export const risingPlaceOf = ({ count = 10, after }: ListQuery): { rank: number; afterId: string; count: number } => {
    const { rank, id } = (after === undefined ? undefined : readCursor(after)) ?? { rank: 0, id: '0' };
    return { rank, afterId: id, count };
};

/** Where a page of a list, highest score first, begins. */
export interface ScoredPlace {
    /** that of the last row before, among those with the same score and id */
    rank: number;
    /** the page has rows with a score below this */
    score: string;
    /** or with that score, and a smaller id than this */
    beforeId: string;
    /** rows to show, 1 to 100 */
    count: number;
}

/** The highest rank that a cursor has. */
const MAX_RANK = 3;

/** The place that the validated query of such a list asks for. */
export function scoredPlaceOf({ count = 10, after }: ListQuery): ScoredPlace {
    const place = after === undefined ? undefined : readCursor(after);
    return { count, rank: place?.rank ?? MAX_RANK, score: place?.time ?? MAX_ID, beforeId: place?.id ?? MAX_ID };
}

/** The cursor of what comes after an item of such a list. Scores are whole numbers from 0 to 253402300799999. */
export const nextScored = ({ rank, score, id }: Record<'score' | 'id', string> & { rank: number }): string => writeCursor({ rank, time: score, id });

/** The place that a validated query asks for. */
export function placeOf(query: ListQuery): ListPlace {
    const { count = 10, page, after } = query;
    const place = after === undefined ? undefined : readCursor(after);
    return {
        count,
        offset: page === undefined ? null : (page - 1) * count,
        rank: place?.rank ?? 0,
        time: place?.time ?? '0',
        before: place === undefined ? 'infinity' : new Date(Number(place.time)).toISOString(),
        beforeId: place?.id ?? MAX_ID
    };
}

export function writeCursor({ rank, time, id }: Pick<ListRow, 'rank' | 'time' | 'id'>): string {
    return Buffer.from(`${rank}.${time}.${id}`).toString('base64url');
}

/** Undefined for what `writeCursor` did not write. A cursor holds nothing but a place, so a forged one only asks for another place: a list that looks up the row of that id has to do so as its reader. */
function readCursor(text: string): { rank: number; time: string; id: string } | undefined {
    const [, rank = '', time = '', id = ''] = /^([0-3])\.(0|[1-9][0-9]{0,14})\.([0-9]{1,19})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
    const place = { rank: Number(rank), time, id };
    return rank !== '' && isId(id) && Number(time) <= LAST_TIME && writeCursor(place) === text ? place : undefined;
}

/** The cursor of what comes after a page of a list; null at its end. */
export const nextOf = ({ rank, time, id }: ListRow): string | null => (id === null ? null : writeCursor({ rank, time, id }));

/**
 * The response of a list of projects. Its entity tag is weak, as projects in lists show their `stats`.
 * @param beside JSON text of other fields, with a comma after each
 */
export function projectList(row: ListRow, beside = ''): SharedResponse {
    const { items } = row;
    const next = nextOf(row);
    return sharedResponse(`{"status":"success",${beside}"projects":[${items}],"next":${JSON.stringify(next)}}`, { weak: true, next });
}

/** Responds with a page of a list that is bounded in bytes. @param name of the list in the body @param beside as of `projectList` */
export const replyBounded = <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: Pick<Request, 'path' | 'query'>, name: string, page: BoundedPage, beside = ''): ResponseObject => {
    const next = nextOfBounded(page);
    return replyList(h, request, `{"status":"success",${beside}"${name}":[${page.items}],"next":${JSON.stringify(next)}}`, next);
};
