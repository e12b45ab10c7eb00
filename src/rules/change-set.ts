import { inProject, writing } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import type { ChangeKind } from '../api/representations/change';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { runAlways, statement } from '../database/statements/statement';
import type { Statement } from '../database/statements/statement';
import type { ChangeAuthor } from './access';
import { changeableOf, elementColumns, nulls, pageColumns, projectColumns, recordedOf } from './columns';
import { columnsOf, madeElements, madePages } from './made-things';
import { bytes, elementBytes, growth } from './sizes';
import { updated } from './write-sql';

/*
 * A change set: the new state of a project and of pages and elements in it, whichever way it is known. One statement writes all of it as one change:
 * it counts what was created, updated and removed, and by how much pages and the project grow, moves the revisions, and keeps what is replaced in
 * the history. So restoring, undoing, pulling, the trash and operators only say what should be there. A bulk says it in rows, of several
 * projects: change-rows.ts.
 *
 * `npm run sql -- changed_pages` prints the statements. In them, `p`, `g` and `e` are rows of the tables of projects, pages and elements.
 */

/** Names of the columns that a change set gives, null for those that stay. */
export const writableColumns = { project: recordedOf(projectColumns), page: changeableOf(pageColumns), element: changeableOf(elementColumns) } as const;

/** SQL for a null of each column. */
export const unchanged = { project: nulls(projectColumns, writableColumns.project), page: nulls(pageColumns, writableColumns.page), element: nulls(elementColumns, writableColumns.element) } as const;

/** Queries of what should be there. $1 is the project, which is locked, and $2 the user who changes it; the last parameter is the app whose token they have. */
interface ChangeSet {
    kind: ChangeKind;
    /** types of the parameters from $3 on */
    parameters: readonly string[];
    /** common table expressions for the queries */
    before?: string;
    /** the columns of the project */
    project?: string;
    /** `id`, `shown`, which says whether the page exists, deleted ones included, and its columns. The live elements of a page that comes back come with it */
    pages?: string;
    /** the same of elements */
    elements?: string;
    /** as `madePages` takes them */
    newPages?: string;
    /** as `madeElements` takes them */
    newElements?: string;
}

const writtenColumns = { changed: 'boolean' } as const;

export const list = (row: string, names: readonly string[]): string => names.map((name) => `${row}.${name}`).join(', ');
const anyOf = (row: string, names: readonly string[]): string => `(${names.map((name) => `${row}.${name} is not null`).join(' or ')})`;
const showsOrNot = (row: string): string => `deleted_at = case when not t.shown then coalesce(${row}.deleted_at, now()) end`;

/** SQL for the columns that get another value, null for the others: a query of one row, which reads what is large once. */
const different = (names: readonly string[], row: string): string => `lateral (select ${names.map((name) => `case when s.${name}::text <> ${row}.${name}::text then s.${name} end as ${name}`).join(', ')} offset 0) d`;

const livePage = live('g');
const liveElement = live('e');

/** SQL for the bytes of an element that is `shown`, less those that it had. */
const elementGrown = `case
    when s.shown and ${liveElement} then ${writableColumns.element.map((name) => growth(`e.${name}`, `d.${name}`)).join(' + ')}
    when s.shown then ${writableColumns.element.map((name) => bytes(`coalesce(d.${name}, e.${name})`)).join(' + ')}
    when ${liveElement} then -${elementBytes} else 0 end`;

const NO_PAGES = `select null::bigint as id, true as shown, ${unchanged.page} where false`;
const NO_ELEMENTS = `select null::bigint as id, true as shown, ${unchanged.element} where false`;

/** The project, its new revision `at`, and the columns of it that get another value. */
const target = (project: string): string => `
    target as materialized (
        select p.id, p.revision + 1 as at, d.* from (${project}) s, projects p, ${different(writableColumns.project, 'p')} where p.id = $1
    )`;

