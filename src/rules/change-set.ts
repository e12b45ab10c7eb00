import { inProject, inProjectOfEachRecord, writing } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import type { ChangeKind } from '../api/representations/change';
import type { Database } from '../database/statements/connection';
import { deletesIf, live } from '../database/statements/deletion';
import { run, runAlways, statement } from '../database/statements/statement';
import type { Statement } from '../database/statements/statement';
import { jsonArray } from '../api/json/json-text';
import type { ChangeAuthor } from './access';
import { changeableOf, columnDefinitions, elementColumns, expressions, namesOf, nulls, pageColumns, projectColumns, recordedOf } from './columns';
import type { AuthoredColumns } from './columns';
import { bytes, elementBytes, growth } from './sizes';
import { begins, beginsAt, counts, inserted, updated } from './write-sql';
import type { Author } from './write-sql';

/*
 * A change set: the new state of a project and of pages and elements in it, whichever way it is known. One statement writes all of it as one change:
 * it counts what was created, updated and removed, and by how much pages and the project grow, moves the revisions, and keeps what is replaced in
 * the history. So restoring, undoing, pulling, the trash and operators only say what should be there. A bulk says it in rows, of several projects.
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
    /** as `pagesMade` takes them */
    newPages?: string;
    /** as `elementsMade` takes them */
    newElements?: string;
}

const writtenColumns = { changed: 'boolean' } as const;

const columnsOf = (row: string, names: readonly string[]): Record<string, string> => expressions(names, (name) => `${row}.${name}`);
export const list = (row: string, names: readonly string[]): string => names.map((name) => `${row}.${name}`).join(', ');
const anyOf = (row: string, names: readonly string[]): string => `(${names.map((name) => `${row}.${name} is not null`).join(' or ')})`;
const showsOrNot = (row: string): string => `deleted_at = case when not t.shown then coalesce(${row}.deleted_at, now()) end`;

/** SQL for the columns that get another value, null for the others: a query of one row, which reads what is large once. */
const different = (names: readonly string[], row: string): string => `lateral (select ${names.map((name) => `case when s.${name}::text <> ${row}.${name}::text then s.${name} end as ${name}`).join(', ')} offset 0) d`;

/** SQL for the bytes of an element that is `shown`, less those that it had. */
const elementGrown = `case
    when s.shown and ${live('e')} then ${writableColumns.element.map((name) => growth(`e.${name}`, `d.${name}`)).join(' + ')}
    when s.shown then ${writableColumns.element.map((name) => bytes(`coalesce(d.${name}, e.${name})`)).join(' + ')}
    when ${live('e')} then -${elementBytes} else 0 end`;

const noPages = `select null::bigint as id, true as shown, ${unchanged.page} where false`;
const noElements = `select null::bigint as id, true as shown, ${unchanged.element} where false`;

/** SQL that makes elements in the project `c`: rows with `page_id`, `copied_from` and all columns, in the order in which they are created. */
const elementsMade = (rows: string): string => `e_made as (${inserted('elements', {
    page_id: 'n.page_id', project_id: 'c.id', copied_from: 'n.copied_from', ...beginsAt('c.at'), ...columnsOf('n', namesOf(elementColumns))
}, `from (${rows}) n, c returning e.page_id, ${elementBytes} as bytes`)})`;

const sumsOfMade = 'sums as materialized (select page_id, count(*)::int as count, sum(bytes)::bigint as bytes from e_made group by page_id)';

/** SQL that makes pages in it: rows with `id`, `copied_from` and all columns. */
const pagesMade = (rows: string): string => `g_made as (${inserted('pages', {
    id: 'n.id', project_id: 'c.id', copied_from: 'n.copied_from', ...beginsAt('c.at'), ...columnsOf('n', namesOf(pageColumns)), element_count: 'coalesce(s.count, 0)', page_bytes: `${bytes('n.styles')} + coalesce(s.bytes, 0)`
}, `from (${rows}) n left join sums s on s.page_id = n.id, c returning g.page_bytes`)})`;

/**
 * SQL that makes a project with all its pages and elements; it is then in the row `made`.
 * @param before common table expressions for the others, with the new project's `id`, and `at`, which is 1, in `c`
 * @param project the expression of each column, and their FROM
 */
export const projectMade = (before: string, [columns, from]: readonly [Readonly<Record<string, string>>, string], newPages: string, newElements: string, author: Omit<Author, 'counts'>): string => `
    with ${before}, ${elementsMade(newElements)}, ${sumsOfMade}, ${pagesMade(newPages)}, made as (${inserted('projects', {
    id: 'c.id', ...columns, page_count: 'm.pages', project_bytes: 'm.bytes',
    ...begins({ ...author, counts: counts({ project: 1, pages: ['m.pages', 0, 0], elements: ['(select count(*) from e_made)', 0, 0] }) })
}, `from c, (select count(*) as pages, coalesce(sum(page_bytes), 0) as bytes from g_made) m, ${from} returning *`)})`;

