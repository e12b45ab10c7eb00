import type { Change } from './changes.js';
import { mergeEdit } from './merge.js';

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