/** The pages that are given: whether they are `shown` from now on, and `was`, and the columns that get another value. */
const givenPages = (pages: string): string => `
    given_pages as materialized (
        select s.id, s.shown, ${livePage} as was, d.*
        from (${pages}) s join pages g on g.id = s.id and g.project_id = $1, ${different(writableColumns.page, 'g')}
    )`;

/** The elements that are given. */
const givenElements = (elements: string): string => `
    given_elements as materialized (${elements})`;

/** Whether the page of an element comes back. */
const PAGE_RETURNS = 'b.shown and not b.was';

/** The elements to look at: those that are given, and those that come back with their page. */
const ELEMENTS_TO_COMPARE = `
    select id, shown, ${writableColumns.element.join(', ')} from given_elements
    union all
    select e.id, true, ${unchanged.element} from given_pages b join elements e on e.page_id = b.id and ${liveElement}
    where ${PAGE_RETURNS} and e.id not in (select id from given_elements)`;

/** Whether an element is and will be there, for the counts: it is, if its page is, too. */
const ELEMENT_STATES = `
    ${liveElement} as was, ${liveElement} and ${livePage} as before,
    s.shown and coalesce(b.shown, ${livePage}) as after,
    coalesce(b.was and not b.shown, false) as goes_with_page`;

/** The elements that change, appear or disappear, and by how many bytes they grow. */
const CHANGED_ELEMENTS = `
    changed_elements as materialized (
        select s.id, s.shown, d.*, e.page_id, ${elementGrown} as grown, ${ELEMENT_STATES}
        from (${ELEMENTS_TO_COMPARE}) s
            join elements e on e.id = s.id join pages g on g.id = e.page_id and g.project_id = $1
            left join given_pages b on b.id = g.id, ${different(writableColumns.element, 'e')}
        where ${anyOf('d', writableColumns.element)} or s.shown <> (${liveElement}) or coalesce(${PAGE_RETURNS}, false)
    )`;

/** They are written. */
const WRITTEN_ELEMENTS = `
    written_elements as (
        ${updated('elements', {
        columns: columnsOf('t', writableColumns.element), set: [showsOrNot('e')], at: 'target.at'
    }, 'from changed_elements t, target where e.id = t.id')}
    )`;

/** By how many elements, and by how many bytes of them, each page grows. @param makes whether there are new ones */
const pageSums = (makes: boolean): string => `
    page_sums as materialized (
        select page_id, sum(count)::int as count, sum(bytes)::bigint as bytes from (
            select page_id, shown::int - was::int as count, grown as bytes from changed_elements
            ${makes ? 'union all select page_id, 1, bytes from made_elements' : ''}
        ) e group by page_id
    )`;

/** The states of a page in the row `g`, which is given in `b`, and whose elements change in `s`, if those are there. */
const PAGE_STATES = `
    coalesce(b.shown, ${livePage}) as shown, ${livePage} as was,
    g.element_count, g.page_bytes, coalesce(s.count, 0) as count`;

/** The pages that change, appear or disappear, or in which elements do, and by how many bytes they grow. */
const CHANGED_PAGES = `
    changed_pages as materialized (
        select g.id, ${PAGE_STATES}, ${list('b', writableColumns.page)}, coalesce(s.bytes, 0) + ${growth('g.styles', 'b.styles')} as grown
        from (select id from given_pages union select page_id from page_sums) w
            join pages g on g.id = w.id left join given_pages b on b.id = g.id left join page_sums s on s.page_id = g.id
        where s.page_id is not null or ${anyOf('b', writableColumns.page)} or b.shown <> b.was
    )`;

/** They are written. */
const WRITTEN_PAGES = `
    written_pages as (
        ${updated('pages', {
        columns: columnsOf('t', writableColumns.page), set: [showsOrNot('g'), 'element_count = g.element_count + t.count'],
        grown: 't.grown', at: 'target.at'
    }, 'from changed_pages t, target where g.id = t.id')}
    )`;

