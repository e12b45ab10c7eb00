import type { Action, Base, Change } from './changes.js';
import { PagewrightError } from './errors.js';
import { mergeEdit } from './merge.js';
import { planOf } from './plan.js';
import type { Step } from './plan.js';
import type { Element, Page, Project, Schemas } from './things.js';

type Result = Schemas['ProjectResult'] | Schemas['PageResult'] | Schemas['ElementResult'] | Schemas['ShortResult'] | Schemas['RemovedResult'];

/**
 * The result of one change: the thing as it is now, or null if it was removed. If the thing is too large for the response, it has its `id`, its `revision`,
 * and the fields of the change and its base.
 */
export type SavedThing =
    | { type: 'projects'; id: string; thing: Base<Project> | null }
    | { type: 'pages'; id: string; thing: Base<Omit<Page, 'elements'>> | null }
    | { type: 'elements'; id: string; thing: Base<Element> | null };

export interface Saved {
    /** one for each change, in the same order */
    things: SavedThing[];
    /** the service's ids, by temporary id */
    ids: ReadonlyMap<string, string>;
}

/** Nothing was saved, because one change failed. After `revision_conflict`, ask the author about `conflicts`, and save again with `current` as the base. */
export class SaveError extends PagewrightError {
    override readonly name = 'SaveError';
    readonly change: Change;
    /** index of the change in the list of changes */
    readonly index: number;

    constructor({ status, body, retryAfter }: PagewrightError, change: Change, index: number) {
        super(status, body, retryAfter);
        this.change = change;
        this.index = index;
    }
}

/** The limits of the service for one bulk. */
const MAX_ACTIONS = 1000;
const MAX_BYTES = 10 * 1024 * 1024;

/** @throws RangeError if the changes do not fit into one bulk. Saving in parts would not be all or nothing, so the caller must decide that. */
function checkSize(actions: readonly Action[]): void {
    if (actions.length > MAX_ACTIONS) {
        throw new RangeError(`These changes take ${actions.length} actions, and a save has ${MAX_ACTIONS} at most. Nothing was saved.`);
    }

    const bytes = new TextEncoder().encode(JSON.stringify({ actions })).length;
    if (bytes > MAX_BYTES) {
        throw new RangeError(`These changes take ${bytes} bytes, and a save has ${MAX_BYTES} at most. Nothing was saved.`);
    }
}

/** The fields of a thing as text, to compare. */
const fieldsOf = (thing: object): Map<string, string> => new Map(Object.entries(thing).map(([name, value]) => [name, JSON.stringify(value)]));

/** The elements of a page with their revisions, as text to compare. */
const contentsOf = ({ elements }: Partial<Page>): string | undefined => elements && JSON.stringify(elements.map(({ id, revision }) => [id, revision]));

/** Whether nothing has changed in a page that is to be removed since its `base` was read. Not known of a project, since it does not show its content. */
function isUnchanged({ base }: Extract<Change, { type: 'pages'; method: 'remove' }>, current: NonNullable<PagewrightError['current']>): boolean {
    const [was, is] = [fieldsOf(base), fieldsOf(current)];
    return 'elements' in current && ['x', 'y', 'styles'].every((field) => was.has(field) && was.get(field) === is.get(field)) && contentsOf(base) === contentsOf(current);
}

/** A thing that the response does not show, as far as it is known: its changed fields, and the others as they were read. After a merge only its revision is. */
function knownThing({ id, revision, type, merged }: Schemas['ShortResult'], change: Exclude<Change, { method: 'remove' }>): SavedThing {
    if (merged === true) {
        return { type, id, thing: { id, revision } };
    }

    switch (change.type) {
        case 'projects': {
            const { history: _history, ...base }: Partial<Project> = change.method === 'create' ? {} : change.base;
            return { type: 'projects', id, thing: { ...base, ...change.data, id, revision } };
        }

        case 'pages': {
            const { history: _history, elements: _elements, ...base }: Partial<Page> = change.method === 'create' ? {} : change.base;
            const { projectId: _projectId, ...data }: { projectId?: unknown } & Partial<Pick<Page, 'x' | 'y' | 'styles'>> = change.data;
            return { type: 'pages', id, thing: { ...base, ...data, id, revision } };
        }

        case 'elements': {
            const { history: _history, ...base }: Partial<Element> = change.method === 'create' ? {} : change.base;
            const { pageId: _pageId, ...data }: { pageId?: unknown } & Partial<Pick<Element, 'type' | 'attributes' | 'styles'>> = change.data;
            const { attributes, ...thing } = { ...base, ...data, id, revision };
            // The targets of a link may be temporary ids.
            return { type: 'elements', id, thing: attributes === undefined || thing.type === 'link' ? thing : { ...thing, attributes } };
        }
    }
}

