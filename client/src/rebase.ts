import type { Change } from './changes.js';
import { PagewrightError } from './errors.js';
import { fieldOf, isObject, mergeEdit } from './merge.js';
import type { SavedThing } from './save.js';
import { SaveError } from './save.js';
import type { Element } from './things.js';

/** A thing as the service has last returned it. */
export type KnownThing = NonNullable<SavedThing['thing']>;

/** The effects of earlier entries of a queue. */
export interface Done {
    /** the service's ids, by temporary id */
    ids: ReadonlyMap<string, string>;
    /** things that were saved, by type and id as `thingKey` has them; null for one that was removed */
    things: ReadonlyMap<string, KnownThing | null>;
}

export const thingKey = (type: string, id: string): string => `${type} ${id}`;

/** Attributes of a link that have the id of something. */
export const linkTargets = ['targetProjectId', 'targetPageId', 'targetUserId'];

/**
 * A change of a queue as it can be sent now: with the service's ids in place of temporary ids of earlier entries, and made against what
 * earlier entries have saved.
 * @throws SaveError if an earlier entry was merged with what somebody else wrote, and this change is a conflict with that
 */
export function rebase(change: Change, index: number, { ids, things }: Done): Change {
    const idOf = <Id>(id: Id): Id | string => ids.get(String(id)) ?? id;
    const linked = (type: unknown, data: object): object => {
        const attributes = fieldOf(data, 'attributes');
        if (type !== 'link' || !isObject(attributes)) {
            return data;
        }

        const targets = linkTargets.filter((name) => ids.has(String(attributes[name]))).map((name) => [name, idOf(attributes[name])]);
        return { ...data, attributes: { ...attributes, ...Object.fromEntries(targets) } };
    };

    if (change.method === 'create') {
        const parent = change.type === 'pages' ? { projectId: idOf(change.data.projectId) } : change.type === 'elements' ? { pageId: idOf(change.data.pageId) } : {};
        return Object.assign({}, change, { data: { ...linked(fieldOf(change.data, 'type'), change.data), ...parent } });
    }

    const id = String(idOf(change.base.id));
    const known = things.get(thingKey(change.type, id));
    const isOlder = known !== undefined && known !== null && change.base.revision < known.revision;
    const base = { ...change.base, id };
    if (change.method === 'remove') {
        const elements: Element[] | undefined = 'elements' in base ? base.elements : undefined;
        const now = elements?.flatMap((one) => {
            const key = thingKey('elements', String(idOf(one.id)));
            const found = things.has(key) ? things.get(key) : one;
            return found === null || found === undefined ? [] : [found];
        });
        return Object.assign({}, change, { base: { ...base, ...isOlder && known, ...now && { elements: now } } });
    }

    const data = linked(fieldOf(change.base, 'type'), change.data);
    if (!isOlder) {
        return Object.assign({}, change, { base, data });
    }

    const merged = mergeEdit(linked(fieldOf(base, 'type'), base), data, known);
    const result: Change = Object.assign({}, change, { base: { ...base, ...known }, data: merged.data });
    if (merged.conflicts.length > 0) {
        const message = 'Somebody else has changed the same since an earlier change was saved.';
        throw new SaveError(new PagewrightError(409, { message, code: 'revision_conflict', base: null, conflicts: merged.conflicts, ...currentOf(known) }), change, index);
    }

    return result;
}

/** The thing as an error shows it; nothing if it is not known whole. */
function currentOf(thing: KnownThing): Pick<PagewrightError['body'], 'current'> {
    return 'history' in thing ? { current: thing as PagewrightError['current'] } : {};
}
