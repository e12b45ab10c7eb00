import { inProject, writing } from '../../database/declaration';
import { columnDefinitions, elementColumns, expressions, namesOf, pageColumns, projectColumns, nulls } from '../../rules/columns';
import { pagesThen } from '../../rules/point';
import { bytes, elementBytes } from '../../rules/sizes';
import { beginsAt, inserted } from '../../rules/write-sql';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, statement } from '../../database/statements/statement';
import { begins, begunColumns } from '../history/restore';
import { rewriteElements, rewritePages } from '../history/rewrite';
import type { RewriteOutcome, Rewritten } from '../history/rewrite';
import { jsonOf } from '../../api/json/json-text';
import { copiedElements, elementNames, pageNames, removedByModerator } from './changed';
import type { PullPlan } from './plan';
import type { Span } from './targets';

/** SQL that updates a project with the columns in the JSON of $3; the others stay as they are. */
export const pullBegins = statement({ parameters: ['bigint', 'bigint', 'json'], row: begunColumns, place: writing(inProject(1)) }, begins('pull', `select ${namesOf(projectColumns).join(', ')} from json_to_record($3::json) as r (${columnDefinitions(projectColumns)})`));

/** A value of the source, unless the remix gets a value of its own. */
const chosen = (names: readonly string[], theirs: string): string => names.map((name) => `case when '${name}' = any(r.theirs) then ${theirs}.${name} else r.${name} end as ${name}`).join(', ');

const both = (source: string): string => `
    p as materialized (select * from projects where id = ${source}), m as materialized (select id, user_id from projects where id = $1)`;

/** Pages of the source that come back, and their copies. */
const again = (ids: string): string => `again as materialized (select c.id, c.copied_from from pages c where c.project_id = $1 and c.copied_from = any(${ids}::bigint[]))`;

/** SQL for whether the element in a row may not come back. */
const barred = (id: string, mayReturn: string): string => `(not ${mayReturn}::boolean and ${removedByModerator('element', id)})`;

// $3 the new state of elements (JSON), $4 the source, $5 its revision, $6 copies of pages, $7 pages of the source that come back as they are there,
// $8 pages of the remix that come back with what was on them, $9 whether what a moderator removed comes back
const elementsPulled = rewriteElements(['json', 'bigint', 'integer', 'jsonb', 'bigint[]', 'bigint[]', 'boolean'], `
    with ${both('$4')}, ${again('$7')},
    r as materialized (select * from json_to_recordset($3::json) as r (id bigint, source_id bigint, shown boolean, touched boolean, theirs text[], ${columnDefinitions(elementColumns)})),
    g as materialized (${pagesThen('$5::int', 'and (g.id = any($7::bigint[]) or g.id in (select e.page_id from elements e where e.id in (select source_id from r)))')}),
    t as materialized (${copiedElements('g', '$5::int', 'and (e.id in (select source_id from r) or e.page_id = any($7::bigint[]))', '$6::jsonb', '$4')})
    select r.id, r.shown, r.touched, ${chosen(elementNames, 't')} from r left join t on t.id = r.source_id
    union all
    select e.id, t.id is not null or e.copied_from is null, true, ${elementNames.map((name) => `t.${name}`).join(', ')}
        from (select e.*, a.copied_from as source_page from again a join elements e on e.page_id = a.id) e full join t on t.id = e.copied_from and t.page_id = e.source_page
        where coalesce(e.id, 0) > 0 and ((t.id is not null and (${live('e')} or not ${barred('e.id', '$9')})) or ${live('e')})
    union all
    select e.id, true, true, ${nulls(elementColumns, elementNames)} from elements e
        where e.page_id = any($8::bigint[]) and ${live('e')} and e.id not in (select id from r)`);

// $4 the new state of pages, $5 the source, $6 its revision
const pagesPulled = rewritePages(['json', 'bigint', 'integer'], `
    /* constraints: immediate */
    with ${both('$5')},
    r as materialized (select * from json_to_recordset($4::json) as r (id bigint, source_id bigint, shown boolean, theirs text[], ${columnDefinitions(pageColumns)})),
    t as materialized (${pagesThen('$6::int', 'and g.id in (select source_id from r)')})
    select r.id, r.shown, ${chosen(pageNames, 't')} from r left join t on t.id = r.source_id`);

