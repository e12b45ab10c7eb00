import { changeSet, writableColumns, list } from '../../rules/change-set';
import { columnDefinitions, elementColumns, namesOf, pageColumns, projectColumns } from '../../rules/columns';
import { pagesThen } from '../../rules/point';
import { live } from '../../database/statements/deletion';
import { jsonOf } from '../../api/json/json-text';
import { copiedElements, removedByModerator } from './changed';
import type { PullPlan } from './plan';
import type { Span } from './targets';


/** A value of the source, unless the remix gets a value of its own. */
const chosen = (names: readonly string[], theirs: string): string => names.map((name) => `case when '${name}' = any(r.theirs) then ${theirs}.${name} else r.${name} end as ${name}`).join(', ');

const records = (parameter: string, columns: string): string => `select * from json_to_recordset(${parameter}::json) as r (id bigint, source_id bigint, shown boolean, theirs text[], ${columns})`;

/**
 * The changes of a plan to a remix. $3 the columns of its project, $4 and $5 the new state of pages and elements, $6 new pages, $7 new elements on other pages (all JSON), $8 the source,
 * $9 its revision, $10 copies of pages, $11 pages of the source that come back as they are there, $12 whether what a moderator removed comes back.
 */
export const pulled = changeSet({
    kind: 'pull', parameters: ['json', 'json', 'json', 'json', 'json', 'bigint', 'integer', 'jsonb', 'bigint[]', 'boolean'],
    before: `
        p as materialized (select * from projects where id = $8), m as materialized (select id, user_id from projects where id = $1),
        rg as materialized (${records('$4', columnDefinitions(pageColumns))}),
        re as materialized (${records('$5', columnDefinitions(elementColumns))}),
        n as materialized (select * from json_to_recordset($6::json) as n (id bigint, source_id bigint, x integer, y integer)),
        f as materialized (select * from json_to_recordset($7::json) as f (source_id bigint, page_id bigint)),
        again as materialized (select c.id, c.copied_from from pages c where c.project_id = $1 and c.copied_from = any($11::bigint[])),
        picked as materialized (select source_id as id from re union all select source_id from f),
        g as materialized (${pagesThen('$9::int', `and g.id in (
            select source_id from rg union all select source_id from n union all select unnest($11::bigint[]) union all select e.page_id from elements e where e.id in (select id from picked))`)}),
        t as materialized (${copiedElements('g', '$9::int', 'and (e.id in (select id from picked) or e.page_id in (select source_id from n union all select copied_from from again))', '$10::jsonb', '$8')})`,
    project: `select * from json_to_record($3::json) as r (${columnDefinitions(projectColumns)})`,
    pages: `select r.id, r.shown, ${chosen(writableColumns.page, 't')} from rg r left join g t on t.id = r.source_id`,
    elements: `
        select r.id, r.shown, ${chosen(writableColumns.element, 't')} from re r left join t on t.id = r.source_id
        union all
        select e.id, t.id is not null or e.copied_from is null, ${list('t', writableColumns.element)}
            from (select e.*, a.copied_from as source_page from again a join elements e on e.page_id = a.id) e full join t on t.id = e.copied_from and t.page_id = e.source_page
            where coalesce(e.id, 0) > 0 and ((t.id is not null and (${live('e')} or $12::boolean or not ${removedByModerator('element', 'e.id')})) or ${live('e')})`,
    newPages: `select n.id, n.source_id as copied_from, n.x, n.y, g.styles from n join g on g.id = n.source_id`,
    newElements: `
        select t.copy as page_id, t.id as copied_from, ${list('t', namesOf(elementColumns))} from (
            select t.*, f.page_id as copy from f join t on t.id = f.source_id
            union all select t.*, n.id from n join t on t.page_id = n.source_id
            union all select t.*, a.id from again a join t on t.page_id = a.copied_from
                where (a.id, t.id) not in (select e.page_id, e.copied_from from again join elements e on e.page_id = again.id where e.copied_from is not null)
        ) t order by t.copy, t.id`
});

/** The parameters of `pulled`. */
export const pulledBy = ({ source, revision }: Span, plan: PullPlan, columns: object, mayReturn: boolean): unknown[] => [
    jsonOf({ ...columns, remixed_revision: revision }), jsonOf([...plan.pages.values()]), jsonOf(plan.elements), JSON.stringify(plan.newPages), JSON.stringify(plan.newElements),
    source, revision, JSON.stringify(plan.copies), plan.again, mayReturn
];
