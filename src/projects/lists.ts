import type { Database } from '../db/connection';
import { milliseconds } from '../db/json';
import { runOne, statement } from '../db/statement';
import type { Statement } from '../db/statement';
import type { ListRow, Place } from '../http/lists';
import { projectWithStatsJson } from './present';

/** Parameters of every list: $1 and $2 the place before which it goes on, $3 the count, $4 the offset, $5 what the list is of. */
const placeValues = ({ before, beforeId, count, offset }: Place): unknown[] => [before, beforeId, count, offset];

/** SQL for "further on than the place", on an index of these two columns. */
export const further = (time: string, id: string): string => `(${time}, ${id}) < ($1::timestamptz, $2::bigint)`;

/** SQL for one row more than asked for, which tells whether there are more. */
export const paged = '$3::int + 1 offset $4::int';

/**
 * SQL for a page of a list, from a query of the ids picked: `project_id`, `rank` and `created_at`, in order, one more
 * than the page holds. Only those are joined to what is shown.
 */
export function pageOf(picked: string, columns = ''): string {
    return `
        with picked as materialized (
            select row_number() over () as n, q.* from (${picked}) q
        ), shown as (
            select k.n, k.rank, ${milliseconds('p.created_at')} as time, p.id, ${projectWithStatsJson} as json
            from picked k
            join projects p on p.id = k.project_id
            join users u on u.id = p.user_id
            left join project_stats s on s.project_id = p.id
            where k.n <= $3::int
        ), last as (
            select rank, time, id from shown where n = $3::int and exists (select from picked where n > $3::int)
        )
        select ${columns} coalesce((select string_agg(json, ',' order by n) from shown), '') as items,
            (select rank from last), (select time from last), (select id from last)`;
}

/** A list of projects by an index of `projects` itself. */
const ofProjects = (condition: string): string => `
    select p.id as project_id, 0 as rank from projects p
    where ${condition} and p.deleted_at is null and ${further('p.created_at', 'p.id')}
    order by p.created_at desc, p.id desc limit ${paged}`;

const all = statement<ListRow>(pageOf(ofProjects('true')));
const featured = statement<ListRow>(pageOf(`
    select f.project_id, 0 as rank from featured_projects f where ${further('f.created_at', 'f.project_id')}
    order by f.created_at desc, f.project_id desc limit ${paged}`));
const tagged = statement<ListRow>(pageOf(`
    select t.project_id, 0 as rank from project_tags t
    where hashtextextended(t.tag, 0) = hashtextextended($5, 0) and t.tag = $5 and ${further('t.created_at', 't.project_id')}
    order by t.created_at desc, t.project_id desc limit ${paged}`));
const byUser = statement<FoundList>(pageOf(ofProjects('p.user_id = $5'), `
    exists (select from users where id = $5 and deleted_at is null) as found,`));
const remixes = statement<FoundList>(pageOf(ofProjects('p.remixed_from = $5'), `
    exists (select from projects p join users u on u.id = p.user_id and u.deleted_at is null
        where p.id = $5 and p.user_id = $6 and p.deleted_at is null) as found,`));

/** A page of a list under something that may not be there. */
export interface FoundList extends ListRow {
    found: boolean;
}

async function page<Row extends ListRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row> {
    const row = await runOne(db, sql, values);
    if (row === undefined) {
        throw new Error('A list always has one row');
    }

    return row;
}

export const listProjects = (db: Database, place: Place): Promise<ListRow> => page(db, all, placeValues(place));

export const listFeatured = (db: Database, place: Place): Promise<ListRow> => page(db, featured, placeValues(place));

export const listTagged = (db: Database, tag: string, place: Place): Promise<ListRow> => page(db, tagged, [...placeValues(place), tag]);

export const listUserProjects = (db: Database, userId: string, place: Place): Promise<FoundList> => {
    return page(db, byUser, [...placeValues(place), userId]);
};

export const listRemixes = (db: Database, userId: string, id: string, place: Place): Promise<FoundList> => {
    return page(db, remixes, [...placeValues(place), id, userId]);
};

/** One rank of the featured projects by language; the ranks before the place's are left out unread. */
const rank = (n: number, condition: string): string => `(
    select f.project_id, ${n} as rank, f.created_at from featured_projects f
    where $6::int <= ${n} and ${condition} and (f.created_at, f.project_id) <
        (case when $6::int = ${n} then $1::timestamptz else 'infinity' end, case when $6::int = ${n} then $2::bigint else 9223372036854775807 end)
    order by f.created_at desc, f.project_id desc limit $3::int + $4::int + 1)`;

const primary = `substring($5 from '^[a-z]+')`;

const featuredFor = statement<ListRow>(pageOf(`
    select * from (
        ${rank(0, 'f.language = $5')} union all
        ${rank(1, `f.primary_language = ${primary} and f.language <> $5`)} union all
        ${rank(2, `f.primary_language <> ${primary}`)}
    ) r order by r.rank, r.created_at desc, r.project_id desc limit ${paged}`));

/** Featured projects: authors of the language first, then of the same primary language, then the rest. */
export const listFeaturedFor = (db: Database, language: string, place: Place): Promise<ListRow> => {
    return page(db, featuredFor, [...placeValues(place), language.toLowerCase(), place.rank]);
};
