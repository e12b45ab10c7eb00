import type { Action, Base, Change } from './changes.js';
import { PagewrightError } from './errors.js';
import { planOf } from './plan.js';
import type { Step } from './plan.js';
import type { Element, Page, Project, Schemas } from './things.js';

type Result = Schemas['ProjectResult'] | Schemas['PageResult'] | Schemas['ElementResult'] | Schemas['ShortResult'] | Schemas['RemovedResult'];

/**
 * What became of one change: the thing as it is now, and null where it was removed. Of a thing that is too large to be answered, there is its `id`, its `revision`,
 * and what the change and its base say of it.
 */
export type SavedThing =
    | { type: 'projects'; id: string; thing: Base<Project> | null }
    | { type: 'pages'; id: string; thing: Base<Omit<Page, 'elements'>> | null }
    | { type: 'elements'; id: string; thing: Base<Element> | null };

export interface Saved {
    /** one for each change, in their order */
    things: SavedThing[];
    /** the service's ids by the temporary ones */
    ids: ReadonlyMap<string, string>;
}

/** Nothing was saved, because of one change. After `revision_conflict`, `current` is what to merge it with. */
export class SaveError extends PagewrightError {
    override readonly name = 'SaveError';
    readonly change: Change;
    /** place of the change in the list that was to be saved */
    readonly index: number;

    constructor({ status, message, code, details, current, requestId, retryAfter }: PagewrightError, change: Change, index: number) {
        super(status, { message, code, details, current, request_id: requestId }, retryAfter);
        this.change = change;
        this.index = index;
    }
}

/** What the service takes in one bulk. */
const MOST_ACTIONS = 1000;
const MOST_BYTES = 10 * 1024 * 1024;

/** @throws RangeError for more than one bulk may have; to save it in parts would not be all or nothing, so it is the caller's to decide */
function checkSize(actions: readonly Action[]): void {
    if (actions.length > MOST_ACTIONS) {
        throw new RangeError(`These changes take ${actions.length} actions, and a save has ${MOST_ACTIONS} at most. Nothing was saved.`);
    }

    const bytes = new TextEncoder().encode(JSON.stringify({ actions })).length;
    if (bytes > MOST_BYTES) {
        throw new RangeError(`These changes take ${bytes} bytes, and a save has ${MOST_BYTES} at most. Nothing was saved.`);
    }
}

/** The fields of a thing as text, to compare. */
const fieldsOf = (thing: object): Map<string, string> => new Map(Object.entries(thing).map(([name, value]) => [name, JSON.stringify(value)]));

/** Which elements are on a page, each at which revision. */
const contentsOf = ({ elements }: Partial<Page>): string | undefined => elements && JSON.stringify(elements.map(({ id, revision }) => [id, revision]));

/**
 * Whether the thing has only moved on by what this change leaves alone, as a page does with each of its elements: the change
 * is then as good against the current revision. A project shows nothing of what is in it, so its removal never is.
 */
function stillHolds(change: Change, current: PagewrightError['current']): boolean {
    if (change.method === 'create' || current === undefined) {
        return false;
    }

    const [was, is] = [fieldsOf(change.base), fieldsOf(current)];
    const isSame = (field: string): boolean => was.has(field) && was.get(field) === is.get(field);
    if (change.method === 'update') {
        return Object.keys(change.data).every(isSame);
    }

    return change.type === 'pages' && 'elements' in current && ['x', 'y', 'styles'].every(isSame) && contentsOf(change.base) === contentsOf(current);
}

/** What is known of a thing that the answer does not show: what it was changed to, and what was left as it was read. */
function knownThing({ id, revision }: Schemas['ShortResult'], change: Exclude<Change, { method: 'remove' }>): SavedThing {
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
            const { type, method: _method, ...thing } = result;
            return { type, id: thing.id, thing };
        }

        case 'pages': {
            // Elements of the same save come later, so that these are not what is there now.
            const { type, method: _method, elements: _elements, ...thing } = result;
            return { type, id: thing.id, thing };
        }

        case 'elements': {
            const { type, method: _method, element_type, ...thing } = result;
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

/** The change that an error is about, with its place; undefined where it is about none of them. */
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

/** Sends changes as one bulk, and again where all that has moved on is the revision of something they leave as it is. */
export async function saveWith(changes: readonly Change[], send: (actions: Action[]) => Promise<readonly Result[]>): Promise<Saved> {
    const revisions = changes.map((change) => (change.method === 'create' ? 0 : change.base.revision));
    // Each change may have to be brought up to date once, and a few more if others write at the same time.
    for (let left = changes.length + 8; ; --left) {
        const steps = planOf(changes, revisions);
        const actions = steps.map(({ action }) => action);
        checkSize(actions);
        try {
            return savedOf(changes, steps, actions.length === 0 ? [] : await send(actions));
        }
        catch (error) {
            const blamed = error instanceof PagewrightError ? blame(error, changes, steps) : undefined;
            if (blamed === undefined) {
                throw error;
            }

            const { code, current, change, index } = blamed;
            if (code !== 'revision_conflict' || current === undefined || left <= 0 || !stillHolds(change, current)) {
                throw blamed;
            }

            revisions[index] = current.revision;
        }
    }
}
