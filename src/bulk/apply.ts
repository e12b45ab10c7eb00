import type { CurrentUser } from '../http/caller';
import { fault, forbidden, notFound } from '../errors/errors';
import { JsonText, emptyObject, jsonOf } from '../json/json-text';
import { movedOn } from '../http/entity-tags';
import { tagsOf } from '../projects/tags';
import type { User } from '../representations/user';
import { projectState } from './load';
import { idOf, resolveLink } from './references';
import type { Earlier } from './references';
import type { Action } from './schema';
import { placeKey, showPage, touch } from './state';
import type { ElementState, PageState, ProjectState, State } from './state';

/** What actions run with. */
export interface Run extends Earlier {
    state: State;
    caller: CurrentUser;
    author: User;
    /** `API_VERSION` */
    version: string;
    /** ids drawn for what is made, next one last */
    ids: { projects: string[]; pages: string[]; elements: string[] };
    results: object[];
}

type Data = Action['data'];
type Step = (run: Run, data: Data) => object;

const MOST_PAGES = 1000;
const MOST_ELEMENTS = 1000;

function take(ids: string[]): string {
    const id = ids.pop();
    if (id === undefined) {
        throw new Error('Fewer ids were drawn than actions make things');
    }

    return id;
}

/** The thing that is there. @throws 404 */
function present<Row extends { removed: boolean }>(row: Row | undefined, what: string): Row {
    if (row === undefined || row.removed) {
        throw notFound(what);
    }

    return row;
}

const findProject = (run: Run, target: unknown): ProjectState => present(run.state.projects.get(idOf(target, run)), 'project');

function findPage(run: Run, target: unknown): PageState {
    const page = present(run.state.pages.get(idOf(target, run)), 'page');
    present(page.project, 'page');
    return page;
}

function findElement(run: Run, target: unknown): ElementState {
    const element = present(run.state.elements.get(idOf(target, run)), 'element');
    present(element.page, 'element');
    present(element.page.project, 'element');
    return element;
}

/** @throws 403 where it is another's, 409 where it has moved on */
function guard(run: Run, ownerId: string, what: string, data: Data, thing: { revision: number }, moderating = false): void {
    if (ownerId !== run.caller.id && !(moderating && run.caller.moderator)) {
        throw forbidden(`This ${what} is someone else's.`);
    }

    if (data.revision !== undefined && data.revision !== thing.revision) {
        throw movedOn(what, jsonOf(thing), false);
    }
}

/** Moves a page to a place of its own. @throws 409 where another is there */
function settleAt(page: PageState, x: number, y: number): void {
    const { places } = page.project;
    if (places === undefined) {
        throw new Error('The places of a project were not loaded');
    }

    const there = places.get(placeKey(x, y));
    if (there !== undefined && there !== page.thing.id) {
        throw fault(409, 'coordinates_taken', `Another page of the project is at (${x}, ${y}) already.`);
    }

    places.delete(placeKey(page.thing.x, page.thing.y));
    places.set(placeKey(x, y), page.thing.id);
    Object.assign(page.thing, { x, y });
}

const fresh = { made: true, changed: true, removed: false };

/** What every new thing starts with. */
const born = (now: string): { revision: number; history: { created_at: string; updated_at: string } } => {
    return { revision: 1, history: { created_at: now, updated_at: now } };
};

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
const objectOr = (value: unknown, otherwise: object): object => (typeof value === 'object' && value !== null ? value : otherwise);
const freeOr = (value: unknown, otherwise: JsonText): JsonText => (value instanceof JsonText ? value : otherwise);
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const createProject: Step = ({ state, author, version, ids }, data) => {
    const description = textOr(data.description, '');
    const thing = {
        id: take(ids.projects), user_id: author.id, version, title: textOr(data.title, ''), description, tags: tagsOf(description),
        remixed_from: null, featured: false, thumbnail: objectOr(data.thumbnail, {}), author, ...born(state.now)
    };
    state.projects.set(thing.id, { ...projectState(thing, 0), ...fresh, places: new Map() });
    return thing;
};

const updateProject: Step = (run, data) => {
    const project = findProject(run, data.id);
    const { thing } = project;
    guard(run, thing.user_id, 'project', data, thing);
    thing.title = textOr(data.title, thing.title);
    thing.description = textOr(data.description, thing.description);
    thing.tags = data.description === undefined ? thing.tags : tagsOf(thing.description);
    thing.thumbnail = objectOr(data.thumbnail, thing.thumbnail);
    touch(run.state, project);
    return thing;
};

