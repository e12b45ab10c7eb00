import type { Request } from '@hapi/hapi';

import { workQueue } from '../api/concurrency/work-queue';
import { parseLike } from '../database/samples';
import { withinBytes } from '../database/bounded-page';
import { isActiveUser, joinUser } from '../accounts/users/fragments';
import { likesOf } from '../community/likes/fragments';
import { inAllShards } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import { listRowColumns, placeOf } from '../api/request/pagination';
import { projectChain } from '../rules/chain';
import type { Database } from '../database/statements/connection';
import { everybody, isListed, maySee, readerParameters, readerTypes, readerValues } from '../rules/visibility';
import type { Readable, Reader, ReaderExpressions } from '../rules/visibility';
import { live } from '../database/statements/deletion';
import { milliseconds } from '../database/statements/json-sql';
import { runAlways, statement } from '../database/statements/statement';
import type { ListQuery } from '../api/request/list-url';
import type { ListRow, ListPlace } from '../api/request/pagination';
import { ownProjectJson, projectWithStatsJson } from '../api/representations/project';
import type { Visibility } from '../api/representations/visibility';

const numbered = workQueue(4, 2);

/** The place in a list that has numbered pages: without a cursor, a page by its number. */
export const numberedPlaceOf = (query: ListQuery): ListPlace => placeOf(query.after === undefined ? { page: 1, ...query } : query);

/** Reads a page of such a list. Numbered pages have all of their projects, whatever is in these, so they are read a few at a time, and addresses take turns. */
export const readList = <Result>(request: Pick<Request, 'turn'> & { query: ListQuery }, read: () => Promise<Result>): Promise<Result> =>
    (request.query.after === undefined ? numbered.run(read, request.turn()) : read());

/** Parameters of every list: $1 and $2 are the place after which the page begins, $3 the count, $4 the offset, $5 whose list it is. */
export const placeValues = ({ before, beforeId, count, offset }: ListPlace): unknown[] => [before, beforeId, count, offset];

/** How long one view keeps a project in the list of trending projects. At its end, a view of today counts as much as 128 of that age. */
export const TRENDS = `interval '7 days'`;

/** SQL for one row more than asked for, which tells whether there are more. */
const paged = '$3::int + 1 offset $4::int';

/** SQL for the rows after the list's place, in the order of these two columns, of which there can be an index. */
export const newestFirst = (time: string, id: string): string => `
    (${time}, ${id}) < ($1::timestamptz, $2::bigint) order by ${time} desc, ${id} desc limit ${paged}`;

/**
 * SQL for those within one value of a column that is first in the index. The condition is a range: with an equality, PostgreSQL expects
 * few rows, and decides to read and sort all of them. For a tag that every project has, those are all projects.
 */
export const newestWithin = (
    column: string, value: string, time: string, id: string, after = ['$1::timestamptz', '$2::bigint'], most = paged
): string => `
    ${column} >= ${value} and (${column}, ${time}, ${id}) < (${[value, ...after].join(', ')})
    order by ${column} desc, ${time} desc, ${id} desc limit ${most}`;

/**
 * SQL for a page of a list, which ends at so many items or, unless it is numbered, bytes.
 * Each project is looked up by its key in a lateral join. With an ordinary join, PostgreSQL decides to read all projects.
 * @param picked a query that returns `project_id` and `rank` in the order of the list, one row more than the page has
 * @param columns other columns of the statement's result
 * @param time SQL for the time that the list is ordered by, as cursors have it, with the row `p` of the project and `k` of `picked`
 * @param before queries that come before `picked` in the WITH clause
 * @param json SQL for the JSON text of the project in the row `p`
 */
export const listPage = (picked: string, columns = '', time = milliseconds('p.created_at'), before = '', json = projectWithStatsJson): string => `
    with ${before} picked as materialized (
        select row_number() over () as n, q.* from (${picked}) q
    ), shown as (${withinBytes(`
        select k.n, k.rank, one.* from picked k cross join lateral (
            select ${time} as time, p.id, ${json} as json
            from projects p ${joinUser('p.user_id')} left join project_stats s on s.project_id = p.id
            where p.id = k.project_id limit 1
        ) one
        where k.n <= $3::int`, picked.includes(paged) ? '$4::int is not null' : undefined)}
    ), last as (
        select rank, time, id from shown where n = (select max(n) from shown) and n < (select max(n) from picked)
    )
    /* page */ select ${columns} coalesce((select string_agg(json, ',' order by n) from shown), '') as items,
        (select rank from last), (select time from last), (select id from last)`;

