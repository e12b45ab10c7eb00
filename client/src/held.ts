import type { Change } from './changes.js';
import { fieldOf, isObject, mergeEdit } from './merge.js';
import { linkTargets, thingKey } from './rebase.js';

/** The service's id of something, if it is known. */
export type IdOf = (id: string) => string;

/** Which thing a change is about. */
export const keyOf = (change: Change, idOf: IdOf): string => thingKey(change.type, idOf(change.method === 'create' ? change.id : change.base.id));

/** Where something new is made. */
const parentOf = (change: Change, idOf: IdOf): string | undefined => (
    change.method !== 'create' || change.type === 'projects' ? undefined : change.type === 'pages' ? thingKey('projects', idOf(String(change.data.projectId))) : thingKey('pages', idOf(String(change.data.pageId)))
);

/** The pages and projects that a change lets a link lead to. */
function targetsOf(change: Change, idOf: IdOf): string[] {
    const attributes = change.method === 'remove' ? undefined : fieldOf(change.data, 'attributes');
    return isObject(attributes) ? linkTargets.flatMap((name) => (attributes[name] === undefined ? [] : [thingKey(name === 'targetPageId' ? 'pages' : 'projects', idOf(String(attributes[name])))])) : [];
}

const moves = (change: Change | undefined): boolean => change?.type === 'pages' && change.method === 'update' && ('x' in change.data || 'y' in change.data);

/** Changes that wait for the decision about something not saved: of the same thing, and of what is in, or leads to, something that was not made. */
export class Hold {
    readonly #idOf: IdOf;
    readonly #things = new Set<string>();
    readonly #missing = new Set<string>();

    constructor(idOf: IdOf) {
        this.#idOf = idOf;
    }

    add(change: Change): void {
        const key = keyOf(change, this.#idOf);
        this.#things.add(key);
        if (change.method === 'create') {
            this.#missing.add(key);
        }
    }

    /** The parent of this change is not there. */
    addParentOf(change: Change): void {
        this.#missing.add(parentOf(change, this.#idOf) ?? '');
    }

    has(change: Change): boolean {
        const parent = parentOf(change, this.#idOf);
        return this.#things.has(keyOf(change, this.#idOf)) || (parent !== undefined && this.#missing.has(parent)) || targetsOf(change, this.#idOf).some((key) => this.#missing.has(key));
    }
}

/** Of a save that failed: the change that is the reason, first, with those that need it, and the others. */
export function partsOf(changes: readonly Change[], index: number, isParentGone: boolean, idOf: IdOf): { failed: Change[]; others: Change[] } {
    const blamed = changes[index];
    if (blamed === undefined) {
        return { failed: [...changes], others: [] };
    }

    const hold = new Hold(idOf);
    hold.add(blamed);
    if (isParentGone) {
        hold.addParentOf(blamed);
    }

    const failed = new Set([blamed]);
    // Pages that change places do so together.
    changes.filter((change) => moves(blamed) && moves(change)).forEach((change) => failed.add(change));
    for (let count = 0; count !== failed.size;) {
        count = failed.size;
        for (const change of changes.filter((one) => !failed.has(one) && hold.has(one))) {
            hold.add(change);
            failed.add(change);
        }
    }

    return { failed: [...failed], others: changes.filter((change) => !failed.has(change)) };
}

/** Two changes of one thing as one; null if both together do nothing. */
function onto(before: Change, change: Change): Change | null {
    if (before.method === 'remove' || change.method === 'create') {
        return before;
    }

    if (change.method === 'remove') {
        return before.method === 'create' ? null : change;
    }

    const was = before.method === 'update' ? { ...before.base, ...before.data } : before.data;
    return Object.assign({}, before, { data: { ...before.data, ...mergeEdit(change.base, change.data, was).data } });
}

/** Changes with later ones on top, one for each thing. Where both have changed the same, the later one counts. */
export function laidOn(changes: readonly Change[], later: readonly Change[], idOf: IdOf): Change[] {
    const all = new Map(changes.map((change) => [keyOf(change, idOf), change]));
    for (const change of later) {
        const key = keyOf(change, idOf);
        const before = all.get(key);
        const next = before === undefined ? change : onto(before, change);
        if (next === null) {
            all.delete(key);
        }
        else {
            all.set(key, next);
        }
    }

    return [...all.values()];
}