const removeProject: Step = (run, data) => {
    const project = findProject(run, data.id);
    guard(run, project.thing.user_id, 'project', data, project.thing, true);
    touch(run.state, project);
    project.removed = true;
    return { status: 'deleted', id: project.thing.id };
};

const createPage: Step = (run, data) => {
    const project = findProject(run, data.projectId);
    guard(run, project.thing.user_id, 'project', {}, project.thing);
    const thing = {
        id: take(run.ids.pages), project_id: project.thing.id, user_id: project.thing.user_id,
        x: numberOr(data.x, 0), y: numberOr(data.y, 0), styles: freeOr(data.styles, emptyObject), ...born(run.state.now)
    };
    const page: PageState = { thing, project, elementCount: 0, elements: new Map(), restyled: true, ...fresh };
    settleAt(page, thing.x, thing.y);
    if (++project.pageCount > MOST_PAGES) {
        throw fault(409, 'page_limit', 'A project holds at most 1,000 pages.');
    }

    run.state.pages.set(thing.id, page);
    touch(run.state, project);
    return showPage(page);
};

const updatePage: Step = (run, data) => {
    const page = findPage(run, data.id);
    const { thing } = page;
    guard(run, thing.user_id, 'page', data, showPage(page));
    if (data.x !== undefined || data.y !== undefined) {
        settleAt(page, numberOr(data.x, thing.x), numberOr(data.y, thing.y));
    }

    if (data.styles !== undefined) {
        thing.styles = freeOr(data.styles, thing.styles);
        page.restyled = true;
    }

    touch(run.state, page, page.project);
    return showPage(page);
};

const removePage: Step = (run, data) => {
    const page = findPage(run, data.id);
    guard(run, page.thing.user_id, 'page', data, showPage(page), true);
    page.project.pageCount--;
    page.project.places?.delete(placeKey(page.thing.x, page.thing.y));
    touch(run.state, page, page.project);
    page.removed = true;
    return { status: 'deleted', id: page.thing.id };
};

const showElement = ({ type, ...rest }: ElementState['thing']): object => ({ ...rest, element_type: type });

const attributesOf = (run: Run, type: string, attributes: JsonText): JsonText => {
    return type === 'link' ? resolveLink(attributes, run) : attributes;
};

const createElement: Step = (run, data) => {
    const page = findPage(run, data.pageId);
    guard(run, page.thing.user_id, 'page', {}, page.thing);
    const type = textOr(data.type, '');
    const thing = {
        id: take(run.ids.elements), page_id: page.thing.id, user_id: page.thing.user_id, type,
        attributes: attributesOf(run, type, freeOr(data.attributes, emptyObject)), styles: freeOr(data.styles, emptyObject), ...born(run.state.now)
    };
    if (++page.elementCount > MOST_ELEMENTS) {
        throw fault(409, 'element_limit', 'A page holds at most 1,000 elements.');
    }

    const element: ElementState = { thing, page, attributed: true, restyled: true, ...fresh };
    run.state.elements.set(thing.id, element);
    page.elements?.set(thing.id, element);
    touch(run.state, page, page.project);
    return showElement(thing);
};

const updateElement: Step = (run, data) => {
    const element = findElement(run, data.id);
    const { thing } = element;
    guard(run, thing.user_id, 'element', data, thing);
    if (data.attributes !== undefined) {
        thing.attributes = attributesOf(run, thing.type, freeOr(data.attributes, thing.attributes));
        element.attributed = true;
    }

    if (data.styles !== undefined) {
        thing.styles = freeOr(data.styles, thing.styles);
        element.restyled = true;
    }

    touch(run.state, element, element.page, element.page.project);
    return showElement(thing);
};

const removeElement: Step = (run, data) => {
    const element = findElement(run, data.id);
    guard(run, element.thing.user_id, 'element', data, element.thing, true);
    element.page.elementCount--;
    element.page.elements?.delete(element.thing.id);
    touch(run.state, element, element.page, element.page.project);
    element.removed = true;
    return { status: 'deleted', id: element.thing.id };
};

const steps: Readonly<Record<Action['type'], Readonly<Record<Action['method'], Step>>>> = {
    projects: { create: createProject, update: updateProject, remove: removeProject },
    pages: { create: createPage, update: updatePage, remove: removePage },
    elements: { create: createElement, update: updateElement, remove: removeElement }
};

/** Runs one action on the state in memory, by the rules of the single routes. */
export function apply(run: Run, { type, method, data }: Action): object {
    return { ...steps[type][method](run, data), type, method };
}
