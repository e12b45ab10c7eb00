import type { CurrentUser } from '../../api/request/caller';
import type { Database } from '../../database/statements/connection';
import { run } from '../../database/statements/statement';
import { pauses } from '../../api/concurrency/yielding';
import { fault } from '../../api/errors/errors';
import { JsonText } from '../../api/json/json-text';
import { MOST_BULK_PAGES, MOST_LOADED } from '../../limits';
import type { Needs } from './needs';
import { elements, lock, pages, places, projects } from './queries';
import { noCounts, placeKey } from './state';
import type { ElementState, PageState, ProjectState, State } from './state';

/** How much one bulk may load, in bytes if nothing else is said. Contents beyond that are not loaded, and so not shown. */
export interface Allowance {
    thumbnails: number;
    /** of pages */
    styles: number;
    /** attributes and styles of elements */
    contents: number;
    /** number of elements of pages that are shown */
    elements: number;
    /** contents of things as they were, for merges */
    earlier: number;
}

export const newAllowance = (): Allowance => ({ ...MOST_LOADED });

/**
 * Locks the caller's projects that contain the needed things, and loads what the actions need of them, in three round trips. The
 * queries of one round trip are sent as a pipeline.
 * @param allowance is reduced by what was loaded
 * @throws 400 `bulk_too_large` if pages are made or moved in projects that hold too many of them
 */
export async function load(db: Database, state: State, caller: CurrentUser, needs: Needs, allowance: Allowance): Promise<void> {
    if (needs.projects.size + needs.pages.size + needs.elements.size === 0) {
        return;
    }

    const reader = [caller.id, caller.moderator, caller.projects ?? null];
    const found = await run(db, lock, [[...needs.projects], [...needs.pages], [...needs.elements], ...reader]);
    const locked = new Set(found.filter((project) => project.locked).map(({ id }) => id));
    const [foundProjects, foundPages, foundElements] = await Promise.all([
        run(db, projects, [found.map(({ id }) => id), allowance.thumbnails, ...reader]),
        needs.pages.size + needs.elements.size > 0 ? run(db, pages, [[...needs.pages], [...needs.elements], allowance.styles, ...reader]) : [],
        needs.elements.size + needs.shown.size > 0 ? run(db, elements, [[...needs.elements], [...needs.shown], allowance.contents, allowance.elements, ...reader]) : []
    ]);

    const pause = pauses();
    for (const { project, thumbnail, page_count: pageCount, bytes, role } of foundProjects) {
        allowance.thumbnails -= thumbnail?.length ?? 0;
        // A caller who became an editor only now has not locked the project, and so must not write to it.
        addProject(state, { ...project, thumbnail: contentOf(thumbnail) }, { pageCount, bytes, role: locked.has(project.id) ? role : null });
        await pause();
    }

    for (const { page: { elements: _elements, ...page }, styles, element_count: elementCount, bytes, styles_bytes: stylesBytes } of foundPages) {
        allowance.styles -= styles?.length ?? 0;
        addPage(state, { ...page, styles: contentOf(styles) }, { elementCount, bytes, stylesBytes });
        await pause();
    }

    const onPages = new Map<string, number>();
    for (const { element, attributes, styles, attributes_bytes: attributesBytes, styles_bytes: stylesBytes } of foundElements) {
        allowance.contents -= (attributes?.length ?? 0) + (styles?.length ?? 0);
        addElement(state, { ...element, attributes: contentOf(attributes), styles: contentOf(styles) }, { attributesBytes, stylesBytes });
        onPages.set(element.page_id, (onPages.get(element.page_id) ?? 0) + 1);
        await pause();
    }

    const complete = new Set(foundPages.filter(({ page: { id }, element_count }) => (onPages.get(id) ?? 0) === element_count).map(({ page: { id } }) => id));
    allowance.elements -= showElements(state, needs.shown, complete);
    await loadPlaces(db, state, needs);
}

