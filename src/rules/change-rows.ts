import { inProjectOfEachRecord } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { deletesIf } from '../database/statements/deletion';
import { run, statement } from '../database/statements/statement';
import { jsonArray } from '../api/json/json-text';
import type { ChangeAuthor } from './access';
import { changeableOf, columnDefinitions, elementColumns, namesOf, pageColumns, projectColumns } from './columns';
import type { AuthoredColumns } from './columns';
import { columnsOf } from './made-things';
import { begins, beginsAt, inserted, updated } from './write-sql';

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
const author = { author: '$4', app: '$5::bigint', counts: 'r.change_counts' } as const;

/** Common table expressions, one after the other. */
const steps = {
    project_rows: recordsOf(1, projectColumns, 'user_id bigint, version text, page_count integer, project_bytes bigint, change_counts integer[]'),
    page_rows: recordsOf(2, pageColumns, 'project_id bigint, project_revision integer, element_count integer, page_bytes bigint'),
    element_rows: recordsOf(3, elementColumns, 'page_id bigint, project_id bigint, project_revision integer'),
    made_projects: inserted('projects', {
        ...ofRows(namesOf(projectColumns), 'id', 'revision', 'user_id', 'version', 'page_count', 'project_bytes'), counted_revision: 'r.revision', ...begins({ ...author, kind: 'create' }, 'r.revision')
    }, 'from project_rows r where r.made'),
    written_projects: updated('projects', {
        ...author, kind: 'bulk', columns: ofRows(changeableOf(projectColumns)), set: ['page_count = r.page_count', deletesIf('r.removed')], times: times('p'), grown: '(r.project_bytes - p.project_bytes)'
    }, 'from project_rows r where p.id = r.id and not r.made'),
    made_pages: inserted('pages', { ...ofRows(namesOf(pageColumns), 'id', 'revision', 'project_id', 'element_count', 'page_bytes'), ...beginsAt('r.project_revision') }, 'from page_rows r where r.made'),
    // Pages may change places within this one statement: their uniqueness is checked at its end.
    written_pages: updated('pages', {
        columns: ofRows(changeableOf(pageColumns)), set: ['element_count = r.element_count', deletesIf('r.removed')], times: times('g'), grown: '(r.page_bytes - g.page_bytes)', at: 'r.project_revision'
    }, 'from page_rows r where g.id = r.id and not r.made'),
    made_elements: inserted('elements', { ...ofRows(namesOf(elementColumns), 'id', 'revision', 'page_id', 'project_id'), ...beginsAt('r.project_revision') }, 'from element_rows r where r.made'),
    written_elements: updated('elements', { columns: ofRows(changeableOf(elementColumns)), set: [deletesIf('r.removed')], times: times('e'), at: 'r.project_revision' }, 'from element_rows r where e.id = r.id and not r.made')
} as const;

/** Read once, however often they are named. */
const rows: ReadonlySet<string> = new Set(['project_rows', 'page_rows', 'element_rows']);

const written = statement({ parameters: ['json', 'json', 'json', 'bigint', 'bigint'], place: inProjectOfEachRecord('id', 'project_id', 'project_id') }, `
    with ${Object.entries(steps).map(([name, sql]) => `${name} as ${rows.has(name) ? 'materialized ' : ''}(${sql})`).join(',\n    ')}
    select`);

/** Writes a change set in rows. What it changes or removes is locked. @throws violations of the limits of sizes and of places */
export async function writeRows(trx: Database, by: ChangeAuthor, { projects, pages, elements }: ChangedRows): Promise<void> {
    await run(trx, written, [await jsonArray(projects), await jsonArray(pages), await jsonArray(elements), by.id, by.app]);
}
