import type { Database } from '../db/connection';
import { isoTime, quoted } from '../db/json-sql';
import { run, runAlways, runOne, statement } from '../db/statement';
import { elementJson } from '../representations/element';
import type { Element } from '../representations/element';
import { pageJson } from '../representations/page';
import type { Page } from '../representations/page';
import { projectJson } from '../representations/project';
import { JsonText } from '../json/json-text';
import type { Project } from '../representations/project';
import { userJson } from '../representations/user';
import type { User } from '../representations/user';
import { placeKey } from './state';
import type { ElementState, PageState, ProjectState, State } from './state';

// Waits for a deletion of the user, and keeps one waiting.
const author = statement<{ now: string; author: User }>(`
    select ${isoTime('now()::timestamptz(3)')} as now, ${userJson}::json as author
    from users u where u.id = $1 and u.deleted_at is null for share`);

/** The bulk's user and the transaction's time; undefined where the user has gone. */
export function findAuthor(db: Database, id: string): Promise<{ now: string; author: User } | undefined> {
    return runOne(db, author, [id]);
}

/** Ids that actions name, by what they are ids of. */
export interface Named {
    projects: ReadonlySet<string>;
    pages: ReadonlySet<string>;
    elements: ReadonlySet<string>;
    /** pages that will be shown, and so need their elements */
    shown: ReadonlySet<string>;
    /** projects in which pages are made or moved, by id, and by id of a page that is in it */
    placed: ReadonlySet<string>;
    placedByPage: ReadonlySet<string>;
}

// In order of id, as every writer of several projects locks them.
const lock = statement<{ id: string }>(`
    select p.id from projects p where p.id in (
        select unnest($1::bigint[])
        union select g.project_id from pages g where g.id = any($2::bigint[])
        union select g.project_id from elements e join pages g on g.id = e.page_id where e.id = any($3::bigint[])
    ) order by p.id for no key update`);

const projects = statement<{ project: Project; page_count: number }>(`
    select ${projectJson}::json as project, p.page_count
    from projects p join users u on u.id = p.user_id and u.deleted_at is null
    where p.deleted_at is null and p.id = any($1::bigint[])`);

const pages = statement<{ page: Page<string>; element_count: number }>(`
    select ${pageJson('p.user_id', `''`, quoted)}::json as page, g.element_count
    from pages g join projects p on p.id = g.project_id and p.deleted_at is null
    where g.deleted_at is null and g.id in (
        select unnest($1::bigint[]) union select e.page_id from elements e where e.id = any($2::bigint[]))`);

const elements = statement<{ element: Element<string> }>(`
    select ${elementJson('p.user_id', quoted)}::json as element
    from elements e join pages g on g.id = e.page_id and g.deleted_at is null join projects p on p.id = g.project_id and p.deleted_at is null
    where e.deleted_at is null and (e.id = any($1::bigint[]) or e.page_id = any($2::bigint[]))
    order by e.id`);

const places = statement<{ id: string; project_id: string; x: number; y: number }>(`
    select id, project_id, x, y from pages where deleted_at is null and project_id = any($1::bigint[])`);

/**
 * Locks the projects that the named things are in, and loads what the actions need of them, in three round trips: what
 * is asked in one follows as a pipeline.
 */
export async function load(db: Database, state: State, named: Named): Promise<void> {
    if (named.projects.size + named.pages.size + named.elements.size === 0) {
        return;
    }

    const locked = await run(db, lock, [[...named.projects], [...named.pages], [...named.elements]]);
    const [foundProjects, foundPages, foundElements] = await Promise.all([
        run(db, projects, [locked.map(({ id }) => id)]),
        named.pages.size + named.elements.size > 0 ? run(db, pages, [[...named.pages], [...named.elements]]) : [],
        named.elements.size + named.shown.size > 0 ? run(db, elements, [[...named.elements], [...named.shown]]) : []
    ]);

    for (const { project, page_count } of foundProjects) {
        if (!state.projects.has(project.id)) {
            state.projects.set(project.id, projectState(project, page_count));
        }
    }

    for (const { page, element_count } of foundPages) {
        addPage(state, page, element_count);
    }

    for (const { element } of foundElements) {
        addElement(state, element);
    }

    fillShown(state, named.shown);
    await loadPlaces(db, state, named);
}

/** Gives each page that is shown the elements that were loaded of it, in order of creation. */
function fillShown(state: State, shown: ReadonlySet<string>): void {
    const filling = [...shown].map((id) => state.pages.get(id)).filter((page): page is PageState => page !== undefined && page.elements === undefined);
    for (const page of filling) {
        page.elements = new Map();
    }

    if (filling.length > 0) {
        const byId = [...state.elements.values()].sort((a, b) => Number(BigInt(a.thing.id) - BigInt(b.thing.id)));
        for (const element of byId) {
            if (!element.removed) {
                element.page.elements?.set(element.thing.id, element);
            }
        }
    }
}

async function loadPlaces(db: Database, state: State, named: Named): Promise<void> {
    const inPages = [...named.placedByPage].map((id) => state.pages.get(id)?.project.thing.id ?? '');
    const placed = [...named.placed, ...inPages].map((id) => state.projects.get(id)).filter((project) => project?.places === undefined);
    const byId = new Map<string, ProjectState>();
    for (const project of placed) {
        if (project !== undefined) {
            byId.set(project.thing.id, project);
        }
    }

    if (byId.size === 0) {
        return;
    }

    for (const project of byId.values()) {
        project.places = new Map();
    }

    for (const { id, project_id, x, y } of await run(db, places, [[...byId.keys()]])) {
        // An action before may have removed the page, which is not stored yet.
        if (state.pages.get(id)?.removed !== true) {
            byId.get(project_id)?.places?.set(placeKey(x, y), id);
        }
    }
}

export function projectState(thing: Project, pageCount: number): ProjectState {
    return { thing, pageCount, places: undefined, made: false, changed: false, removed: false };
}

function addPage(state: State, { elements: _elements, styles, ...rest }: Page<string>, elementCount: number): void {
    const thing = { ...rest, styles: new JsonText(styles) };
    const project = state.projects.get(thing.project_id);
    if (project !== undefined && !state.pages.has(thing.id)) {
        const page: PageState = { thing, project, elementCount, elements: undefined, restyled: false, made: false, changed: false, removed: false };
        state.pages.set(thing.id, page);
    }
}

function addElement(state: State, { attributes, styles, ...rest }: Element<string>): void {
    const thing = { ...rest, attributes: new JsonText(attributes), styles: new JsonText(styles) };
    const page = state.pages.get(thing.page_id);
    if (page !== undefined && !state.elements.has(thing.id)) {
        const element: ElementState = { thing, page, attributed: false, restyled: false, made: false, changed: false, removed: false };
        state.elements.set(thing.id, element);
    }
}

// The sequences by their names: asking for the name is done once for each id, and costs more than drawing it.
const draw = statement<{ projects: string[]; pages: string[]; elements: string[] }>(`
    select array(select nextval('projects_id_seq') from generate_series(1, $1::int)) as projects,
        array(select nextval('pages_id_seq') from generate_series(1, $2::int)) as pages,
        array(select nextval('elements_id_seq') from generate_series(1, $3::int)) as elements`);

/** Ids for what is going to be made, so many of each. */
export function drawIds(db: Database, counts: { projects: number; pages: number; elements: number }): Promise<{ projects: string[]; pages: string[]; elements: string[] }> {
    return runAlways(db, draw, [counts.projects, counts.pages, counts.elements]);
}
