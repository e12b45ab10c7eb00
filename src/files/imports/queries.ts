import { joinPages } from '../../projects/pages/fragments';
import { fromProject, fromProjectsWithAuthor } from '../../projects/fragments';
import { fromActiveUser } from '../../accounts/users/fragments';
import { inNewProject, inProject } from '../../database/declaration';
import { fillStatements } from '../../rules/made-things';
import type { ChangeAuthor } from '../../rules/access';
import { relinked } from '../../rules/links';
import { arrayTypesOf, arrays, elementColumns, expressions, namesOf, pageColumns, projectColumns, projectRow, typesOf, valuesOf } from '../../rules/columns';
import type { AuthoredColumns } from '../../rules/columns';
import { refuseSizes, sizeColumns, sizes } from '../../rules/sizes';
import { begins, counts, inserted } from '../../rules/write-sql';
import { arrayParameter } from '../../database/statements/array-parameter';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { JsonText } from '../../api/json/json-text';
import type { ElementFields } from '../../api/representations/element';
import { pageJson } from '../../api/representations/page';
import type { PageFields } from '../../api/representations/page';
import { projectJson } from '../../api/representations/project';
import type { ProjectFields } from '../../api/representations/project';

const projectNames = namesOf(projectColumns);

// Waits for a deletion of the user, and then finds no user. Pages and elements are counted as they come.
const insertProject = statement({ parameters: ['bigint', 'text', 'integer', 'integer', 'bigint', ...typesOf(projectColumns, projectNames)], row: { id: 'bigint' }, place: inNewProject() }, `
    with u as materialized (select * ${fromActiveUser('$1')} for share),
    made as (
        ${inserted('projects', {
        user_id: 'id', version: '$2', counted_revision: '1', ...expressions(projectNames, (_name, n) => `$${n + 6}`),
        ...begins({ author: 'id', app: '$5::bigint', kind: 'import', counts: counts({ project: 1, pages: ['$3::int', 0, 0], elements: ['$4::int', 0, 0] }) })
    }, 'from u returning id')}
    )
    select made.id from made`);

const drawPageIds = statement({ parameters: ['integer'], row: { id: 'text' } }, `select nextval('pages_id_seq')::text as id from generate_series(1, $1::int)`);

/** A project to insert. */
export interface NewProject {
    owner: ChangeAuthor;
    version: string;
    pages: number;
    elements: number;
    fields: ProjectFields;
}

/** Inserts a project without its pages, and reserves ids for them. @returns undefined if the user does not exist */
export async function beginProject(db: Database, { owner, version, pages, elements, fields }: NewProject): Promise<{ id: string; pageIds: string[] } | undefined> {
    // In this order, so that an error is that of the first one that fails.
    const [ids, made] = await Promise.all([
        run(db, drawPageIds, [pages]),
        runOne(db, insertProject, [owner.id, version, pages, elements, owner.app, ...valuesOf(projectNames, { ...projectColumns.initial, ...projectRow(fields) })])
    ]);
    return made && { id: made.id, pageIds: ids.map(({ id }) => id) };
}

/** Parameters: an array for each column of the rows. */
const columnsOf = <Row extends object>(columns: AuthoredColumns<Row>, rows: readonly Partial<Row>[]): unknown[] => namesOf(columns).map((name) => {
    const values = rows.map((row) => ({ ...columns.initial, ...row })[name]);
    return arrayParameter(columns.types[name], values.map((value) => (value instanceof JsonText ? value.text : value)));
});

const pageNames = namesOf(pageColumns);
const insertPages = fillStatements.pages(['bigint[]', ...arrayTypesOf(pageColumns, pageNames)], `
    select id, null::bigint as copied_from, ${pageNames.join(', ')} from unnest($2::bigint[], ${arrays(pageColumns, pageNames, 3)}) as r (id, ${pageNames.join(', ')}) order by id`);

/** A page to insert. */
export interface PlacedPage {
    id: string;
    fields: Partial<PageFields>;
}

/** @throws a violation of pages_coordinates_key */
export async function insertPlacedPages(db: Database, projectId: string, pages: readonly PlacedPage[]): Promise<void> {
    await run(db, insertPages, [projectId, pages.map(({ id }) => id), ...columnsOf(pageColumns, pages.map(({ fields }) => fields))]);
}

const elementNames = namesOf(elementColumns);
const insertElements = fillStatements.elements(['text', 'bigint', 'jsonb', 'bigint[]', ...arrayTypesOf(elementColumns, elementNames)], `
    select page_id, null::bigint as copied_from, ${elementNames.map((name) => `${name === 'attributes' ? relinked({ source: '$2::text', project: '$1', user: '$3::bigint', copies: '$4::jsonb' }) : name} as ${name}`).join(', ')}
    from unnest($5::bigint[], ${arrays(elementColumns, elementNames, 6)}) with ordinality as e (page_id, ${elementNames.join(', ')}, n) order by n`);

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

/** Inserts elements in their order. */
export async function insertPlacedElements(db: Database, { id, userId, source, pages }: Copy, elements: readonly PlacedElement[]): Promise<void> {
    await run(db, insertElements, [
        id, source ?? null, userId, pages, elements.map(({ pageId }) => pageId), ...columnsOf(elementColumns, elements.map(({ fields }) => fields))
    ]);
}

const first = statement({ parameters: ['bigint'], row: { json: 'text' }, place: inProject(1) }, `
    select ${pageJson('p.user_id')} as json from (select p.id, p.user_id ${fromProject('$1')}) p ${joinPages} order by (g.x = 0 and g.y = 0) desc, g.id limit 1`);

/** JSON text of the first page of a project that was imported. */
export const firstPage = async (db: Database, id: string): Promise<string> => (await runAlways(db, first, [id])).json;

const shown = statement({ parameters: ['bigint'], row: { json: 'text', ...sizeColumns }, place: inProject(1) }, `select ${projectJson} as json, ${sizes} ${fromProjectsWithAuthor} where p.id = $1`);

/** JSON text of the project that was imported. @throws 409 if it, or a page, is larger than allowed, because links may become longer */
export async function importedProject(db: Database, id: string): Promise<string> {
    const { json, page_bytes: pageBytes, project_bytes: projectBytes } = await runAlways(db, shown, [id]);
    refuseSizes(pageBytes, projectBytes);
    return json;
}