/** How many pages were shown again, updated and removed, how many elements went with them, and by how many bytes the project grows. */
const PAGE_COUNTS = `
    page_counts as (
        select count(*) filter (where shown and not was) as created,
            count(*) filter (where shown and was and ${anyOf('g', writableColumns.page)}) as updated,
            count(*) filter (where was and not shown) as removed,
            coalesce(sum(element_count) filter (where was and not shown), 0) as elements,
            coalesce(sum(case when shown then page_bytes + grown else 0 end - case when was then page_bytes else 0 end), 0) as bytes
        from changed_pages g
    )`;

/** Those of elements, but for what went with their pages. */
const ELEMENT_COUNTS = `
    element_counts as (
        select count(*) filter (where after and not before) as created,
            count(*) filter (where after and before) as updated,
            count(*) filter (where before and not after and not goes_with_page) as removed
        from changed_elements
    )`;

/** How many pages and elements are new, and the bytes of new pages with what is in them. */
const madeCounts = (makesPages: boolean, makesElements: boolean): string => `
    made_counts as (
        select ${makesElements ? '(select count(*) from made_elements)' : '0'} as elements,
            ${makesPages ? 'count(*) as pages, coalesce(sum(page_bytes), 0) as bytes from made_pages' : '0 as pages, 0 as bytes'}
    )`;

/** The counts of the change, in the order of `counts`. */
const CHANGE_COUNTS = `array[
    ${anyOf('target', writableColumns.project)}::int,
    g.created + m.pages, g.updated, g.removed,
    e.created + m.elements, e.updated, e.removed + g.elements]::integer[]`;

/** The project is written, with the change in its history. @param app the parameter with the app */
const writtenProject = (kind: ChangeKind, app: string): string => `
    written_project as (
        ${updated('projects', {
        author: '$2', app: `${app}::bigint`, kind, counts: CHANGE_COUNTS,
        columns: columnsOf('target', writableColumns.project), grown: '(g.bytes + m.bytes)',
        set: ['page_count = p.page_count + g.created - g.removed + m.pages']
    }, 'from target, page_counts g, element_counts e, made_counts m where p.id = target.id returning p.change_counts')}
    )`;

/** The statement that writes a change set: its steps, one after the other. */
export function changeSet({ kind, parameters, before, newPages, newElements, ...given }: ChangeSet): Statement<RowOf<typeof writtenColumns>> {
    const { project = `select ${unchanged.project}`, pages = NO_PAGES, elements = NO_ELEMENTS } = given;
    const makesElements = newElements !== undefined;
    const makesPages = newPages !== undefined;
    const steps = [
        ...before === undefined ? [] : [before], target(project), givenPages(pages), givenElements(elements),
        CHANGED_ELEMENTS, WRITTEN_ELEMENTS, ...makesElements ? [madeElements(newElements)] : [],
        pageSums(makesElements), CHANGED_PAGES, WRITTEN_PAGES, ...makesPages ? [madePages(newPages)] : [],
        PAGE_COUNTS, ELEMENT_COUNTS, madeCounts(makesPages, makesElements), writtenProject(kind, `$${parameters.length + 3}`)
    ];
    return statement({ parameters: ['bigint', 'bigint', ...parameters, 'bigint'], row: writtenColumns, place: writing(inProject(1)) }, `
    with ${steps.join(',')}
    select change_counts <> '{0,0,0,0,0,0,0}' as changed from written_project`);
}

/** Thrown inside a transaction that would change nothing, so that it is rolled back. */
export class NothingToChange extends Error {
    /** things that stay gone, because a moderator removed them */
    skipped: readonly object[] = [];
}

/** Writes a change set to a project, which is locked. Needs a transaction. @param by null for an operator @throws NothingToChange, and violations of the limits of sizes and of places */
export async function writeChangeSet(trx: Database, set: ReturnType<typeof changeSet>, project: string, by: ChangeAuthor | null, ...values: unknown[]): Promise<void> {
    if (!(await runAlways(trx, set, [project, by?.id, ...values, by?.app])).changed) {
        throw new NothingToChange();
    }
}
