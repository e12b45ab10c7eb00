import { outsideToken } from '../../api/auth/token-rights';
import { elementColumns, pageColumns, projectColumns, projectRow } from '../../rules/columns';
import { fault } from '../../api/errors/errors';
import type { History } from '../../database/statements/json-sql';
import { MOST_ELEMENTS, MOST_PAGES } from '../../limits';
import type { ElementFields } from '../../api/representations/element';
import type { PageFields } from '../../api/representations/page';
import type { ProjectFields } from '../../api/representations/project';
import type { Method } from '../../api/representations/things';
import { resolveLink } from './references';
import type { Result } from './results';
import type { Action, ActionTarget } from './schema';
import { grow, noCounts, placeKey, showPage, markChanged } from './state';
import type { ElementState, PageState, ProjectState, Run } from './state';
import { checkAccess, checkRevision, elementOfRun, pageOfRun, projectOfRun } from './targets';

/** The result of an action, without its type and method. */
type Outcome = Omit<Result, 'type' | 'method'>;
type Step<Fields> = (run: Run, data: ActionTarget & Partial<Fields>) => Outcome;

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

/** The fields of every new thing. */
const firstRevision = (now: string): { revision: number; history: History } => ({ revision: 1, history: { created_at: now, updated_at: now } });

/** The fields in an action's data. */
export const fieldsOf = <Data extends ActionTarget>({ id: _id, projectId: _projectId, pageId: _pageId, revision: _revision, merge: _merge, merged: _merged, ...fields }: Data): Omit<Data, keyof ActionTarget> => fields;

/** Sets columns of a thing, to be shown and to be written. */
function set<Columns extends object>({ thing, written }: { thing: object; written: Columns }, columns: Columns): void {
    Object.assign(thing, columns);
    Object.assign(written, columns);
}

const bytesOf = ({ attributesBytes, stylesBytes }: ElementState): number => attributesBytes + stylesBytes;

const deleted = ({ thing: { id } }: ProjectState | PageState | ElementState): Outcome => ({ status: 'deleted', id });

const createProject: Step<ProjectFields> = ({ state, author, version, ids, caller }, data) => {
    if ((caller.projects ?? null) !== null) {
        throw outsideToken();
    }

    const written = { ...projectColumns.initial, ...projectRow(fieldsOf(data)) };
    const thing = { id: take(ids.projects), user_id: author.id, version, remixed_from: null, featured: false, author, ...firstRevision(state.now), ...written };
    state.projects.set(thing.id, { thing, written, pageCount: 0, bytes: 0, places: new Map(), counts: noCounts(), ownerId: author.id, role: null, ...made });
    return { ...thing };
};

const updateProject: Step<ProjectFields> = (run, data) => {
    const project = projectOfRun(run, data.id);
    const { thing } = project;
    checkAccess(run, data.visibility === undefined ? 'update' : 'manage', 'projects', project);
    checkRevision('projects', data, thing, [thing.user_id]);
    set(project, projectRow(fieldsOf(data)));
    markChanged(run.state, project);
    return { ...thing };
};

const removeProject: Step<ProjectFields> = (run, data) => {
    const project = projectOfRun(run, data.id);
    checkAccess(run, 'remove', 'projects', project);
    checkRevision('projects', data, project.thing, [project.thing.user_id]);
    markChanged(run.state, project);
    project.removed = true;
    return deleted(project);
};

const createPage: Step<PageFields> = (run, data) => {
    const project = projectOfRun(run, data.projectId);
    checkAccess(run, 'create', 'projects', project);
    const written = { ...pageColumns.initial, ...fieldsOf(data) };
    const thing = { id: take(run.ids.pages), project_id: project.thing.id, user_id: project.thing.user_id, ...firstRevision(run.state.now), ...written };
    const page: PageState = { thing, written, project, elementCount: 0, bytes: 0, stylesBytes: thing.styles.bytes, elements: new Map(), elementsAskedFor: true, ...made };
    moveTo(page, thing.x, thing.y);
    if (++project.pageCount > MOST_PAGES) {
        throw fault('page_limit');
    }

    grow(page, page.stylesBytes);
    run.state.pages.set(thing.id, page);
    markChanged(run.state, project);
    return showPage(page);
};

const updatePage: Step<PageFields> = (run, data) => {
    const page = pageOfRun(run, data.id);
    const { thing } = page;
    checkAccess(run, 'update', 'pages', page.project);
    checkRevision('pages', data, thing, [thing.user_id, thing.project_id]);
    if (data.x !== undefined || data.y !== undefined) {
        moveTo(page, data.x ?? thing.x, data.y ?? thing.y);
    }

    set(page, fieldsOf(data));
    const bytes = data.styles?.bytes ?? page.stylesBytes;
    grow(page, bytes - page.stylesBytes);
    page.stylesBytes = bytes;
    markChanged(run.state, page, page.project);
    return showPage(page);
};

