import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { boundedPage, boundedPageColumns } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { notFound } from '../../api/errors/errors';
import { MAX_FIRST_REPLIES } from './limits';
import { existing } from '../../rules/existing';
import type { ProjectChain } from '../../rules/chain';
import type { Reader } from '../../rules/visibility';
import { audienceOf, fromReadable, isLet } from './access';
import { hasBlocked } from '../blocks/fragments';
import { CLOSED } from './audiences';
import type { CommentAudience } from './audiences';
import { commentJson, isListed, joinAuthor, threadJson } from './json';

/**
 * The parameters of lists: $1 and $2 are the path, $3 to $5 the reader, $6 the id after which the page begins, $7 how many items it has at
 * most.
 */
const reader = { id: '$3::bigint', moderator: '$4::boolean', teaches: '$5::boolean' };
const readTypes = ['bigint', 'bigint', 'bigint', 'boolean', 'boolean'] as const;
const listTypes = [...readTypes, 'bigint', 'integer'] as const;

const readValues = (chain: ProjectChain, { id, moderator, teaches = false }: Reader): unknown[] => [...chain, id, moderator, teaches];

/** A page of a list, and whether there is what it is of. */
const listColumns = { ...boundedPageColumns, seen: 'boolean', found: 'boolean' } as const;

const seen = `seen as materialized (select p.id ${fromReadable(reader)}),`;

/** SQL for the cursor that begins after an id (api/request/pagination.ts). */
const cursorAfter = (id: string): string => `translate(encode(convert_to('0.0.' || ${id}, 'UTF8'), 'base64'), '+/=', '-_')`;

/** SQL that reads the comments in lists, of the project $2; further conditions follow. */
const fromListed = (row: string): string => `from comments ${row} where ${row}.project_id = $2 and ${isListed.replaceAll('k.', `${row}.`)}`;

/**
 * SQL for the comments in the row `t` of which a column has a value, with smaller ids than $6, in the order of the index of that column.
 * The condition is a range instead of an equality: with an equality, PostgreSQL may rather read all comments there are in the order of
 * their ids (`newestWithin` in projects/lists.ts).
 */
const before = (column: string, value: string): string => `t.${column} >= ${value} and (t.${column}, t.id) < (${value}, $6::bigint) order by t.${column} desc, t.id desc`;

/** SQL for the answers in the row `a` in a thread, after an id, in the same way. */
const repliesAfter = (thread: string, id: string): string => `
    a.thread_id is not null and a.thread_id <= ${thread} and (a.thread_id, a.id) > (${thread}, ${id}) order by a.thread_id, a.id`;

/** The first answers in the thread that began with the comment in the row `k`, as one row. */
const firstReplies = `
    select coalesce(string_agg(q.json, ',' order by q.id) filter (where q.nth <= ${MAX_FIRST_REPLIES}), '') as items,
        case when count(*) > ${MAX_FIRST_REPLIES} then ${cursorAfter(`(max(q.id) filter (where q.nth <= ${MAX_FIRST_REPLIES}))`)} end as next
    from (
        select k.id, row_number() over (order by k.id) as nth, ${commentJson(reader)} as json from (
            select a.* ${fromListed('a')} and ${repliesAfter('t.id', '0')} limit ${MAX_FIRST_REPLIES} + 1
        ) k ${joinAuthor}
    ) q`;

/** A list of threads, newest first. @param which SQL for which of those in the row `t`, and their order */
const threads = (more: readonly string[], which: string) => statement({ parameters: [...listTypes, ...more], row: listColumns, place: inProject(2) }, boundedPage(`
    select 0 as rank, k.id, ${threadJson(reader)} as json from (
        select t.* ${fromListed('t')} and t.thread_id is null and exists (select from seen) and ${which} limit $7::int + 1
    ) k ${joinAuthor} cross join lateral (
        select r.* from (select k.id where k.replies > 0) t cross join lateral (${firstReplies}) r union all select '', null where k.replies = 0
    ) r order by k.id desc`, '$7::int', 'exists (select from seen) as seen, true as found,', seen));

const all = threads([], before('project_id', '$2::bigint'));
const ofPage = threads(['bigint'], before('page_id', '$8::bigint'));
const ofElement = threads(['bigint', 'bigint'], `($9::bigint is null or t.page_id = $9) and ${before('element_id', '$8::bigint')}`);

const replies = statement({ parameters: [...listTypes, 'bigint'], row: listColumns, place: inProject(2) }, boundedPage(`
    select 0 as rank, k.id, ${commentJson(reader)} as json from (
        select a.* ${fromListed('a')} and exists (select from seen) and ${repliesAfter('$8::bigint', '$6::bigint')} limit $7::int + 1
    ) k ${joinAuthor} order by k.id`, '$7::int', `exists (select from seen) as seen, exists (select ${fromListed('k')} and k.id = $8 and k.thread_id is null) as found,`, seen));

/** Where a page of comments begins, and how many it has at most. */
interface CommentPlace {
    after: string;
    count: number;
}

/** @throws 404 if there is no such project that the reader may see, or no such thread on it */
async function pageOf(found: Promise<RowOf<typeof listColumns>>): Promise<BoundedPage> {
    const row = await found;
    if (!row.seen || !row.found) {
        throw notFound(row.seen ? 'comment' : 'project');
    }

    return row;
}

/**
 * The threads on a project, newest first; about a page or an element alone, if one is given.
 * @throws 404 if there is no such project that the reader may see
 */
export function listThreads(
    db: Database, chain: ProjectChain, by: Reader, { after, count }: CommentPlace, { page, element }: { page?: string; element?: string }
): Promise<BoundedPage> {
    const values = [...readValues(chain, by), after, count];
    if (element !== undefined) {
        return pageOf(runAlways(db, ofElement, [...values, element, page ?? null]));
    }

    return pageOf(page === undefined ? runAlways(db, all, values) : runAlways(db, ofPage, [...values, page]));
}

/** The answers of a thread, oldest first. @throws 404 if there is no such project that the reader may see, or no such thread on it */
export const listReplies = (db: Database, chain: ProjectChain, by: Reader, { after, count }: CommentPlace, thread: string): Promise<BoundedPage> => {
    return pageOf(runAlways(db, replies, [...readValues(chain, by), after, count, thread]));
};

const settingsColumns = { who: known<CommentAudience>('text'), lets: 'boolean' } as const;
// Who is blocked reads what is said where comments are closed, and so cannot tell that they are.
const settings = statement({ parameters: readTypes, row: settingsColumns, place: inProject(2) }, `
    select case when ${hasBlocked('p.user_id', reader.id)} then '${CLOSED}' else ${audienceOf} end as who, coalesce(${isLet(reader.id)}, false) as lets ${fromReadable(reader)}`);

/** Who may comment on a project, and whether its owner lets the reader. @throws 404 if there is no such project that the reader may see */
export async function findSettings(db: Database, chain: ProjectChain, by: Reader): Promise<RowOf<typeof settingsColumns>> {
    return existing(await runOne(db, settings, readValues(chain, by)), 'project');
}
