import { fromProject } from '../../projects/fragments';
import { inAllShards } from '../../database/declaration';
import { listRowColumns } from '../../api/request/pagination';
import { isListed } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { runAlways, statement } from '../../database/statements/statement';
import type { ListRow, ListPlace } from '../../api/request/pagination';
import { listPage } from '../../projects/lists';
import { BLOCK, BLOCK_MARK, questionsOf } from './lexemes';
import type { Filters } from './lexemes';
import { termsOf } from './words';

/** Milliseconds after which a search returns what it has found, and goes on with the next page. */
const PATIENCE = 300;

/*
 * Runs the queries, best matches first, and each of them on one block of ids after the other, the newest first, until there are enough results for a page and
 * one more. So the cost does not depend on how many projects match. The cursor is a query and the last id.
 */
const walk = `
    recursive walk (n, rank, top, ids, total) as (
        select 0, $1::int, $2::bigint, '{}'::bigint[], 0
        union all
        select w.n + 1, w.rank + case when b.number is null then 1 else 0 end,
            case when b.number is null then 9223372036854775807 else greatest(b.number * ${BLOCK}, 1) end,
            found.ids, w.total + cardinality(found.ids)
        from walk w
        cross join lateral (select max(s.project_id) / ${BLOCK} as number from project_search s where s.project_id < w.top) b
        cross join lateral (
            select array(
                select hit.project_id from (
                    select s.project_id from project_search s
                    where s.words @@ replace(($4::text[])[w.rank + 1], '${BLOCK_MARK}', b.number::text)::tsquery offset 0
                ) hit
                cross join lateral (select ${fromProject('hit.project_id')} and ${isListed('p')} limit 1) listed
                where hit.project_id < w.top order by hit.project_id desc limit $3::int + 1 - w.total
            ) as ids
        ) found
        where w.total <= $3 and w.rank < cardinality($4)
            and (w.n = 0 or clock_timestamp() < statement_timestamp() + make_interval(secs => $5::float8 / 1000))
    ), reached as (
        select rank, top from walk where n = (select max(n) from walk) and total <= $3 and rank < cardinality($4)
    ),`;

const found = statement({ parameters: ['integer', 'bigint', 'integer', 'text[]', 'double precision'], row: { ...listRowColumns, reached_rank: 'integer?', reached: 'bigint?' }, place: inAllShards({ kind: 'page' }) }, listPage(
    'select id as project_id, w.rank from walk w, unnest(w.ids) as id order by w.rank, id desc',
    '(select rank from reached) as reached_rank, (select top from reached) as reached,',
    undefined, walk));

/** The terms of a search. */
export interface Search extends Filters {
    q: string;
}

/**
 * Listed projects with all words of a question, best matches first: all words whole in the title; all in the title; all in title, tags
 * and author's name; all anywhere. Among equals the newest come first.
 * @param patience milliseconds after which a page is cut short
 */
export async function search(db: Database, { q, ...filters }: Search, { rank, beforeId, count }: ListPlace, patience = PATIENCE): Promise<ListRow> {
    const terms = termsOf(q);
    const questions = terms.length === 0 ? [] : questionsOf(terms, filters);
    const { reached_rank: reachedRank, reached, ...row } = await runAlways(db, found, [rank, beforeId, count, questions, patience]);
    return reached === null || row.id !== null ? row : { ...row, rank: reachedRank, time: '0', id: reached };
}
