import { findAbsent, referencesOf } from '../../rules/asset-references';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne } from '../../database/statements/statement';
import { pauses } from '../../api/concurrency/yielding';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { JsonText } from '../../api/json/json-text';
import { MAX_BULK_PAGES, MAX_LOADED } from '../../limits';
import { missingFor, namedBy } from './needs';
import type { Need } from './needs';
import { newPlan, placeKey, projectOf } from './plan';
import type { Allowance, Bulk, Plan, PlannedElement, PlannedPage, PlannedProject, Run } from './plan';
import { author, draw, elements, lock, pages, places, projects } from './queries';
import { boundedParser } from './references';
import type { Action, Kind } from './schema';

export const newAllowance = (): Allowance => ({ ...MAX_LOADED });

/**
 * Begins a bulk: draws the ids of everything that its actions make, and loads everything that they name.
 * @throws 404, 403 if the user is another than the caller; as `load` does
 */
export async function begin(db: Database, { actions, userId, caller, version, loaded }: Bulk): Promise<Run> {
    const count = (kind: Kind): number => actions.filter(({ type, method }) => type === kind && method === 'create').length;
    const [found, drawn] = await Promise.all([runOne(db, author, [userId]), runAlways(db, draw, [count('projects'), count('pages'), count('elements')])]);
    if (found === undefined) {
        throw notFound('user');
    }

    if (userId !== caller.id) {
        throw forbidden('A bulk can be run under one\'s own account only.');
    }

    const plan = newPlan();
    const allowance = newAllowance();
    loaded(plan.projects);
    await load(db, { plan, caller, allowance }, namedBy(actions));
    const absent = await findAbsent(db, actions.flatMap(({ data }) => referencesOf(data)));
    // Ids are taken from the end.
    const ids = { projects: drawn.projects.reverse(), pages: drawn.pages.reverse(), elements: drawn.elements.reverse() };
    return { actions, plan, allowance, now: found.now, caller, author: found.author, version, ids, results: [], parse: boundedParser(), absent };
}

/**
 * Locks the caller's projects that contain the needed things, and loads what the actions need of them, in three round trips. The
 * queries of one round trip are sent as a pipeline. The allowance is reduced by what was loaded.
 * @throws 400 `bulk_too_large` if pages are made or moved in projects that hold too many of them
 */
export async function load(db: Database, { plan, caller, allowance }: Pick<Run, 'plan' | 'caller' | 'allowance'>, needs: readonly Need[]): Promise<void> {
    if (needs.length === 0) {
        return;
    }

    const idsOf = (...kinds: Kind[]): string[] => [...new Set(needs.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id))];
    const [ofPages, ofElements, shown] = [idsOf('pages'), idsOf('elements'), [...new Set(needs.filter((need) => need.shown).map(({ id }) => id))]];
    const reader = [caller.id, caller.moderator, caller.projects ?? null];
    const found = await run(db, lock, [idsOf('projects'), ofPages, ofElements, ...reader]);
    const locked = new Set(found.filter((project) => project.locked).map(({ id }) => id));
    const [foundProjects, foundPages, foundElements] = await Promise.all([
        run(db, projects, [found.map(({ id }) => id), allowance.thumbnails, ...reader]),
        ofPages.length + ofElements.length > 0 ? run(db, pages, [ofPages, ofElements, allowance.styles, ...reader]) : [],
        ofElements.length + shown.length > 0 ? run(db, elements, [ofElements, shown, allowance.contents, allowance.elements, ...reader]) : []
    ]);

    const pause = pauses();
    for (const { project, thumbnail, page_count: pageCount, bytes, role } of foundProjects) {
        allowance.thumbnails -= thumbnail?.length ?? 0;
        // A caller who became an editor only now has not locked the project, and so must not write to it.
        addProject(plan, { ...project, thumbnail: contentOf(thumbnail) }, { pageCount, bytes, role: locked.has(project.id) ? role : null });
        await pause();
    }

    for (const { page: { elements: _elements, ...page }, styles, element_count: elementCount, bytes, styles_bytes: stylesBytes } of foundPages) {
        allowance.styles -= styles?.length ?? 0;
        addPage(plan, { ...page, styles: contentOf(styles) }, { elementCount, elementsBefore: elementCount, bytes, stylesBytes });
        await pause();
    }

    const onPages = new Map<string, number>();
    for (const { element, attributes, styles, attributes_bytes: attributesBytes, styles_bytes: stylesBytes } of foundElements) {
        allowance.contents -= (attributes?.length ?? 0) + (styles?.length ?? 0);
        addElement(plan, { ...element, attributes: contentOf(attributes), styles: contentOf(styles) }, { attributesBytes, stylesBytes });
        onPages.set(element.page_id, (onPages.get(element.page_id) ?? 0) + 1);
        await pause();
    }

    const complete = new Set(foundPages.filter(({ page: { id }, element_count }) => (onPages.get(id) ?? 0) === element_count).map(({ page: { id } }) => id));
    allowance.elements -= showElements(plan, shown, complete);
    await loadPlaces(db, plan, needs);
}

