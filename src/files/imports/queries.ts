import { inNewProject, inProject, writing } from '../../database/declaration';
import { relinked } from '../../rules/links';
import { arrays, elementColumns, expressions, namesOf, pageColumns, projectColumns, projectRow, valuesOf } from '../../rules/columns';
import type { Columns } from '../../rules/columns';
import { elementBytes } from '../../rules/sizes';
import { begins, beginsAt, counts, inserted } from '../../rules/write-sql';
import { arrayParameter } from '../../database/statements/array-parameter';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { JsonText } from '../../api/json/json-text';
import type { ElementFields } from '../../api/representations/element';
import type { PageFields } from '../../api/representations/page';
import { projectJson } from '../../api/representations/project';
import type { ProjectFields } from '../../api/representations/project';

const projectNames = namesOf(projectColumns);

// Waits for a deletion of the user, and then finds no user. Sizes are set at the end, because links may become longer.
const insertProject = statement({ parameters: ['bigint', 'text', 'integer', 'integer', 'text', 'text', 'text[]', 'json', 'visibility', 'integer'], row: { id: 'bigint' }, place: inNewProject() }, `
    with u as materialized (select * from users u where u.id = $1 and ${live('u')} for share),
    made as (
        ${inserted('projects', {
        user_id: 'id', version: '$2', page_count: '$3', counted_revision: '1', ...expressions(projectNames, (_name, n) => `$${n + 5}`),
        ...begins({ author: 'id', kind: 'import', counts: counts({ project: 1, pages: ['$3', 0, 0], elements: ['$4::int', 0, 0] }) })
    }, 'from u returning id')}
    )
    select made.id from made`);

const drawPageIds = statement({ parameters: ['integer'], row: { id: 'text' } }, `select nextval('pages_id_seq')::text as id from generate_series(1, $1::int)`);

/** A project to insert. */
export interface NewProject {
    userId: string;
    version: string;
    pages: number;
    elements: number;
    fields: ProjectFields;
}

/** Inserts a project without its pages, and reserves ids for them. @returns undefined if the user does not exist */
export async function beginProject(db: Database, { userId, version, pages, elements, fields }: NewProject): Promise<{ id: string; pageIds: string[] } | undefined> {
    const [made, ids] = await Promise.all([
        runOne(db, insertProject, [userId, version, pages, elements, ...valuesOf(projectNames, { ...projectColumns.initial, ...projectRow(fields) })]),
        run(db, drawPageIds, [pages])
    ]);
    return made && { id: made.id, pageIds: ids.map(({ id }) => id) };
}

/** Parameters: an array for each column of the rows. */
const columnsOf = <Row extends object>(columns: Columns<Row>, rows: readonly Partial<Row>[]): unknown[] => namesOf(columns).map((name) => {
    const values = rows.map((row) => ({ ...columns.initial, ...row })[name]);
    return arrayParameter(columns.types[name], values.map((value) => (value instanceof JsonText ? value.text : value)));
});

const pageNames = namesOf(pageColumns);
const insertPages = statement({ parameters: ['bigint', 'bigint[]', 'integer[]', 'integer[]', 'integer[]', 'json[]'], place: writing(inProject(1)) }, inserted('pages', {
    id: 'r.id', project_id: '$1', element_count: 'r.element_count', ...beginsAt('1'), ...expressions(pageNames, (name) => `r.${name}`)
}, `from unnest($2::bigint[], $3::int[], ${arrays(pageColumns, pageNames, 4)}) as r (id, element_count, ${pageNames.join(', ')}) order by r.id`));

/** A page to insert. */
export interface PlacedPage {
    id: string;
    elementCount: number;
    fields: Partial<PageFields>;
}

/** @throws a violation of pages_coordinates_key */
export async function insertPlacedPages(db: Database, projectId: string, pages: readonly PlacedPage[]): Promise<void> {
    await run(db, insertPages, [
        projectId, pages.map(({ id }) => id), pages.map(({ elementCount }) => elementCount), ...columnsOf(pageColumns, pages.map(({ fields }) => fields))
    ]);
}

const elementNames = namesOf(elementColumns);
const insertElements = statement({ parameters: ['bigint', 'text', 'bigint', 'jsonb', 'bigint[]', 'text[]', 'json[]', 'json[]'], row: { page_id: 'text', bytes: 'double precision' }, place: writing(inProject(1)) }, `
    with made as (
        ${inserted('elements', {
        page_id: 'e.page_id', project_id: '$1::bigint', ...beginsAt('1'), ...expressions(elementNames, (name) => `e.${name}`),
        attributes: relinked({ source: '$2::text', project: '$1', user: '$3::bigint', copies: '$4::jsonb' })
    }, `
        from unnest($5::bigint[], ${arrays(elementColumns, elementNames, 6)}) with ordinality as e (page_id, ${elementNames.join(', ')}, n) order by n
        returning e.page_id, ${elementBytes} as bytes`)}
    )
    select page_id::text as page_id, sum(bytes)::float8 as bytes from made group by page_id`);

/** The targets of the links in an import: the project and its pages, by their ids in the file. */
export interface Copy {
    id: string;
    userId: string;
    /** undefined if the file does not say */
    source: string | undefined;
    /** JSON text of an object with the new ids of pages by those in the file */
    pages: string;
}

/** An element to insert. */
export interface PlacedElement {
    pageId: string;
    fields: Partial<ElementFields>;
}

/** Inserts elements in their order. @returns how many bytes they have by the ids of their pages */
export async function insertPlacedElements(db: Database, { id, userId, source, pages }: Copy, elements: readonly PlacedElement[]): Promise<Map<string, number>> {
    const rows = await run(db, insertElements, [
        id, source ?? null, userId, pages, elements.map(({ pageId }) => pageId), ...columnsOf(elementColumns, elements.map(({ fields }) => fields))
    ]);
    return new Map(rows.map(({ page_id, bytes }) => [page_id, bytes]));
}

const shown = statement({ parameters: ['bigint'], row: { json: 'text' }, place: inProject(1) }, `select ${projectJson} as json from projects p join users u on u.id = p.user_id where p.id = $1`);

/** JSON text of the project that was imported. */
export async function importedProject(db: Database, id: string): Promise<string> {
    const { json } = await runAlways(db, shown, [id]);
    return json;
}
