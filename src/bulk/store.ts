import { changeableOf, changed, definitions, elementColumns, expressions, namesOf, pageColumns, projectColumns } from '../authoring/columns';
import { inserted, updated } from '../authoring/writes';
import type { Database } from '../db/connection';
import { deletesIf } from '../db/deletion';
import { run, statement } from '../db/statement';
import { jsonArray } from '../json/json-text';
import type { ElementState, PageState, ProjectState, State } from './state';

/** SQL for the rows in the parameter, with these columns. */
const records = (...columns: string[]): string => `json_to_recordset($1::json) as r (id bigint, revision integer, ${columns.join(', ')})`;

/** SQL for what is inserted: these columns of the rows. */
const values = (...names: string[]): Record<string, string> => expressions(['id', 'revision', ...names], (name) => `r.${name}`);

/** By how much the revision grows, since a bulk may change a thing several times. */
const times = (row: string): string => `(r.revision - ${row}.revision)`;

const insertProjects = statement(inserted('projects', {
    ...values('user_id', 'version', ...namesOf(projectColumns), 'page_count', 'project_bytes'), counted_revision: 'r.revision'
}, `from ${records('user_id bigint', 'version text', definitions(projectColumns), 'page_count integer', 'project_bytes bigint')}`));

const updateProjects = statement(updated('projects', {
    set: [...changed(changeableOf(projectColumns), 'p', (name) => `r.${name}`), 'page_count = r.page_count', deletesIf('r.removed')],
    times: times('p'), grown: '(r.project_bytes - p.project_bytes)'
}, `from ${records(definitions(projectColumns), 'page_count integer', 'project_bytes bigint', 'removed boolean')} where p.id = r.id`));

const insertPages = statement(inserted('pages', values('project_id', ...namesOf(pageColumns), 'element_count', 'page_bytes'),
    `from ${records('project_id bigint', definitions(pageColumns), 'element_count integer', 'page_bytes bigint')}`));

// Pages may change places within this one statement: their uniqueness is checked at its end.
const updatePages = statement(updated('pages', {
    set: [...changed(changeableOf(pageColumns), 'g', (name) => `r.${name}`), 'element_count = r.element_count', deletesIf('r.removed')],
    times: times('g'), grown: '(r.page_bytes - g.page_bytes)'
}, `from ${records(definitions(pageColumns), 'element_count integer', 'page_bytes bigint', 'removed boolean')} where g.id = r.id`));

const insertElements = statement(inserted('elements', values('page_id', ...namesOf(elementColumns)), `from ${records('page_id bigint', definitions(elementColumns))}`));

const updateElements = statement(updated('elements', {
    set: [...changed(changeableOf(elementColumns), 'e', (name) => `r.${name}`), deletesIf('r.removed')], times: times('e')
}, `from ${records(definitions(elementColumns), 'removed boolean')} where e.id = r.id`));

const projectRow = ({ thing: { id, user_id, version, revision }, written, pageCount, bytes, removed }: ProjectState): object => {
    return { ...written, id, user_id, version, revision, page_count: pageCount, project_bytes: bytes, removed };
};

const pageRow = ({ thing: { id, project_id, revision }, written, elementCount, bytes, removed }: PageState): object => {
    return { ...written, id, project_id, revision, element_count: elementCount, page_bytes: bytes, removed };
};

const elementRow = ({ thing: { id, page_id, revision }, written, removed }: ElementState): object => ({ ...written, id, page_id, revision, removed });

const isNew = (row: { made: boolean; removed: boolean }): boolean => row.made && !row.removed;
const isOld = (row: { made: boolean; changed: boolean }): boolean => row.changed && !row.made;

/** Writes what the actions have changed: at most six statements, however many actions there are, one after the other in a pipeline. */
export async function store(db: Database, state: State): Promise<void> {
    const projects = [...state.projects.values()];
    const pages = [...state.pages.values()];
    const elements = [...state.elements.values()];
    const inPlace = (page: PageState): boolean => !page.removed && !page.project.removed;

    const writes: [typeof insertProjects, object[]][] = [
        [insertProjects, projects.filter(isNew).map(projectRow)],
        [updateProjects, projects.filter(isOld).map(projectRow)],
        [updatePages, pages.filter(isOld).map(pageRow)],
        [insertPages, pages.filter((page) => isNew(page) && inPlace(page)).map(pageRow)],
        [insertElements, elements.filter((element) => isNew(element) && inPlace(element.page)).map(elementRow)],
        [updateElements, elements.filter(isOld).map(elementRow)]
    ];
    const parameters: [typeof insertProjects, Buffer][] = [];
    for (const [sql, rows] of writes.filter(([, { length }]) => length > 0)) {
        parameters.push([sql, await jsonArray(rows)]);
    }

    await Promise.all(parameters.map(([sql, rows]) => run(db, sql, [rows])));
}