/** A list that an index of `projects` has in its order. @param which SQL for which projects are in it; all that are listed if left out */
const ofProjects = (rest: string, which = isListed('p')): string => `
    select p.id as project_id, 0 as rank from projects p where ${which} and ${rest}`;

/** A page of a list, and whether the user or project that it belongs to was found. */
const foundListColumns = { ...listRowColumns, found: 'boolean' } as const;
export type FoundList = RowOf<typeof foundListColumns>;

/** The types of the parameters that `placeValues` fills. */
export const placeTypes = ['timestamp with time zone', 'bigint', 'integer', 'integer'];
export const inPages = inAllShards({ kind: 'page' });

const all = statement({ parameters: placeTypes, row: listRowColumns, place: inPages }, listPage(ofProjects(newestFirst('p.created_at', 'p.id'))));
const featured = statement({ parameters: placeTypes, row: listRowColumns, place: inPages }, listPage(`
    select f.project_id, 0 as rank from featured_projects f where ${newestFirst('f.created_at', 'f.project_id')}`));
// PostgreSQL has no statistics of `coalesce(…)`, so it does not expect few rows here either: see `newestWithin`.
const tagged = statement({ parameters: [...placeTypes, 'text'], row: listRowColumns, place: inPages }, listPage(`
    select t.project_id, 0 as rank from project_tags t
    where coalesce(t.tag = $5, false) and ${newestWithin('hashtextextended(t.tag, 0)', 'hashtextextended($5, 0)', 't.created_at', 't.project_id')}`));
const byUser = statement({ parameters: [...placeTypes, 'bigint'], row: foundListColumns, place: inPages }, listPage(ofProjects(newestWithin('p.user_id', '$5::bigint', 'p.created_at', 'p.id')), `
    ${isActiveUser('$5')} as found,`));
// Authors can list all of their own projects, also those that nobody else can see.
const own = statement({ parameters: [...placeTypes, 'bigint', 'text'], row: foundListColumns, place: inPages }, listPage(
    ofProjects(newestWithin('p.user_id', '$5::bigint', 'p.created_at', 'p.id'),
        `${live('p')} and ($6::text = 'all' or p.visibility::text = $6)`),
    'true as found,', undefined, '', ownProjectJson(likesOf('p.id'))
));

/** SQL for whether the reader can see the source of the remixes. */
const source = (reader: ReaderExpressions): string =>
    `exists (select ${projectChain(reader, '', 'p.id = $5 and p.user_id = $6')}) as found,`;
const remixesOf = (which: string): string => ofProjects(newestWithin('p.remixed_from', '$5::bigint', 'p.created_at', 'p.id'), which);
const remixes = statement({ parameters: [...placeTypes, 'bigint', 'bigint'], row: foundListColumns, place: inPages }, listPage(remixesOf(isListed('p')), source(everybody)));
const reader = { ...readerParameters(6), projects: '$11::bigint[]' };
const remixesFor = statement({ parameters: [...placeTypes, 'bigint', 'bigint', ...readerTypes, 'bigint[]'], row: foundListColumns, place: inPages }, listPage(remixesOf(`${live('p')} and (${isListed('p')} or ${maySee('p', reader)})`), source(reader)));

// A lateral join, for the reason given at `pageOf`.
const trending = statement({ parameters: placeTypes, row: listRowColumns, place: inPages }, listPage(`
    select t.project_id, 0 as rank, t.at from trending t
    cross join lateral (select from projects p where p.id = t.project_id and ${isListed('p')} limit 1) listed
    where t.at > now() - ${TRENDS} and ${newestFirst('t.at', 't.project_id')}`, '', milliseconds('k.at')));
const shared = statement({ parameters: [...placeTypes, 'bigint'], row: listRowColumns, place: inPages }, listPage(`
    select m.project_id, 0 as rank from project_members m join projects p on p.id = m.project_id
    where m.user_id = $5 and ${live('p')} and p.held_at is null
        and ${newestFirst('p.updated_at', 'p.id')}`, '', milliseconds('p.updated_at')));

export const listProjects = (db: Database, place: ListPlace): Promise<ListRow> => runAlways(db, all, placeValues(place));