/** Statements that fill the project $1, which the transaction has made, with pages and then with elements: the same rows, with the parameters from $2 on. They keep its counts and sizes, and move no revision. */
export const fillStatements = {
    pages: (parameters: readonly string[], newPages: string) => statement({ parameters: ['bigint', ...parameters], place: writing(inProject(1)) }, `
        with c as materialized (select $1::bigint as id, 1 as at), sums as materialized (select null::bigint as page_id, 0 as count, 0 as bytes where false), ${pagesMade(newPages)}
        update projects p set page_count = p.page_count + m.pages, project_bytes = p.project_bytes + m.bytes from (select count(*) as pages, coalesce(sum(page_bytes), 0) as bytes from g_made) m where p.id = $1`),
    elements: (parameters: readonly string[], newElements: string) => statement({ parameters: ['bigint', ...parameters], place: writing(inProject(1)) }, `
        with c as materialized (select $1::bigint as id, 1 as at), ${elementsMade(newElements)}, ${sumsOfMade}, pages_filled as (
            update pages g set element_count = g.element_count + s.count, page_bytes = g.page_bytes + s.bytes from sums s where g.id = s.page_id and g.project_id = $1
        )
        update projects p set project_bytes = p.project_bytes + m.bytes from (select coalesce(sum(bytes), 0) as bytes from sums) m where p.id = $1`)
} as const;

