import type { Change } from './changes.js';
import { mergeEdit } from './merge.js';
import type { Entry, StoredEntry } from './queue-entry.js';

/** From so many saves on they are joined, to about so many. */
const MANY = 100;
const FEW = 15;
/** Most changes of a save that was joined, and bytes: far less than the service takes at once. */
const MAX_CHANGES = 200;
const MAX_JOINED = 1024 * 1024;

/** A change of what is on pages, or a new page: nothing else has to come before or after such changes. */
type Plain = Extract<Change, { type: 'elements' }> | Extract<Change, { type: 'pages'; method: 'create' }>;

const isPlain = (change: Change): change is Plain => change.type === 'elements' || (change.type === 'pages' && change.method === 'create');

const keyOf = (change: Plain): string => `${change.type} ${change.method === 'create' ? change.id : change.base.id}`;

/** An edit of something that was made or edited before, as one change with that; null if both together do nothing, undefined if they cannot be one. */
function onto(before: Plain, change: Plain): Plain | null | undefined {
    if (before.type !== 'elements' || before.method === 'remove' || change.method === 'create') {
        return undefined;
    }

    if (change.method === 'remove') {
        return before.method === 'create' ? null : undefined;
    }

    const { data, conflicts } = mergeEdit(change.base, change.data, { ...before.method === 'update' && before.base, ...before.data });
    return conflicts.length > 0 ? undefined : Object.assign({}, before, { data: { ...before.data, ...data } });
}

/**
 * Two saves as one, with one change for each thing.
 * @returns undefined if they cannot be one: they do more than make pages and change what is on pages, or the later one was not made of what the earlier one left
 */
export function joined(earlier: readonly Change[], later: readonly Change[]): readonly Change[] | undefined {
    if (!earlier.every(isPlain) || !later.every(isPlain)) {
        return undefined;
    }

    const changes = new Map(earlier.map((change) => [keyOf(change), change]));
    for (const change of later) {
        const key = keyOf(change);
        const before = changes.get(key);
        const next = before === undefined ? change : onto(before, change);
        if (next === undefined) {
            return undefined;
        }

        if (next === null) {
            changes.delete(key);
        }
        else {
            changes.set(key, next);
        }
    }

    return [...changes.values()];
}

/** Many saves as a few, so that all of it is sent in a moment after a long time without a connection: the entries that were made of several, and the ids of those that are in them. */
export function joinedEntries(entries: readonly StoredEntry[]): { made: Entry[]; gone: string[] } {
    const made = new Map<string, Entry>();
    const gone: string[] = [];
    const most = Math.ceil(entries.length / FEW);
    let last: StoredEntry & { count: number } | undefined;
    for (const { entry, bytes } of entries.length < MANY ? [] : entries) {
        const fits = last !== undefined && last.count < most && last.entry.user === entry.user && last.bytes + bytes <= MAX_JOINED && last.entry.changes.length + entry.changes.length <= MAX_CHANGES;
        const changes = last !== undefined && fits ? joined(last.entry.changes, entry.changes) : undefined;
        if (last === undefined || changes === undefined) {
            last = { entry, count: 1, bytes };
            continue;
        }

        const { id, user, saves = 1 } = last.entry;
        last = { entry: { id, key: crypto.randomUUID(), user, changes, saves: saves + (entry.saves ?? 1) }, count: last.count + 1, bytes: last.bytes + bytes };
        made.set(id, last.entry);
        gone.push(entry.id);
    }

    return { made: [...made.values()], gone };
}
