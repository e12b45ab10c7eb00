import type { Request } from '@hapi/hapi';
import Joi from 'joi';

import { isId } from './schema';
import { share } from './shared';
import type { Shared } from './shared';

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
    count?: string;
    page?: string;
    after?: string;
};

const whole = (max: number): Joi.StringSchema => Joi.string().custom((value: string, helpers) => {
    return /^[1-9][0-9]{0,3}$/.test(value) && Number(value) <= max ? value : helpers.error('whole', { max });
}).messages({ whole: '{{#label}} must be a whole number from 1 to {{#max}}' });

/** Milliseconds in the year 9999, past which no row was made. */
const LAST_TIME = 253_402_300_799_999;

/** The query string of every list. */
export const listQuery = Joi.object({
    count: whole(100).description('How many, 1 to 100; 10 if left out.').example('10'),
    page: whole(50).description('Which page of so many, 1 to 50. Not together with `after`.').example('1'),
    after: Joi.string().custom((value: string, helpers) => (readCursor(value) ? value : helpers.error('cursor')))
        .description('The cursor that the list before answered as `next`.')
}).oxor('page', 'after').messages({
    cursor: '{{#label}} is not a cursor that a list answered as "next"',
    'object.oxor': '"page" and "after" cannot be given together'
});

/** The place a validated query string asks for. */
export function placeOf(query: ListQuery): Place {
    const count = Number(query.count ?? 10);
    const cursor = query.after === undefined ? undefined : readCursor(query.after);
    return {
        count,
        offset: (Number(query.page ?? 1) - 1) * count,
        rank: cursor?.rank ?? 0,
        before: cursor === undefined ? 'infinity' : new Date(Number(cursor.time)).toISOString(),
        beforeId: cursor?.id ?? '9223372036854775807'
    };
}

function writeCursor({ rank, time, id }: Pick<ListRow, 'rank' | 'time' | 'id'>): string {
    return Buffer.from(`${rank}.${time}.${id}`).toString('base64url');
}

/** A cursor holds a place and nothing else, so a forged one can only ask for another place. */
function readCursor(cursor: string): { rank: number; time: string; id: string } | undefined {
    const [, rank = '', time = '', id = ''] = /^([0-2])\.(0|[1-9][0-9]{0,14})\.([0-9]{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
    const place = { rank: Number(rank), time, id };
    return rank !== '' && isId(id) && Number(time) <= LAST_TIME && writeCursor(place) === cursor ? place : undefined;
}

/** A page of a list of projects, with the way to the next one in the body and as a link (RFC 8288). */
export function projectList(request: Pick<Request, 'path' | 'url'>, { items, rank, time, id }: ListRow): Shared {
    const next = id === null ? null : writeCursor({ rank, time, id });
    const body = `{"status":"success","projects":[${items}],"next":${JSON.stringify(next)}}`;
    if (next === null) {
        return share(body);
    }

    const query = new URLSearchParams(request.url.searchParams);
    query.delete('page');
    query.set('after', next);
    return share(body, `<${request.path}?${query}>; rel="next"`);
}