export const listFeatured = (db: Database, place: ListPlace): Promise<ListRow> => runAlways(db, featured, placeValues(place));

export const listTrending = (db: Database, place: ListPlace): Promise<ListRow> => runAlways(db, trending, placeValues(place));

export const listTagged = (db: Database, tag: string, place: ListPlace): Promise<ListRow> =>
    runAlways(db, tagged, [...placeValues(place), tag]);

export const listUserProjects = (db: Database, userId: string, place: ListPlace): Promise<FoundList> =>
    runAlways(db, byUser, [...placeValues(place), userId]);

/** Which of their own projects a user can list. */
export type OwnProjects = 'all' | Visibility;

export const listOwnProjects = (db: Database, userId: string, which: OwnProjects, place: ListPlace): Promise<FoundList> =>
    runAlways(db, own, [...placeValues(place), userId, which]);

/** The projects that others share with a user, latest change first. */
export const listShared = (db: Database, userId: string, place: ListPlace): Promise<ListRow> =>
    runAlways(db, shared, [...placeValues(place), userId]);

/** The remixes of a project that the reader can see. Undefined if the reader cannot see the project. */
export async function listRemixes(db: Database, userId: string, id: string, place: ListPlace, { id: readerId, moderator, teaches, projects = null }: Reader): Promise<ListRow & Readable | undefined> {
    const values = [...placeValues(place), id, userId];
    const open = readerId === null;
    const row = open ? await runAlways(db, remixes, values) : await runAlways(db, remixesFor, [...values, ...readerValues({ id: readerId, moderator, teaches }), projects]);
    // What else a moderator sees here is noted, and nobody else's is.
    const others = moderator ? parseLike<{ id: string }[]>(`[${row.items}]`, [{ id: '' }]).map(({ id: shown }) => shown) : [];
    return row.found ? { ...row, open, others } : undefined;
}

/** Most rows that each part of the list by language has to return: those that are skipped, those that are shown, and one more. */
const enough = '$3::int + coalesce($4::int, 0) + 1';

/** SQL for the featured projects of one language in order. They begin after the list's place if the place has this rank. */
const inLanguage = (rank: number, language: string): string => `
    select f.project_id, ${rank} as rank, f.created_at from featured_projects f
    where ${newestWithin('f.language', language, 'f.created_at', 'f.project_id', [
        `case when $6::int = ${rank} then $1::timestamptz else 'infinity' end`, `case when $6::int = ${rank} then $2::bigint else 9223372036854775807 end`
    ], enough)}`;

/** SQL for the ranks after the first. Languages are read one by one, so that the index is read only where there are rows of the list. */
const inLanguages = (rank: number, condition: string, before: string): string => `
    select q.* from languages l cross join lateral (${inLanguage(rank, 'l.language')}) q
    where $6::int <= ${rank} and ${condition} and (${before}) < ${enough}
    order by q.created_at desc, q.project_id desc limit ${enough}`;

/** SQL for the primary language of a tag in lower case: `pt` of `pt-br`, and `mw1` of itself. */
const primaryOf = (language: string): string => `substring(${language} from '^[a-z0-9]+')`;

// Each step finds the next language in the index, without reading the rows between.
const featuredFor = statement({ parameters: [...placeTypes, 'text', 'integer'], row: listRowColumns, place: inPages }, listPage(`
    with recursive languages as (
        select min(language) as language from featured_projects
        union all
        select (select min(f.language) from featured_projects f where f.language > l.language) from languages l where l.language is not null
    ), same as materialized (
        select * from (${inLanguage(0, '$5')}) q where $6::int = 0
    ), alike as materialized (
        ${inLanguages(1, `${primaryOf('l.language')} = ${primaryOf('$5')} and l.language <> $5`, 'select count(*) from same')}
    ), rest as materialized (
        ${inLanguages(2, `${primaryOf('l.language')} <> ${primaryOf('$5')}`, 'select (select count(*) from same) + (select count(*) from alike)')}
    )
    select * from (select * from same union all select * from alike union all select * from rest) r
    order by r.rank, r.created_at desc, r.project_id desc limit ${paged}`));

/** Featured projects: authors of the language first, then of the same primary language, then the rest. */
export const listFeaturedFor = (db: Database, language: string, place: ListPlace): Promise<ListRow> =>
    runAlways(db, featuredFor, [...placeValues(place), language.toLowerCase(), place.rank]);
