import { fault } from '../errors/errors';
import type { History } from '../db/json-sql';
import { JsonText, emptyObject } from '../json/json-text';
import { MOST_ELEMENTS, MOST_PAGES } from '../limits';
import { tagsOf } from '../projects/tags';
import { resolveLink } from './references';
import type { Result } from './results';
import type { Action } from './schema';
import { grow, placeKey, showPage, touch } from './state';
import type { ElementState, PageState, ProjectState, Run } from './state';
import { checkAccess, checkRevision, findElement, findPage, findProject } from './targets';

type Data = Action['data'];

/** What came of an action, without its type and method. */
type Outcome = Omit<Result, 'type' | 'method'>;
type Step = (run: Run, data: Data) => Outcome;

function take(ids: string[]): string {
    const id = ids.pop();
    if (id === undefined) {
        throw new Error('Fewer ids were drawn than actions make things');
    }

    return id;
}

/** Moves a page to a place of its own. @throws 409 if another page is there */
function moveTo(page: PageState, x: number, y: number): void {
    const { places } = page.project;
    if (places === undefined) {
        throw new Error('The places of a project were not loaded');
    }

    const there = places.get(placeKey(x, y));
    if (there !== undefined && there !== page.thing.id) {
        throw fault('coordinates_taken', `Another page of the project is at (${x}, ${y}) already.`);
    }

    places.delete(placeKey(page.thing.x, page.thing.y));
    places.set(placeKey(x, y), page.thing.id);
    Object.assign(page.thing, { x, y });
}

const made = { made: true, changed: true, removed: false };

/** What every new thing starts with. */
const firstRevision = (now: string): { revision: number; history: History } => ({ revision: 1, history: { created_at: now, updated_at: now } });

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const jsonOr = <Otherwise>(value: unknown, otherwise: Otherwise): JsonText | Otherwise => (value instanceof JsonText ? value : otherwise);

/** Bytes of JSON text; those known before if it is not there. */
const bytesOr = (value: unknown, otherwise: number): number => jsonOr(value, undefined)?.bytes ?? otherwise;

const bytesOf = ({ attributesBytes, stylesBytes }: ElementState): number => attributesBytes + stylesBytes;

/** A thumbnail, which is small enough to be validated as an object, as JSON text. */
const thumbnailOr = <Otherwise>(value: unknown, otherwise: Otherwise): JsonText | Otherwise => (value === undefined ? otherwise : new JsonText(JSON.stringify(value)));

const deleted = ({ thing: { id } }: ProjectState | PageState | ElementState): Outcome => ({ status: 'deleted', id });

const createProject: Step = ({ state, author, version, ids }, data) => {
    const description = textOr(data.description, '');
    const thing = {
        id: take(ids.projects), user_id: author.id, version, title: textOr(data.title, ''), description, tags: tagsOf(description),
        remixed_from: null, featured: false, thumbnail: thumbnailOr(data.thumbnail, emptyObject), author, ...firstRevision(state.now)
    };
    state.projects.set(thing.id, { thing, pageCount: 0, bytes: 0, places: new Map(), thumbnailChanged: true, ...made });
    return { ...thing };
};

const updateProject: Step = (run, data) => {
    const project = findProject(run, data.id);
    const { thing } = project;
    checkAccess(run, 'update', 'projects', thing.user_id);
    checkRevision('projects', data, thing);
    thing.title = textOr(data.title, thing.title);
    thing.description = textOr(data.description, thing.description);
    thing.tags = data.description === undefined ? thing.tags : tagsOf(thing.description);
    thing.thumbnail = thumbnailOr(data.thumbnail, thing.thumbnail);
    project.thumbnailChanged ||= data.thumbnail !== undefined;
    touch(run.state, project);
    return { ...thing };
};

const removeProject: Step = (run, data) => {
    const project = findProject(run, data.id);
    checkAccess(run, 'remove', 'projects', project.thing.user_id);
    checkRevision('projects', data, project.thing);
    touch(run.state, project);
    project.removed = true;
    return deleted(project);
};

const createPage: Step = (run, data) => {
    const project = findProject(run, data.projectId);
    checkAccess(run, 'create', 'projects', project.thing.user_id);
    const thing = {
        id: take(run.ids.pages), project_id: project.thing.id, user_id: project.thing.user_id,
        x: numberOr(data.x, 0), y: numberOr(data.y, 0), styles: jsonOr(data.styles, emptyObject), ...firstRevision(run.state.now)
    };
    const page: PageState = {
        thing, project, elementCount: 0, bytes: 0, stylesBytes: thing.styles.bytes, elements: new Map(), elementsAskedFor: true, stylesChanged: true, ...made
    };
    moveTo(page, thing.x, thing.y);
    if (++project.pageCount > MOST_PAGES) {
        throw fault('page_limit');
    }

    grow(page, page.stylesBytes);
    run.state.pages.set(thing.id, page);
    touch(run.state, project);
    return showPage(page);
};

