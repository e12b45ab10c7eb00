import { outsideToken } from '../../api/auth/token-rights';
import { elementColumns, pageColumns, projectColumns, projectRow } from '../../rules/columns';
import { defaultVisibility } from '../../classes/publish-levels';
import type { History } from '../../database/statements/json-sql';
import type { ElementFields } from '../../api/representations/element';
import type { PageFields } from '../../api/representations/page';
import type { ProjectFields } from '../../api/representations/project';
import { checkCount, checkReferences, grow, moveTo, resizeElement, resizePage, targetOf } from './checks';
import { resolveLink } from './references';
import type { Result } from './results';
import type { Action, ActionTarget, Kind } from './schema';
import { bytesOf, markChanged, placeKey, showPage } from './plan';
import type { PlannedElement, PlannedPage, Run } from './plan';

/** The result of an action, without its type and method. */
type Outcome = Omit<Result, 'type' | 'method'>;
type Data<Fields> = ActionTarget & Partial<Fields>;

function take({ ids }: Run, kind: Kind): string {
    const id = ids[kind].pop();
    if (id === undefined) {
        throw new Error('Fewer ids were drawn than actions make things');
    }

    return id;
}

const made = { made: true, changed: true, removed: false };

/** The fields of every new thing. */
const firstRevision = ({ now }: Run): { revision: number; history: History } => ({ revision: 1, history: { created_at: now, updated_at: now } });

/** The fields in an action's data. */
export const fieldsOf = <Fields extends ActionTarget>({ id: _id, projectId: _projectId, pageId: _pageId, revision: _revision, merge: _merge, merged: _merged, ...fields }: Fields): Omit<Fields, keyof ActionTarget> => fields;

/** Sets columns of a thing, to be shown and to be written. */
function set<Columns extends object>({ thing, written }: { thing: object; written: Columns }, columns: Columns): void {
    Object.assign(thing, columns);
    Object.assign(written, columns);
}

/** An element in a result, where `type` says what was acted on. */
const showElement = ({ type, ...rest }: PlannedElement['thing']): Outcome => ({ element_type: type, ...rest });

/** Fields as they will be stored: references in links are resolved. */
export const withLinkTargets = <Fields extends Partial<ElementFields>>(run: Run, type: string, fields: Fields): Fields => {
    return fields.attributes !== undefined && type === 'link' ? { ...fields, attributes: resolveLink(fields.attributes, run) } : fields;
};

function createProject(run: Run, data: Data<ProjectFields>): Outcome {
    const { plan, author, version, caller } = run;
    if ((caller.projects ?? null) !== null) {
        throw outsideToken();
    }

    const written = { ...projectColumns.initial, ...defaultVisibility(caller.publish), ...projectRow(fieldsOf(data)) };
    const thing = { id: take(run, 'projects'), user_id: author.id, version, remixed_from: null, featured: false, author, ...firstRevision(run), ...written };
    plan.projects.set(thing.id, { thing, written, pageCount: 0, bytes: 0, places: new Map(), ownerId: author.id, role: null, ...made });
    return { ...thing };
}

function createPage(run: Run, data: Data<PageFields>): Outcome {
    const project = targetOf(run, 'projects', 'create', data.projectId);
    const written = { ...pageColumns.initial, ...fieldsOf(data) };
    const thing = { id: take(run, 'pages'), project_id: project.thing.id, user_id: project.thing.user_id, ...firstRevision(run), ...written };
    const page: PlannedPage = { thing, written, project, elementCount: 0, elementsBefore: 0, bytes: 0, stylesBytes: thing.styles.bytes, elements: new Map(), elementsAskedFor: true, ...made };
    moveTo(page, thing.x, thing.y);
    checkCount(++project.pageCount, 'pages');
    grow(page, page.stylesBytes);
    run.plan.pages.set(thing.id, page);
    markChanged(run, project);
    return showPage(page);
}

function createElement(run: Run, data: Data<ElementFields>): Outcome {
    const page = targetOf(run, 'pages', 'create', data.pageId);
    const fields = { ...elementColumns.initial, ...fieldsOf(data) };
    const written = withLinkTargets(run, fields.type, fields);
    const thing = { id: take(run, 'elements'), page_id: page.thing.id, user_id: page.thing.user_id, ...firstRevision(run), ...written };
    const element: PlannedElement = { thing, written, page, attributesBytes: written.attributes.bytes, stylesBytes: written.styles.bytes, ...made };
    checkCount(++page.elementCount, 'elements');
    grow(page, bytesOf(element));
    run.plan.elements.set(thing.id, element);
    page.elements?.set(thing.id, element);
    markChanged(run, page);
    return showElement(thing);
}

function updateProject(run: Run, data: Data<ProjectFields>): Outcome {
    const project = targetOf(run, 'projects', data.visibility === undefined ? 'update' : 'manage', data.id, data.revision);
    set(project, projectRow(fieldsOf(data)));
    markChanged(run, project);
    return { ...project.thing };
}

function updatePage(run: Run, data: Data<PageFields>): Outcome {
    const page = targetOf(run, 'pages', 'update', data.id, data.revision);
    if (data.x !== undefined || data.y !== undefined) {
        moveTo(page, data.x ?? page.thing.x, data.y ?? page.thing.y);
    }

    set(page, fieldsOf(data));
    resizePage(page, data);
    markChanged(run, page);
    return showPage(page);
}

function updateElement(run: Run, data: Data<ElementFields>): Outcome {
    const element = targetOf(run, 'elements', 'update', data.id, data.revision);
    const fields = data.merged ? fieldsOf(data) : withLinkTargets(run, element.thing.type, fieldsOf(data));
    set(element, fields);
    resizeElement(element, fields);
    markChanged(run, element);
    return showElement(element.thing);
}

function remove(run: Run, { type, data: { id, revision } }: Action): Outcome {
    const target = targetOf(run, type, type === 'projects' ? 'remove' : 'removeInside', id, revision);
    if ('page' in target) {
        target.page.elementCount--;
        grow(target.page, -bytesOf(target));
        target.page.elements?.delete(target.thing.id);
    }
    else if ('project' in target) {
        target.project.pageCount--;
        target.project.bytes -= target.bytes;
        target.project.places?.delete(placeKey(target.thing.x, target.thing.y));
    }

    markChanged(run, target);
    target.removed = true;
    return { status: 'deleted', id: target.thing.id };
}

/** The data of an action with fields that have been merged. */
const withMerged = <Fields extends ActionTarget>(data: Fields, merged: object | undefined): Fields => (merged === undefined ? data : { ...data, ...merged, revision: undefined, merged: true });

function outcomeOf(run: Run, action: Action, merged: object | undefined): Outcome {
    const { type, method, data } = action;
    if (method === 'remove') {
        return remove(run, action);
    }

    switch (type) {
        case 'projects':
            return method === 'create' ? createProject(run, data) : updateProject(run, withMerged(data, merged));
        case 'pages':
            return method === 'create' ? createPage(run, data) : updatePage(run, withMerged(data, merged));
        case 'elements':
            return method === 'create' ? createElement(run, data) : updateElement(run, withMerged(data, merged));
    }
}

/**
 * Runs one action on the plan, by the rules of the single routes.
 * @param merged the fields to set instead of the action's own
 */
export function apply(run: Run, action: Action, merged?: object): Result {
    const result = { type: action.type, method: action.method, ...outcomeOf(run, action, merged) };
    checkReferences(run, action);
    return merged === undefined ? result : { ...result, merged: true };
}
