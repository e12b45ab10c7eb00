import type { ReqRef, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { fitting } from '../../database/bounded-page';
import { MAX_LISTED, MAX_LISTED_BYTES, inBytes } from '../../limits';
import type { ListQuery } from './list-url';
import { feedQuery, placeOf, whole, writeCursor } from './pagination';
import { MAX_ID } from './schema';
import { replyList } from './shared-responses';

/** Joi schema of the query of lists that are short: they come whole unless `count` is given, as they did before they had pages, if that is few bytes. */
export const shortQuery = feedQuery.keys({ count: whole(MAX_LISTED).description(`Most items to return; if left out, as many as fit into ${inBytes(MAX_LISTED_BYTES)}.`).example(10) });

/** Where a page of a short list, newest first, begins. */
export interface ShortPlace {
    /** the page has rows created before this time, as PostgreSQL reads it; `infinity` for the first page */
    before: string;
    /** or created at that time, with a smaller id than this */
    beforeId: string;
    /** rows to show; null for all */
    count: number | null;
}

/** The only page of a list that is read whole. */
export const WHOLE: ShortPlace = { before: 'infinity', beforeId: MAX_ID, count: null };

/** A row of such a list: its id, its JSON text, and its time in milliseconds if the list is ordered by that. */
export interface ShortRow {
    id: string;
    json: string;
    time?: string;
}

/**
 * Responds with a page of such a list.
 * @param name of the list in the body @param read returns the rows of a page, and one more if there is another page
 * @param most items where no `count` is given, of a list that has no end
 */
export async function replyShort<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, { path, query }: { path: string; query: ListQuery }, name: string, read: (place: ShortPlace) => Promise<readonly ShortRow[]>, most?: number
): Promise<ResponseObject> {
    const count = query.count ?? null;
    const rows = await read({ ...placeOf(query), count });
    const { items, last } = fitting(rows, query.count ?? most);
    const next = last === undefined ? null : writeCursor({ rank: 0, time: last.time ?? '0', id: last.id });
    return replyList(h, { path, query }, `{"status":"success","${name}":[${items}],"next":${JSON.stringify(next)}}`, next);
}