function savedThing(result: Result, change: Change): SavedThing {
    if (result.method === 'remove' || change.method === 'remove') {
        return { type: result.type, id: result.id, thing: null };
    }

    if (!('history' in result)) {
        return knownThing(result, change);
    }

    switch (result.type) {
        case 'projects': {
            const { type, method: _method, merged: _merged, ...thing } = result;
            return { type, id: thing.id, thing };
        }

        case 'pages': {
            // Elements of the same save come later, so these are not the current ones.
            const { type, method: _method, merged: _merged, elements: _elements, ...thing } = result;
            return { type, id: thing.id, thing };
        }

        case 'elements': {
            const { type, method: _method, merged: _merged, element_type, ...thing } = result;
            return { type, id: thing.id, thing: { ...thing, type: element_type } };
        }
    }
}

function savedOf(changes: readonly Change[], steps: readonly Step[], results: readonly Result[]): Saved {
    const things: SavedThing[] = [];
    const ids = new Map<string, string>();
    for (const [place, { change: index }] of steps.entries()) {
        const [result, change] = [results[place], changes[index]];
        if (result !== undefined && change !== undefined) {
            things[index] = savedThing(result, change);
            if (change.method === 'create') {
                ids.set(change.id, result.id);
            }
        }
    }

    return { things, ids };
}

/** The change that caused an error, with its index; undefined if none did. */
function blame(error: PagewrightError, changes: readonly Change[], steps: readonly Step[]): SaveError | undefined {
    const own = /^actions\.(\d+)/;
    const [, first] = own.exec(error.details[0]?.path ?? '') ?? [];
    const index = steps[error.action ?? Number(first)]?.change;
    const change = index === undefined ? undefined : changes[index];
    if (index === undefined || change === undefined) {
        return undefined;
    }

    const blamed = new SaveError(error, change, index);
    for (const detail of blamed.details) {
        detail.path = detail.path.replace(own, (_whole, place) => `changes.${steps[Number(place)]?.change}`);
    }

    return blamed;
}

/** Sends the actions of a bulk, and returns their results. */
export type SendActions = (actions: Action[]) => Promise<readonly Result[]>;

/** Sends changes as one bulk. @throws SaveError, or RangeError if they are too many or too large for one bulk */
export async function saveOnce(changes: readonly Change[], send: SendActions): Promise<Saved> {
    const steps = planOf(changes);
    const actions = steps.map(({ action }) => action);
    checkSize(actions);
    try {
        return savedOf(changes, steps, actions.length === 0 ? [] : await send(actions));
    }
    catch (error) {
        throw (error instanceof PagewrightError ? blame(error, changes, steps) : undefined) ?? error;
    }
}

/**
 * The changes to send after one was a conflict of revisions, made against the current revision; undefined if it has to be reported. The service merges by the revision, and does not
 * know that of a page or a project in the middle of a save, nor what the author had edited before. The fields of `base` say it.
 */
export function afterConflict(changes: readonly Change[], error: unknown): Change[] | undefined {
    if (!(error instanceof SaveError) || error.code !== 'revision_conflict' || error.current === undefined) {
        return undefined;
    }

    const { change, current, index } = error;
    const replace = (more: object): Change[] => changes.map((one, place) => (place === index ? Object.assign({}, one, more) : one));
    if (change.method === 'update') {
        const { data, conflicts } = mergeEdit(change.base, change.data, current);
        return conflicts.length > 0 ? undefined : replace({ base: { ...change.base, ...current }, data });
    }

    return change.method === 'remove' && change.type === 'pages' && isUnchanged(change, current) ? replace({ base: { ...change.base, revision: current.revision } }) : undefined;
}

/** Sends changes as one bulk, and again if a conflict of revisions is none of what was changed. */
export async function saveWith(changes: readonly Change[], send: SendActions): Promise<Saved> {
    let next: readonly Change[] = changes;
    // Each change may need one update of its revision, and a few more if others write at the same time.
    for (let left = changes.length + 8; ; --left) {
        try {
            return await saveOnce(next, send);
        }
        catch (error) {
            const again = left > 0 ? afterConflict(next, error) : undefined;
            if (again === undefined) {
                throw error instanceof SaveError ? new SaveError(error, changes[error.index] ?? error.change, error.index) : error;
            }

            next = again;
        }
    }
}
