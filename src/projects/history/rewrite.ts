import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { changeableOf, elementColumns, expressions, nulls, pageColumns } from '../../rules/columns';
import { elementBytes, bytes } from '../../rules/sizes';
import { updated } from '../../rules/write-sql';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { runAlways, statement } from '../../database/statements/statement';
import type { Statement } from '../../database/statements/statement';
import { fault } from '../../api/errors/errors';
import { MOST_PROJECT_BYTES } from '../../limits';

/*
 * Brings pages and elements of a project, those that are deleted included, into a state that is given: for restoring, undoing and the trash.
 * All of it is one change. The project is locked, and has its new revision, before.
 */

/** The new state of rows: SQL for `id`, `shown`, and the columns that authors write, null for those that stay, and the types of its parameters. */
type Source = readonly [parameters: readonly string[], sql: string];

/** How many things a rewrite created, updated and removed. */
export type RewriteCounts = [created: number, updated: number, removed: number];

const rewrittenColumns = {
    created: 'integer',
    updated: 'integer',
    removed: 'integer',
    /** pages in which something was rewritten */
    pages: 'text[]',
    /** elements that went with pages */
    with_pages: 'integer'
} as const;
export type Rewritten = RowOf<typeof rewrittenColumns>;

/** SQL that deletes or restores a row as `t.shown` says. */
const showsOrNot = (row: string): string => `deleted_at = case when not t.shown then coalesce(${row}.deleted_at, now()) end`;

const counted = `
    select (count(*) filter (where is_shown and not was_shown))::int as created, (count(*) filter (where is_shown and was_shown and not touched))::int as updated,
        (count(*) filter (where was_shown and not is_shown))::int as removed`;

const columnsOf = (names: readonly string[]): Record<string, string> => expressions(names, (name) => `t.${name}`);
const differs = (row: string, names: readonly string[]): string => `(${names.map((name) => `t.${name} is not null or `).join('')} t.shown is distinct from (${live(row)}) or t.touched)`;

/**
 * A statement that rewrites elements; $1 is the project, $2 its new revision. The parameters of the source begin at $3.
 * @param source also has `touched`: whether the element comes back with its page
 */
export const rewriteElements = (...[parameters, source]: Source): Statement<Rewritten> => statement({ parameters: ['bigint', 'integer', ...parameters], row: rewrittenColumns, place: writing(inProject(1)) }, `
    with s as materialized (${source}), t as materialized (select s.*, ${live('e')} as was_shown from s join elements e on e.id = s.id),
    written as (
        ${updated('elements', { columns: columnsOf(changeableOf(elementColumns)), set: [showsOrNot('e')], at: '$2::int', inProject: '$1::bigint' }, `
        from t where e.id = t.id and ${differs('e', changeableOf(elementColumns))}
        returning e.page_id, e.deleted_at is null as is_shown, t.was_shown and t.touched is not true as was_shown, false as touched`)}
    )
    ${counted}, coalesce(array_agg(distinct page_id::text), '{}') as pages, 0 as with_pages from written`);

const pageNames = changeableOf(pageColumns);
const elementsOf = `from elements e where e.page_id = g.id and ${live('e')}`;

/** The same for pages. $3 are further pages in which something was rewritten; the parameters of the source begin at $4. */
export const rewritePages = (...[parameters, source]: Source): Statement<Rewritten> => statement({ parameters: ['bigint', 'integer', 'bigint[]', ...parameters], row: rewrittenColumns, place: writing(inProject(1)) }, `
    with s as materialized (${source}), t as materialized (
        select id, shown, ${pageNames.join(', ')}, id = any($3::bigint[]) as touched from s
        union all
        select g.id, ${live('g')}, ${nulls(pageColumns, pageNames)}, true
            from pages g where g.id = any($3::bigint[]) and g.project_id = $1 and not exists (select from s where s.id = g.id)
    ), before as materialized (select g.id, ${live('g')} as was_shown from pages g where g.id in (select id from t)),
    written as (
        ${updated('pages', {
        columns: columnsOf(pageNames), at: '$2::int',
        set: [showsOrNot('g'), `element_count = (select count(*) ${elementsOf})`, `page_bytes = ${bytes('coalesce(t.styles, g.styles)')} + (select coalesce(sum(${elementBytes}), 0) ${elementsOf})`]
    }, `
        from t, before b where g.id = t.id and b.id = t.id and ${differs('g', pageNames)}
        returning g.id, g.deleted_at is null as is_shown, b.was_shown, ${pageNames.map((name) => `t.${name} is null and `).join('')} true as touched, g.element_count`)}
    )
    ${counted}, coalesce(array_agg(id::text), '{}') as pages, (coalesce(sum(element_count) filter (where was_shown and not is_shown), 0))::int as with_pages from written`);

const finish = statement({ parameters: ['bigint', 'integer', 'integer[]'], row: { too_large: 'boolean' }, place: writing(inProject(1)) }, `
    with now as materialized (select count(*) as pages, coalesce(sum(page_bytes), 0) as bytes from pages g where g.project_id = $1 and ${live('g')}),
    counted as (update project_changes set counts = $3::int[] where project_id = $1 and revision = $2),
    kept as (select project_bytes from projects where id = $1)
    update projects p set page_count = now.pages, project_bytes = now.bytes, change_counts = $3::int[] from now, kept where p.id = $1
    returning p.project_bytes > greatest(${MOST_PROJECT_BYTES}, kept.project_bytes) as too_large`);

/** Counts the project's contents again, and what the change did. @throws 409 if the project has too much now */
export async function finishRewrite(trx: Database, project: string, revision: number, counts: readonly number[]): Promise<void> {
    const { too_large: isTooLarge } = await runAlways(trx, finish, [project, revision, counts]);
    if (isTooLarge) {
        throw fault('project_size_limit');
    }
}

/** The number of rows that were rewritten. */
export interface RewriteOutcome {
    pages: RewriteCounts;
    elements: RewriteCounts;
}

const countsOf = ({ created, updated: changed, removed }: Rewritten): RewriteCounts => [created, changed, removed];

/** Rewrites elements, and then the pages in which they are. */
export async function rewrite(
    trx: Database, project: string, revision: number, [elements, ofElements]: [Statement<Rewritten>, unknown[]], [pages, ofPages]: [Statement<Rewritten>, unknown[]]
): Promise<RewriteOutcome> {
    const changed = await runAlways(trx, elements, [project, revision, ...ofElements]);
    const around = await runAlways(trx, pages, [project, revision, changed.pages, ...ofPages]);
    const [created, updates, removed] = countsOf(changed);
    return { elements: [created, updates, removed + around.with_pages], pages: countsOf(around) };
}