/** The statement that writes a change set. */
export function changeSet({ kind, parameters, before, project = `select ${unchanged.project}`, pages = noPages, elements = noElements, newPages, newElements }: ChangeSet): Statement<RowOf<typeof writtenColumns>> {
    const made = newElements === undefined ? '' : `${elementsMade(newElements)},`;
    const madePages = newPages === undefined ? '' : `, ${pagesMade(newPages)}`;
    return statement({ parameters: ['bigint', 'bigint', ...parameters, 'bigint'], row: writtenColumns, place: writing(inProject(1)) }, `
    with ${before === undefined ? '' : `${before},`} c as materialized (
        select p.id, p.revision + 1 as at, d.* from (${project}) s, projects p, ${different(writableColumns.project, 'p')} where p.id = $1
    ), g_given as materialized (
        select s.id, s.shown, ${live('g')} as was, d.* from (${pages}) s join pages g on g.id = s.id and g.project_id = $1, ${different(writableColumns.page, 'g')}
    ), e_given as materialized (${elements}), e_new as materialized (
        select s.id, s.shown, d.*, e.page_id, ${live('e')} as was, ${elementGrown} as grown,
            ${live('e')} and ${live('g')} as before, s.shown and coalesce(b.shown, ${live('g')}) as after, coalesce(b.was and not b.shown, false) as goes_with_page
        from (
            select id, shown, ${writableColumns.element.join(', ')} from e_given
            union all
            select e.id, true, ${unchanged.element} from g_given b join elements e on e.page_id = b.id and ${live('e')} where b.shown and not b.was and e.id not in (select id from e_given)
        ) s join elements e on e.id = s.id join pages g on g.id = e.page_id and g.project_id = $1 left join g_given b on b.id = g.id, ${different(writableColumns.element, 'e')}
        where ${anyOf('d', writableColumns.element)} or s.shown <> (${live('e')}) or coalesce(b.shown and not b.was, false)
    ), e_written as (
        ${updated('elements', { columns: columnsOf('t', writableColumns.element), set: [showsOrNot('e')], at: 'c.at' }, 'from e_new t, c where e.id = t.id')}
    ), ${made} sums as materialized (
        select page_id, sum(count)::int as count, sum(bytes)::bigint as bytes from (
            select page_id, shown::int - was::int as count, grown as bytes from e_new
            ${made === '' ? '' : 'union all select page_id, 1, bytes from e_made'}
        ) e group by page_id
    ), g_new as materialized (
        select g.id, coalesce(b.shown, ${live('g')}) as shown, ${list('b', writableColumns.page)}, ${live('g')} as was, g.element_count, g.page_bytes, coalesce(s.count, 0) as count,
            coalesce(s.bytes, 0) + ${growth('g.styles', 'b.styles')} as grown
        from (select id from g_given union select page_id from sums) w join pages g on g.id = w.id left join g_given b on b.id = g.id left join sums s on s.page_id = g.id
        where s.page_id is not null or ${anyOf('b', writableColumns.page)} or b.shown <> b.was
    ), g_written as (
        ${updated('pages', { columns: columnsOf('t', writableColumns.page), set: [showsOrNot('g'), 'element_count = g.element_count + t.count'], grown: 't.grown', at: 'c.at' }, 'from g_new t, c where g.id = t.id')}
    )${madePages}, g_counts as (
        select count(*) filter (where shown and not was) as created, count(*) filter (where shown and was and ${anyOf('g', writableColumns.page)}) as updated, count(*) filter (where was and not shown) as removed,
            coalesce(sum(element_count) filter (where was and not shown), 0) as elements,
            coalesce(sum(case when shown then page_bytes + grown else 0 end - case when was then page_bytes else 0 end), 0) as bytes
        from g_new g
    ), e_counts as (
        select count(*) filter (where after and not before) as created, count(*) filter (where after and before) as updated, count(*) filter (where before and not after and not goes_with_page) as removed from e_new
    ), m_counts as (
        select ${made === '' ? '0' : '(select count(*) from e_made)'} as elements, ${madePages === '' ? '0 as pages, 0 as bytes' : 'count(*) as pages, coalesce(sum(page_bytes), 0) as bytes from g_made'}
    ), written as (
        ${updated('projects', {
        author: '$2', app: `$${parameters.length + 3}::bigint`, kind, columns: columnsOf('c', writableColumns.project), grown: '(g.bytes + m.bytes)', set: ['page_count = p.page_count + g.created - g.removed + m.pages'],
        counts: `array[${anyOf('c', writableColumns.project)}::int, g.created + m.pages, g.updated, g.removed, e.created + m.elements, e.updated, e.removed + g.elements]::integer[]`
    }, `from c, g_counts g, e_counts e, m_counts m where p.id = c.id returning p.change_counts`)}
    )
    select change_counts <> '{0,0,0,0,0,0,0}' as changed from written`);
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

/** A change set as rows, of several projects. Each row has its columns, and says with `made` and `removed` what is done with it; one that is changed has the columns that get another value. */
export interface ChangedRows {
    /** with `change_counts`, as `counts` makes them */
    projects: readonly object[];
    pages: readonly object[];
    elements: readonly object[];
}

const recordsOf = <Row>(parameter: number, columns: AuthoredColumns<Row>, more: string): string => {
    return `select * from json_to_recordset($${parameter}::json) as r (id bigint, revision integer, made boolean, removed boolean, ${more}, ${columnDefinitions(columns)})`;
};

/** By how much the revision grows, since a change set may have several changes of a thing. */
const times = (row: string): string => `(r.revision - ${row}.revision)`;
const ofRows = (names: readonly string[], ...more: string[]): Record<string, string> => columnsOf('r', [...more, ...names]);
const authorOfRows = { author: '$4', app: '$5::bigint', counts: 'r.change_counts' } as const;

// Pages may change places within this one statement: their uniqueness is checked at its end.
const rowsWritten = statement({ parameters: ['json', 'json', 'json', 'bigint', 'bigint'], place: inProjectOfEachRecord('id', 'project_id', 'project_id') }, `
    with p_rows as materialized (${recordsOf(1, projectColumns, 'user_id bigint, version text, page_count integer, project_bytes bigint, change_counts integer[]')}),
    g_rows as materialized (${recordsOf(2, pageColumns, 'project_id bigint, project_revision integer, element_count integer, page_bytes bigint')}),
    e_rows as materialized (${recordsOf(3, elementColumns, 'page_id bigint, project_id bigint, project_revision integer')}),
    p_made as (${inserted('projects', {
        ...ofRows(namesOf(projectColumns), 'id', 'revision', 'user_id', 'version', 'page_count', 'project_bytes'), counted_revision: 'r.revision', ...begins({ ...authorOfRows, kind: 'create' }, 'r.revision')
    }, 'from p_rows r where r.made')}),
    p_written as (${updated('projects', {
        ...authorOfRows, kind: 'bulk', columns: ofRows(changeableOf(projectColumns)), set: ['page_count = r.page_count', deletesIf('r.removed')], times: times('p'), grown: '(r.project_bytes - p.project_bytes)'
    }, 'from p_rows r where p.id = r.id and not r.made')}),
    g_made as (${inserted('pages', { ...ofRows(namesOf(pageColumns), 'id', 'revision', 'project_id', 'element_count', 'page_bytes'), ...beginsAt('r.project_revision') }, 'from g_rows r where r.made')}),
    g_written as (${updated('pages', {
        columns: ofRows(writableColumns.page), set: ['element_count = r.element_count', deletesIf('r.removed')], times: times('g'), grown: '(r.page_bytes - g.page_bytes)', at: 'r.project_revision'
    }, 'from g_rows r where g.id = r.id and not r.made')}),
    e_made as (${inserted('elements', { ...ofRows(namesOf(elementColumns), 'id', 'revision', 'page_id', 'project_id'), ...beginsAt('r.project_revision') }, 'from e_rows r where r.made')}),
    e_written as (${updated('elements', { columns: ofRows(writableColumns.element), set: [deletesIf('r.removed')], times: times('e'), at: 'r.project_revision' }, 'from e_rows r where e.id = r.id and not r.made')})
    select`);

/** Writes a change set in rows. What it changes or removes is locked. @throws violations of the limits of sizes and of places */
export async function writeRows(trx: Database, by: ChangeAuthor, { projects, pages, elements }: ChangedRows): Promise<void> {
    await run(trx, rowsWritten, [await jsonArray(projects), await jsonArray(pages), await jsonArray(elements), by.id, by.app]);
}