const copiedColumns = {
    pages: 'integer',
    elements: 'integer',
    /** pages that existed before */
    touched: 'text[]'
} as const;

// $3 new pages (JSON), $4 new elements on other pages, $5 the source, $6 its revision, $7 copies of pages, $8 pages of the source that come back as they are there
const copyNew = statement({ parameters: ['bigint', 'integer', 'json', 'json', 'bigint', 'integer', 'jsonb', 'bigint[]'], row: copiedColumns, place: writing(inProject(1)) }, `
    /* constraints: deferred */
    with ${both('$5')}, ${again('$8')},
    n as materialized (select * from json_to_recordset($3::json) as n (id bigint, source_id bigint, x integer, y integer)),
    f as materialized (select * from json_to_recordset($4::json) as f (source_id bigint, page_id bigint)),
    g as materialized (${pagesThen('$6::int', 'and (g.id in (select source_id from n union all select copied_from from again) or g.id in (select e.page_id from elements e where e.id in (select source_id from f)))')}),
    t as materialized (${copiedElements('g', '$6::int', 'and (e.id in (select source_id from f) or e.page_id in (select source_id from n union all select copied_from from again))', '$7::jsonb', '$5')}),
    placed as materialized (
        select t.*, f.page_id as copy from f join t on t.id = f.source_id
        union all select t.*, n.id from n join t on t.page_id = n.source_id
        union all select t.*, a.id from again a join t on t.page_id = a.copied_from
            where (a.id, t.id) not in (select e.page_id, e.copied_from from again join elements e on e.page_id = again.id where e.copied_from is not null)
    ), copied_elements as (
        ${inserted('elements', { page_id: 't.copy', project_id: '$1::bigint', copied_from: 't.id', ...beginsAt('$2::int'), ...expressions(namesOf(elementColumns), (name) => `t.${name}`) }, `
        from placed t order by t.copy, t.id
        returning e.page_id, ${elementBytes} as bytes`)}
    ), copied_pages as (
        ${inserted('pages', {
        id: 'n.id', project_id: '$1::bigint', copied_from: 'n.source_id', ...beginsAt('$2::int'), ...expressions(namesOf(pageColumns), (name) => (name === 'styles' ? 'g.styles' : `n.${name}`)),
        element_count: 'coalesce(s.count, 0)', page_bytes: `${bytes('g.styles')} + coalesce(s.bytes, 0)`
    }, `
        from n join g on g.id = n.source_id left join (select page_id, count(*) as count, sum(bytes) as bytes from copied_elements group by page_id) s on s.page_id = n.id
        returning 1`)}
    )
    select (select count(*) from copied_pages)::int as pages, (select count(*) from copied_elements)::int as elements,
        coalesce((select array_agg(distinct page_id::text) from copied_elements where page_id not in (select id from n)), '{}') as touched`);

// In between, two pages may have the same place.
const placesLater = statement({}, 'set constraints pages_coordinates_key deferred');
const placesNow = statement({}, 'set constraints pages_coordinates_key immediate');

/** Writes the changes of a pull to the pages and elements of a remix. Its project must be locked and have its new revision. */
export async function applyPlan(trx: Database, { remix, source, revision: point }: Span, plan: PullPlan, revision: number, mayReturn: boolean): Promise<RewriteOutcome> {
    const copies = JSON.stringify(plan.copies);
    const back = [...plan.back];
    await run(trx, placesLater, []);
    const elements = await runAlways(trx, elementsPulled, [remix, revision, jsonOf(plan.elements), source, point, copies, plan.again, back, mayReturn]);
    const made = await runAlways(trx, copyNew, [remix, revision, JSON.stringify(plan.newPages), JSON.stringify(plan.newElements), source, point, copies, plan.again]);
    const pages: Rewritten = await runAlways(trx, pagesPulled, [remix, revision, [...new Set([...elements.pages, ...made.touched])], jsonOf([...plan.pages.values()]), source, point]);
    await run(trx, placesNow, []);
    return {
        pages: [pages.created + made.pages, pages.updated, pages.removed],
        elements: [elements.created + made.elements, elements.updated, elements.removed + pages.with_pages]
    };
}
