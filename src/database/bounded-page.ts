import { MAX_LISTED_BYTES } from '../limits';
import type { RowOf } from './declaration';

/** A page of a list, as its SQL statement returns it. */
export const boundedPageColumns = {
    /** JSON texts, separated by commas */
    items: 'text',
    /** place of the last item shown; nulls at the end of the list */
    rank: 'integer?',
    id: 'bigint?'
} as const;
export type BoundedPage = RowOf<typeof boundedPageColumns>;

/** The first of some items, as many as are asked for, of which a page has room, their JSON, and the last of them if others follow. */
export function fitting<Item extends { json: string }>(all: readonly Item[], count = Infinity): { shown: Item[]; items: string; last: Item | undefined } {
    let bytes = 0;
    const shown = all.filter(({ json }, n) => (bytes += Buffer.byteLength(json)) <= MAX_LISTED_BYTES && n < count || n === 0);
    return { shown, items: shown.map(({ json }) => json).join(','), last: shown.length < all.length ? shown.at(-1) : undefined };
}

/** A page of the first of some items. */
export function fittingPage(all: readonly { id: string; json: string }[], count: number): BoundedPage {
    const { items, last } = fitting(all, count);
    return { items, rank: 0, id: last?.id ?? null };
}

/** SQL for the first of some rows `n` and `json`, of which a page has room. @param whole a condition under which it has room for all */
export const withinBytes = (rows: string, whole = 'false'): string => `
    select f.* from (select a.*, sum(octet_length(json)) over (order by n rows unbounded preceding) as bytes from (${rows}) a) f
    where f.n = 1 or f.bytes <= ${MAX_LISTED_BYTES} or ${whole}`;

/**
 * SQL for a page of a list that ends at so many items or bytes.
 * @param rows a query in the order of the list that returns `rank` and `id`, by which the next page begins, and `json`; one row more than asked for, if there is
 * @param count an expression for how many items were asked for
 * @param columns other columns of the statement's result
 * @param before queries that come before `rows` in the WITH clause
 */
export const boundedPage = (rows: string, count: string, columns = '', before = ''): string => `
    with ${before} found as materialized (select row_number() over () as n, q.* from (${rows}) q),
    shown as (${withinBytes(`select * from found where n <= ${count}`)}),
    last as (select s.rank, s.id from shown s where s.n = (select max(n) from shown) and s.n < (select max(n) from found))
    select ${columns} coalesce((select string_agg(json, ',' order by n) from shown), '') as items, (select rank from last) as rank, (select id from last) as id`;

/**
 * SQL for a page of a list by ids, newest first.
 * @param rows a query that ends with a condition for the rows `row`
 * @param parameters the id that they are older than, and how many were asked for @param columns as of `boundedPage`
 */
export const newestPage = (rows: string, row: string, json: string, [before, count] = ['$1::bigint', '$2::int'], columns = ''): string => boundedPage(
    `select 0 as rank, ${row}.id, ${json} as json from (${rows} and ${row}.id < ${before} order by ${row}.id desc limit ${count} + 1) ${row} order by ${row}.id desc`, count, columns);