/** Loads what an action needs and no action before has made or named. Returns undefined, and waits for nothing, if that is nothing. */
export function loadMissing(db: Database, begun: Run, action: Action): Promise<void> | undefined {
    const missing = missingFor(begun, action);
    return missing.length > 0 ? load(db, begun, missing) : undefined;
}

/** Contents as they are stored; undefined if they were not loaded. */
const contentOf = (text: string | null): JsonText | undefined => (text === null ? undefined : new JsonText(text));

const unchanged = { made: false, changed: false, removed: false };

export function addProject(plan: Plan, thing: PlannedProject['thing'], more: Pick<PlannedProject, 'pageCount' | 'bytes' | 'role'>): void {
    const known = plan.projects.get(thing.id);
    if (known === undefined) {
        plan.projects.set(thing.id, { thing, ...more, ownerId: thing.user_id, places: undefined, written: {}, ...unchanged });
    }
    else {
        known.thing.thumbnail ??= thing.thumbnail;
    }
}

function addPage(plan: Plan, thing: PlannedPage['thing'], counts: Pick<PlannedPage, 'elementCount' | 'elementsBefore' | 'bytes' | 'stylesBytes'>): void {
    const known = plan.pages.get(thing.id);
    const project = plan.projects.get(thing.project_id);
    if (known !== undefined) {
        known.thing.styles ??= thing.styles;
    }
    else if (project !== undefined) {
        plan.pages.set(thing.id, { thing, project, ...counts, elements: undefined, elementsAskedFor: false, written: {}, ...unchanged });
    }
}

function addElement(plan: Plan, thing: PlannedElement['thing'], counts: Pick<PlannedElement, 'attributesBytes' | 'stylesBytes'>): void {
    const known = plan.elements.get(thing.id);
    const page = plan.pages.get(thing.page_id);
    if (known !== undefined) {
        known.thing.attributes ??= thing.attributes;
        known.thing.styles ??= thing.styles;
    }
    else if (page !== undefined) {
        plan.elements.set(thing.id, { thing, page, ...counts, written: {}, ...unchanged });
    }
}

/** Orders decimal ids by their value. */
const byId = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/**
 * Gives each page that is shown its elements, in order of creation, if all of them were loaded.
 * @returns the number of these elements
 */
function showElements(plan: Plan, shown: readonly string[], complete: ReadonlySet<string>): number {
    const filling = new Set<PlannedPage>();
    for (const id of shown) {
        const page = plan.pages.get(id);
        if (page !== undefined && page.elements === undefined) {
            page.elementsAskedFor = true;
            if (complete.has(id)) {
                page.elements = new Map();
                filling.add(page);
            }
        }
    }

    const found = filling.size === 0 ? [] : [...plan.elements.values()].filter(({ page, removed }) => filling.has(page) && !removed);
    for (const element of found.sort((a, b) => byId(a.thing.id, b.thing.id))) {
        element.page.elements?.set(element.thing.id, element);
    }

    return found.length;
}

/** Loads which places are taken in the projects that pages are made or moved in. */
async function loadPlaces(db: Database, plan: Plan, needs: readonly Need[]): Promise<void> {
    const wanted = new Map<string, PlannedProject>();
    for (const { kind, id, placed } of needs) {
        const thing = placed ? plan[kind].get(id) : undefined;
        const project = thing && projectOf(thing);
        if (project !== undefined && project.places === undefined) {
            wanted.set(project.thing.id, project);
        }
    }

    if (wanted.size === 0) {
        return;
    }

    const known = [...plan.projects.values()].reduce((sum, { places: taken }) => sum + (taken?.size ?? 0), 0);
    if ([...wanted.values()].reduce((sum, { pageCount }) => sum + pageCount, known) > MAX_BULK_PAGES) {
        throw fault('bulk_too_large');
    }

    wanted.forEach((project) => {
        project.places = new Map();
    });
    const pause = pauses();
    for (const { id, project_id, x, y } of await run(db, places, [[...wanted.keys()]])) {
        // An earlier action may have removed the page, which is not stored yet.
        if (plan.pages.get(id)?.removed !== true) {
            wanted.get(project_id)?.places?.set(placeKey(x, y), id);
        }

        await pause();
    }
}
