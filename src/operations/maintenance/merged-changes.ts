import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, statement } from '../../database/statements/statement';

/*
 * What changes did that others were merged into. A change goes from the point `since` to the point `at`, and each thing counts once, by
 * whether it was there at both. The first version of each thing after a point is kept, and says how the thing was was_there.
 */

/** SQL for whether the page or element in a row was there at a revision. */
const was = (type: 'page' | 'element', row: string, revision: string): string => `(${row}.created_revision <= ${revision} and not coalesce((
    select v.deleted from versions v where v.project_id = $1 and v.type = '${type}' and v.id = ${row}.id and v.to_revision > ${revision}
        order by v.to_revision limit 1
), not ${live(row)}))`;

/** SQL for the change that a revision belongs to, if it is one of those that are counted. */
const changeOf = (revision: string): string => `
    cross join lateral (select n.revision as at from project_changes n
        where n.project_id = $1 and n.revision >= ${revision} order by n.revision limit 1) n join c on c.at = n.at`;

/** SQL for whether the thing in a row may have been made by one of the changes. */
const isMade = (row: string): string =>
    `${row}.created_revision > (select min(since) from c) and ${row}.created_revision <= (select max(at) from c)`;

const counted = (name: string): string => `
    ${name}s as (select at, array[count(*) filter (where is_there and not was_there), count(*) filter (where is_there and was_there and written), count(*) filter (where was_there and not is_there)]::int[] as counts from ${name} group by at)`;

const recount = statement({ parameters: ['bigint', 'integer[]'], place: writing(inProject(1)) }, `
    with c as materialized (select revision as at, from_revision as since
        from project_changes where project_id = $1 and revision = any($2::int[])),
    touched as materialized (
        select at, since, type, id, bool_or(written) as written from (
            select c.at, c.since, v.type, v.id, v.field <> 'self' as written
                from versions v ${changeOf('v.to_revision')} where v.project_id = $1 and v.type <> 'project'
            union all
            select c.at, c.since, 'page', g.id, false from pages g ${changeOf('g.created_revision')}
                where g.project_id = $1 and ${isMade('g')}
            union all
            select c.at, c.since, 'element', e.id, false from pages g
                join elements e on e.page_id = g.id ${changeOf('e.created_revision')} where g.project_id = $1 and ${isMade('e')}
        ) things group by at, since, type, id
    ), page as materialized (
        select t.at, t.since, t.written, g.id, ${was('page', 'g', 't.since')} as was_there, ${was('page', 'g', 't.at')} as is_there
        from touched t join pages g on g.project_id = $1 and g.id = t.id where t.type = 'page'
    ), element as materialized (
        select t.at, t.written, page.was_there and ${was('element', 'e', 'page.since')} as was_there, page.is_there
            and ${was('element', 'e', 't.at')} as is_there
        from (
            select at, id, bool_or(written) as written from (
                select at, id, written from touched where type = 'element'
                union all
                select page.at, e.id, false from page join elements e on e.page_id = page.id where page.was_there <> page.is_there
            ) things group by at, id
        ) t join elements e on e.id = t.id join page on page.at = t.at and page.id = e.page_id
    ), ${counted('page')}, ${counted('element')}
    update project_changes c set counts = array[c.counts[1]] || coalesce(pages.counts, '{0,0,0}') || coalesce(elements.counts, '{0,0,0}')
    from c merged left join pages on pages.at = merged.at left join elements on elements.at = merged.at
        where c.project_id = $1 and c.revision = merged.at`);

/** Counts again what the changes that ended at these revisions did. */
export const recountChanges = (db: Database, project: string, revisions: readonly number[]): Promise<unknown> =>
    run(db, recount, [project, revisions]);
