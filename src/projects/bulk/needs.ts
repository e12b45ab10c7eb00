import { asId, idOf, referenceIn, valueAt } from './references';
import type { Earlier } from './references';
import type { Action, Kind } from './schema';
import { shownThing } from './state';
import type { State } from './state';

/** Ids of what actions work on, by what they are ids of. */
export interface Needs {
    projects: Set<string>;
    pages: Set<string>;
    elements: Set<string>;
    /** pages that will be shown, and so need their elements */
    shown: Set<string>;
    /** projects in which pages are made or moved, by id, and by id of a page that is in it */
    placed: Set<string>;
    placedByPage: Set<string>;
}

const newNeeds = (): Needs => ({
    projects: new Set(), pages: new Set(), elements: new Set(), shown: new Set(), placed: new Set(), placedByPage: new Set()
});

/** Adds what an action works on. */
function add(needs: Needs, { type, method, data }: Action, id: string): void {
    if (type === 'projects' || (type === 'pages' && method === 'create')) {
        needs.projects.add(id);
    }
    else if (type === 'pages' || method === 'create') {
        needs.pages.add(id);
    }
    else {
        needs.elements.add(id);
    }

    if (type !== 'pages') {
        return;
    }

    if (method === 'create') {
        needs.placed.add(id);
        return;
    }

    if (method === 'update') {
        needs.shown.add(id);
    }

    if (data.x !== undefined || data.y !== undefined) {
        needs.placedByPage.add(id);
    }
}

/** The ids that an action names: the thing itself, or the parent of a new one. */
const targetOf = ({ data }: Action): unknown => data.id ?? data.projectId ?? data.pageId;

/** The rows whose ids are stated directly. References mostly lead to things that the bulk itself creates. */
export function namedBy(actions: readonly Action[]): Needs {
    const needs = newNeeds();
    for (const action of actions) {
        const target = targetOf(action);
        if (target !== undefined && referenceIn(target) === undefined) {
            add(needs, action, String(target));
        }
    }

    return needs;
}

/** The rows that are needed to show one thing. */
export function needsOf(kind: Kind, id: string): Needs {
    const needs = newNeeds();
    needs[kind].add(id);
    if (kind === 'pages') {
        needs.shown.add(id);
    }

    return needs;
}

/** The result that an action will have, as far as the state tells before it has run. */
function predictedResult(state: State, { type, method }: Action, id: string): object | undefined {
    if (method === 'create') {
        // The id is that of what it is made in.
        return type === 'pages' ? { project_id: id } : { page_id: id };
    }

    return shownThing(state, type, id);
}

/** The id that each action will work on; undefined as long as nothing tells. */
function predictedIds(state: State, actions: readonly Action[], { results, parse }: Earlier): (string | undefined)[] {
    const known: ({ action: Action; id: string } | undefined)[] = [];
    for (const action of actions) {
        const target = targetOf(action);
        const reference = referenceIn(target);
        const earlier = reference && known[reference.action];
        const id = asId(reference === undefined ? target :
            valueAt(results[reference.action] ?? (earlier && predictedResult(state, earlier.action, earlier.id)), reference.path, parse));
        known.push(id === undefined ? undefined : { action, id });
    }

    return known.map((one) => one?.id);
}

const isLoaded = (state: State, needs: Needs): boolean => {
    return [...needs.projects].every((id) => state.projects.has(id)) && [...needs.elements].every((id) => state.elements.has(id)) &&
        [...needs.pages].every((id) => state.pages.has(id)) && [...needs.shown].every((id) => state.pages.get(id)?.elementsAskedFor === true) &&
        [...needs.placed].every((id) => state.projects.get(id)?.places !== undefined) &&
        [...needs.placedByPage].every((id) => state.pages.get(id)?.project.places !== undefined);
};

/**
 * The rows that an action needs and the state lacks: it refers to something that no action made or named, say the target of
 * a link; undefined if nothing is missing. What later actions will need in the same way is added, as far as it can be
 * predicted, so that many of them cost no more round trips than one. @throws 400 if a reference leads to no id
 */
export function missingFor(state: State, actions: readonly Action[], action: Action, earlier: Earlier): Needs | undefined {
    const target = targetOf(action);
    if (target === undefined || referenceIn(target) === undefined) {
        return undefined;
    }

    const needs = newNeeds();
    add(needs, action, idOf(target, earlier));
    if (isLoaded(state, needs)) {
        return undefined;
    }

    const ids = predictedIds(state, actions, earlier);
    for (const [index, later] of actions.entries()) {
        const id = ids[index];
        if (index > earlier.results.length && id !== undefined && referenceIn(targetOf(later)) !== undefined) {
            add(needs, later, id);
        }
    }

    return needs;
}