const removePage: Step<PageFields> = (run, data) => {
    const page = pageOfRun(run, data.id);
    checkAccess(run, 'removeInside', 'pages', page.project);
    checkRevision('pages', data, page.thing, [page.thing.user_id, page.thing.project_id]);
    page.project.pageCount--;
    page.project.bytes -= page.bytes;
    page.project.places?.delete(placeKey(page.thing.x, page.thing.y));
    markChanged(run.state, page, page.project);
    page.removed = true;
    return deleted(page);
};

/** An element in a result, where `type` says what was acted on. */
const showElement = ({ type, ...rest }: ElementState['thing']): Outcome => ({ element_type: type, ...rest });

/** Fields as they will be stored: references in links are resolved. */
export const withLinkTargets = <Fields extends Partial<ElementFields>>(run: Run, type: string, fields: Fields): Fields => {
    return fields.attributes !== undefined && type === 'link' ? { ...fields, attributes: resolveLink(fields.attributes, run) } : fields;
};

const createElement: Step<ElementFields> = (run, data) => {
    const page = pageOfRun(run, data.pageId);
    checkAccess(run, 'create', 'pages', page.project);
    const fields = { ...elementColumns.initial, ...fieldsOf(data) };
    const written = withLinkTargets(run, fields.type, fields);
    const thing = { id: take(run.ids.elements), page_id: page.thing.id, user_id: page.thing.user_id, ...firstRevision(run.state.now), ...written };
    if (++page.elementCount > MOST_ELEMENTS) {
        throw fault('element_limit');
    }

    const element: ElementState = { thing, written, page, attributesBytes: written.attributes.bytes, stylesBytes: written.styles.bytes, ...made };
    grow(page, bytesOf(element));
    run.state.elements.set(thing.id, element);
    page.elements?.set(thing.id, element);
    markChanged(run.state, page, page.project);
    return showElement(thing);
};

const updateElement: Step<ElementFields> = (run, data) => {
    const element = elementOfRun(run, data.id);
    const { thing } = element;
    checkAccess(run, 'update', 'elements', element.page.project);
    checkRevision('elements', data, thing, [thing.user_id, element.page.thing.project_id, thing.page_id]);
    const fields = data.merged ? fieldsOf(data) : withLinkTargets(run, thing.type, fieldsOf(data));
    set(element, fields);
    const bytes = bytesOf(element);
    element.attributesBytes = fields.attributes?.bytes ?? element.attributesBytes;
    element.stylesBytes = fields.styles?.bytes ?? element.stylesBytes;
    grow(element.page, bytesOf(element) - bytes);
    markChanged(run.state, element, element.page, element.page.project);
    return showElement(thing);
};

const removeElement: Step<ElementFields> = (run, data) => {
    const element = elementOfRun(run, data.id);
    checkAccess(run, 'removeInside', 'elements', element.page.project);
    checkRevision('elements', data, element.thing, [element.thing.user_id, element.page.thing.project_id, element.page.thing.id]);
    element.page.elementCount--;
    grow(element.page, -bytesOf(element));
    element.page.elements?.delete(element.thing.id);
    markChanged(run.state, element, element.page, element.page.project);
    element.removed = true;
    return deleted(element);
};

type Steps<Fields> = Readonly<Record<Method, Step<Fields>>>;

const projectSteps: Steps<ProjectFields> = { create: createProject, update: updateProject, remove: removeProject };
const pageSteps: Steps<PageFields> = { create: createPage, update: updatePage, remove: removePage };
const elementSteps: Steps<ElementFields> = { create: createElement, update: updateElement, remove: removeElement };

/** The data of an action with fields that have been merged. */
const withMerged = <Data extends ActionTarget>(data: Data, merged: object | undefined): Data => (merged === undefined ? data : { ...data, ...merged, revision: undefined, merged: true });

function outcomeOf(run: Run, { type, method, data }: Action, merged: object | undefined): Outcome {
    switch (type) {
        case 'projects':
            return projectSteps[method](run, withMerged(data, merged));
        case 'pages':
            return pageSteps[method](run, withMerged(data, merged));
        case 'elements':
            return elementSteps[method](run, withMerged(data, merged));
    }
}

/**
 * Runs one action on the state in memory, by the rules of the single routes.
 * @param merged the fields to set instead of the action's own
 */
export function apply(run: Run, action: Action, merged?: object): Result {
    const result = { type: action.type, method: action.method, ...outcomeOf(run, action, merged) };
    return merged === undefined ? result : { ...result, merged: true };
}
