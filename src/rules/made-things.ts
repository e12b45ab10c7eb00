import { inProject, writing } from '../database/declaration';
import { statement } from '../database/statements/statement';
import { elementColumns, expressions, namesOf, pageColumns } from './columns';
import { bytes, elementBytes } from './sizes';
import { begins, beginsAt, counts, inserted } from './write-sql';
import type { Author } from './write-sql';

/*
 * SQL that makes pages and elements, of a change set, a remix or an import: common table expressions, which go by the row `target` with the `id` of the project and its new revision `at`.
 */

export const columnsOf = (row: string, names: readonly string[]): Record<string, string> => expressions(names, (name) => `${row}.${name}`);

/** New elements. @param rows a query of rows with `page_id`, `copied_from` and all columns, in the order in which they are created */
export const madeElements = (rows: string): string => `
    made_elements as (${inserted('elements', {
        page_id: 'n.page_id', project_id: 'target.id', copied_from: 'n.copied_from', ...beginsAt('target.at'), ...columnsOf('n', namesOf(elementColumns))
    }, `from (${rows}) n, target returning e.page_id, ${elementBytes} as bytes`)})`;

/** How many of them each page has, and their bytes. */
export const sumsOfMadeElements = `
    page_sums as materialized (select page_id, count(*)::int as count, sum(bytes)::bigint as bytes from made_elements group by page_id)`;

/** New pages, with the elements in `page_sums`. @param rows a query of rows with `id`, `copied_from` and all columns */
export const madePages = (rows: string): string => `
    made_pages as (${inserted('pages', {
        id: 'n.id', project_id: 'target.id', copied_from: 'n.copied_from', ...beginsAt('target.at'), ...columnsOf('n', namesOf(pageColumns)),
        element_count: 'coalesce(s.count, 0)', page_bytes: `${bytes('n.styles')} + coalesce(s.bytes, 0)`
    }, `from (${rows}) n left join page_sums s on s.page_id = n.id, target returning g.page_bytes`)})`;

/** How many they are, and the bytes of them and of what is in them. */
const SUMS_OF_MADE_PAGES = '(select count(*) as pages, coalesce(sum(page_bytes), 0) as bytes from made_pages)';

/**
 * SQL that makes a project with all its pages and elements; it is then in the row `made`.
 * @param before common table expressions for the others, with the new project's `id`, and `at`, which is 1, in `target`
 * @param project the expression of each column, and their FROM
 */
export const projectMade = (before: string, [columns, from]: readonly [Readonly<Record<string, string>>, string], newPages: string, newElements: string, author: Omit<Author, 'counts'>): string => {
    const made = inserted('projects', {
        id: 'target.id', ...columns, page_count: 'm.pages', project_bytes: 'm.bytes',
        ...begins({ ...author, counts: counts({ project: 1, pages: ['m.pages', 0, 0], elements: ['(select count(*) from made_elements)', 0, 0] }) })
    }, `from target, ${SUMS_OF_MADE_PAGES} m, ${from} returning *`);
    return `with ${[before, madeElements(newElements), sumsOfMadeElements, madePages(newPages), `made as (${made})`].join(', ')}`;
};

const FILLED = 'target as materialized (select $1::bigint as id, 1 as at)';

/** Statements that fill the project $1, which the transaction has made, with pages and then with elements: the same rows, with the parameters from $2 on. They keep its counts and sizes, and move no revision. */
export const fillStatements = {
    pages: (parameters: readonly string[], newPages: string) => statement({ parameters: ['bigint', ...parameters], place: writing(inProject(1)) }, `
        with ${FILLED}, page_sums as materialized (select null::bigint as page_id, 0 as count, 0 as bytes where false), ${madePages(newPages)}
        update projects p set page_count = p.page_count + m.pages, project_bytes = p.project_bytes + m.bytes from ${SUMS_OF_MADE_PAGES} m where p.id = $1`),
    elements: (parameters: readonly string[], newElements: string) => statement({ parameters: ['bigint', ...parameters], place: writing(inProject(1)) }, `
        with ${FILLED}, ${madeElements(newElements)}, ${sumsOfMadeElements}, filled_pages as (
            update pages g set element_count = g.element_count + s.count, page_bytes = g.page_bytes + s.bytes from page_sums s where g.id = s.page_id and g.project_id = $1
        )
        update projects p set project_bytes = p.project_bytes + m.bytes from (select coalesce(sum(bytes), 0) as bytes from page_sums) m where p.id = $1`)
} as const;