const updatePage: Step = (run, data) => {
    const page = findPage(run, data.id);
    const { thing } = page;
    checkAccess(run, 'update', 'pages', thing.user_id);
    checkRevision('pages', data, thing);
    if (data.x !== undefined || data.y !== undefined) {
        moveTo(page, numberOr(data.x, thing.x), numberOr(data.y, thing.y));
    }

    thing.styles = jsonOr(data.styles, thing.styles);
    page.stylesChanged ||= data.styles !== undefined;
    const bytes = bytesOr(data.styles, page.stylesBytes);
    grow(page, bytes - page.stylesBytes);
    page.stylesBytes = bytes;
    touch(run.state, page, page.project);
    return showPage(page);
};

const removePage: Step = (run, data) => {
    const page = findPage(run, data.id);
    checkAccess(run, 'remove', 'pages', page.thing.user_id);
    checkRevision('pages', data, page.thing);
    page.project.pageCount--;
    page.project.bytes -= page.bytes;
    page.project.places?.delete(placeKey(page.thing.x, page.thing.y));
    touch(run.state, page, page.project);
    page.removed = true;
    return deleted(page);
};

/** An element in a result, where `type` says what was acted on. */
const showElement = ({ type, ...rest }: ElementState['thing']): Outcome => ({ ...rest, element_type: type });

/** Attributes as they are to be stored, the references of a link resolved. */
const attributesOr = <Otherwise>(run: Run, type: string, value: unknown, otherwise: Otherwise): JsonText | Otherwise => {
    const attributes = jsonOr(value, undefined);
    return attributes !== undefined && type === 'link' ? resolveLink(attributes, run) : attributes ?? otherwise;
};

const createElement: Step = (run, data) => {
    const page = findPage(run, data.pageId);
    checkAccess(run, 'create', 'pages', page.thing.user_id);
    const type = textOr(data.type, '');
    const thing = {
        id: take(run.ids.elements), page_id: page.thing.id, user_id: page.thing.user_id, type,
        attributes: attributesOr(run, type, data.attributes, emptyObject), styles: jsonOr(data.styles, emptyObject), ...firstRevision(run.state.now)
    };
    if (++page.elementCount > MOST_ELEMENTS) {
        throw fault('element_limit');
    }

    const element: ElementState = { thing, page, attributesBytes: thing.attributes.bytes, stylesBytes: thing.styles.bytes, attributesChanged: true, stylesChanged: true, ...made };
    grow(page, bytesOf(element));
    run.state.elements.set(thing.id, element);
    page.elements?.set(thing.id, element);
    touch(run.state, page, page.project);
    return showElement(thing);
};

const updateElement: Step = (run, data) => {
    const element = findElement(run, data.id);
    const { thing } = element;
    checkAccess(run, 'update', 'elements', thing.user_id);
    checkRevision('elements', data, thing);
    thing.attributes = attributesOr(run, thing.type, data.attributes, thing.attributes);
    thing.styles = jsonOr(data.styles, thing.styles);
    const bytes = bytesOf(element);
    element.attributesBytes = bytesOr(thing.attributes, element.attributesBytes);
    element.stylesBytes = bytesOr(thing.styles, element.stylesBytes);
    grow(element.page, bytesOf(element) - bytes);
    element.attributesChanged ||= data.attributes !== undefined;
    element.stylesChanged ||= data.styles !== undefined;
    touch(run.state, element, element.page, element.page.project);
    return showElement(thing);
};

const removeElement: Step = (run, data) => {
    const element = findElement(run, data.id);
    checkAccess(run, 'remove', 'elements', element.thing.user_id);
    checkRevision('elements', data, element.thing);
    element.page.elementCount--;
    grow(element.page, -bytesOf(element));
    element.page.elements?.delete(element.thing.id);
    touch(run.state, element, element.page, element.page.project);
    element.removed = true;
    return deleted(element);
};

const steps: Readonly<Record<Action['type'], Readonly<Record<Action['method'], Step>>>> = {
    projects: { create: createProject, update: updateProject, remove: removeProject },
    pages: { create: createPage, update: updatePage, remove: removePage },
    elements: { create: createElement, update: updateElement, remove: removeElement }
};

/** Runs one action on the state in memory, by the rules of the single routes. */
export function apply(run: Run, { type, method, data }: Action): Result {
    return { ...steps[type][method](run, data), type, method };
}