/** Contents as they are stored; undefined if they were not loaded. */
const contentOf = (text: string | null): JsonText | undefined => (text === null ? undefined : new JsonText(text));

const unchanged = { made: false, changed: false, removed: false };

export function addProject(state: State, thing: ProjectState['thing'], more: Pick<ProjectState, 'pageCount' | 'bytes' | 'role'>): void {
    const known = state.projects.get(thing.id);
    if (known === undefined) {
        state.projects.set(thing.id, { thing, ...more, ownerId: thing.user_id, places: undefined, written: {}, counts: noCounts(), ...unchanged });
    }
    else {
        known.thing.thumbnail ??= thing.thumbnail;
    }
}

function addPage(state: State, thing: PageState['thing'], counts: Pick<PageState, 'elementCount' | 'bytes' | 'stylesBytes'>): void {
    const known = state.pages.get(thing.id);
    const project = state.projects.get(thing.project_id);
    if (known !== undefined) {
        known.thing.styles ??= thing.styles;
    }
    else if (project !== undefined) {
        state.pages.set(thing.id, { thing, project, ...counts, elements: undefined, elementsAskedFor: false, written: {}, ...unchanged });
    }
}

function addElement(state: State, thing: ElementState['thing'], counts: Pick<ElementState, 'attributesBytes' | 'stylesBytes'>): void {
    const known = state.elements.get(thing.id);
    const page = state.pages.get(thing.page_id);
    if (known !== undefined) {
        known.thing.attributes ??= thing.attributes;
        known.thing.styles ??= thing.styles;
    }
    else if (page !== undefined) {
        state.elements.set(thing.id, { thing, page, ...counts, written: {}, ...unchanged });
    }
}

/** Orders decimal ids by their value. */
const byId = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/**
 * Gives each page that is shown its elements, in order of creation, if all of them were loaded.
 * @returns the number of these elements
 */
function showElements(state: State, shown: ReadonlySet<string>, complete: ReadonlySet<string>): number {
    const filling = new Set<PageState>();
    for (const id of shown) {
        const page = state.pages.get(id);
        if (page !== undefined && page.elements === undefined) {
            page.elementsAskedFor = true;
            if (complete.has(id)) {
                page.elements = new Map();
                filling.add(page);
            }
        }
    }

    const found = filling.size === 0 ? [] : [...state.elements.values()].filter(({ page, removed }) => filling.has(page) && !removed);
    for (const element of found.sort((a, b) => byId(a.thing.id, b.thing.id))) {
        element.page.elements?.set(element.thing.id, element);
    }

    return found.length;
}

/** Loads which places are taken in the projects that pages are made or moved in. */
async function loadPlaces(db: Database, state: State, needs: Needs): Promise<void> {
    const inPages = [...needs.placedByPage].map((id) => state.pages.get(id)?.project.thing.id ?? '');
    const byProject = new Map<string, ProjectState>();
    for (const id of [...needs.placed, ...inPages]) {
        const project = state.projects.get(id);
        if (project !== undefined && project.places === undefined) {
            byProject.set(id, project);
        }
    }

    if (byProject.size === 0) {
        return;
    }

    const [taken, more] = [[...state.projects.values()], [...byProject.values()]];
    const count = taken.reduce((sum, project) => sum + (project.places?.size ?? 0), 0) + more.reduce((sum, project) => sum + project.pageCount, 0);
    if (count > MOST_BULK_PAGES) {
        throw fault('bulk_too_large');
    }

    for (const project of more) {
        project.places = new Map();
    }

    const pause = pauses();
    for (const { id, project_id, x, y } of await run(db, places, [[...byProject.keys()]])) {
        // An earlier action may have removed the page, which is not stored yet.
        if (state.pages.get(id)?.removed !== true) {
            byProject.get(project_id)?.places?.set(placeKey(x, y), id);
        }

        await pause();
    }
}
