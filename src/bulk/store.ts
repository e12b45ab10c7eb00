import type { Database } from '../db/connection';
import { run, statement } from '../db/statement';
import { jsonArray } from '../json/json-text';
import type { ElementState, PageState, ProjectState, State } from './state';

const insertProjects = statement(`
    insert into projects (id, user_id, version, title, description, tags, thumbnail, page_count, project_bytes, revision, counted_revision)
    select id, user_id, version, title, description, tags, thumbnail, page_count, project_bytes, revision, revision
    from json_to_recordset($1::json) as r (id bigint, user_id bigint, version text, title text, description text, tags text[],
        thumbnail json, page_count integer, project_bytes bigint, revision integer)`);

const updateProjects = statement(`
    update projects p set title = r.title, description = r.description, tags = r.tags, thumbnail = coalesce(r.thumbnail, p.thumbnail),
        page_count = r.page_count, project_bytes = r.project_bytes, revision = r.revision, counted_revision = r.revision, updated_at = now(), deleted_at = case when r.removed then now() end
    from json_to_recordset($1::json) as r (id bigint, title text, description text, tags text[], thumbnail json,
        page_count integer, project_bytes bigint, revision integer, removed boolean)
    where p.id = r.id`);

const insertPages = statement(`
    insert into pages (id, project_id, x, y, styles, element_count, page_bytes, revision)
    select id, project_id, x, y, styles, element_count, page_bytes, revision
    from json_to_recordset($1::json) as r (id bigint, project_id bigint, x integer, y integer, styles json,
        element_count integer, page_bytes bigint, revision integer)`);

// Pages may change places within this one statement: their uniqueness is checked at its end.
const updatePages = statement(`
    update pages g set x = r.x, y = r.y, styles = coalesce(r.styles, g.styles), element_count = r.element_count,
        page_bytes = r.page_bytes, revision = r.revision, updated_at = now(), deleted_at = case when r.removed then now() end
    from json_to_recordset($1::json) as r (id bigint, x integer, y integer, styles json, element_count integer,
        page_bytes bigint, revision integer, removed boolean)
    where g.id = r.id`);

const insertElements = statement(`
    insert into elements (id, page_id, type, attributes, styles, revision)
    select id, page_id, type, attributes, styles, revision
    from json_to_recordset($1::json) as r (id bigint, page_id bigint, type text, attributes json, styles json, revision integer)`);

const updateElements = statement(`
    update elements e set attributes = coalesce(r.attributes, e.attributes), styles = coalesce(r.styles, e.styles),
        revision = r.revision, updated_at = now(), deleted_at = case when r.removed then now() end
    from json_to_recordset($1::json) as r (id bigint, attributes json, styles json, revision integer, removed boolean)
    where e.id = r.id`);

const projectRow = ({ thing, pageCount, bytes, removed, thumbnailChanged }: ProjectState): object => {
    return { ...thing, thumbnail: thumbnailChanged ? thing.thumbnail : undefined, author: undefined, page_count: pageCount, project_bytes: bytes, removed };
};

const pageRow = ({ thing, elementCount, bytes, removed, stylesChanged }: PageState): object => {
    return { ...thing, styles: stylesChanged ? thing.styles : undefined, element_count: elementCount, page_bytes: bytes, removed };
};

const elementRow = ({ thing, removed, attributesChanged, stylesChanged }: ElementState): object => {
    return { ...thing, attributes: attributesChanged ? thing.attributes : undefined, styles: stylesChanged ? thing.styles : undefined, removed };
};

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
