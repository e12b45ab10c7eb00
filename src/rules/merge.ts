import { isDeepStrictEqual } from 'node:util';

import { pauses } from '../api/concurrency/yielding';
import { invalid } from '../api/errors/errors';
import { fieldOf } from '../api/json/is-object';
import { JsonText, freeKeys, storable } from '../api/json/json-text';
import { membersOf } from '../api/json/members';
import { MAX_OBJECT_BYTES, inBytes } from '../limits';

/** The outcome of a merge. */
export interface Merge<Fields> {
    /** what to write if there is no conflict: the fields of `mine`, with what the other side changed in them */
    fields: Fields;
    /** JSON Pointers (RFC 6901) of what both sides changed to different values, such as `/title`, `/position` and `/attributes/text` */
    conflicts: string[];
}

/** Maximum number of keys of a free-form object that is merged key by key. An object with more is merged as a whole. */
const MAX_KEYS = 10_000;

/** Maximum number of characters that one merge parses to compare values. Beyond that, texts are compared, so that the order of keys matters. */
const MAX_PARSED = 512 * 1024;

/** JSON texts of something on each side; undefined where it is missing. */
interface Sides {
    /** whether the original value is known */
    isKnown: boolean;
    was: string | undefined;
    wanted: string | undefined;
    is: string | undefined;
}

type Compare = (one: string | undefined, other: string | undefined) => boolean;

const sameText: Compare = (one, other) => one === other;

/** Whether two JSON texts have the same value. The order of keys does not matter. */
function valueComparer(): Compare {
    let left = MAX_PARSED;
    return (one, other) => {
        if (one === other || one === undefined || other === undefined || one.length + other.length > left) {
            return one === other;
        }

        left -= one.length + other.length;
        return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
    };
}

/** The side whose value stays; undefined if both changed it to different values. */
function winnerOf({ isKnown, was, wanted, is }: Sides, same: Compare): 'mine' | 'current' | undefined {
    if (same(wanted, is) || (isKnown && same(was, is))) {
        return 'mine';
    }

    return isKnown && same(was, wanted) ? 'current' : undefined;
}

/**
 * Merges two changes of a thing field by field: `attributes` and `styles` by their top-level keys, `x` and `y` as one field, all else whole.
 * Free-form objects are given as `JsonText`. Their unchanged parts keep their order and their text.
 * @param base the thing before both changes; null if that is not known, so that everything that differs is a conflict
 * @param mine the fields that one side sends
 * @param current the thing as the other side has left it
 */
export async function mergeFields<Fields extends object>(base: object | null, mine: Fields, current: object): Promise<Merge<Fields>> {
    const pause = pauses();
    const sameValue = valueComparer();
    const fields = { ...mine };
    const conflicts = new Set<string>();
    for (const name of Object.keys(mine)) {
        const isPlace = name === 'x' || name === 'y';
        const pointer = isPlace ? '/position' : `/${name}`;
        const [was, wanted, is] = isPlace ? [positionOf(base), positionOf({ ...base ?? current, ...mine }), positionOf(current)] : [textIn(base, name), textIn(mine, name), textIn(current, name)];
        const sides = { isKnown: base !== null, was, wanted, is };
        const winner = winnerOf(sides, sameText);
        const merged = winner === undefined && freeKeys.has(name) ? await mergeMembers(sides, sameValue, pause) : undefined;
        if (merged !== undefined) {
            Object.assign(fields, { [name]: new JsonText(merged.text) });
            merged.conflicts.forEach((key) => conflicts.add(`${pointer}/${key}`));
        }
        else {
            switch (winner ?? winnerOf(sides, sameValue)) {
                case 'current':
                    Object.assign(fields, { [name]: valueIn(current, name, fieldOf(mine, name) instanceof JsonText) });
                    break;
                case undefined:
                    conflicts.add(pointer);
            }
        }

        await pause();
    }

    return { fields, conflicts: [...conflicts] };
}

/** Merges objects by their keys; undefined if one has too many of them. Conflicts are keys as a JSON Pointer has them. */
async function mergeMembers({ isKnown, ...texts }: Sides, sameValue: Compare, pause: () => Promise<void> | undefined): Promise<{ text: string; conflicts: string[] } | undefined> {
    const [was, wanted, is] = [texts.was, texts.wanted, texts.is].map((text = '') => membersOf(text, MAX_KEYS));
    if (was === undefined || wanted === undefined || is === undefined) {
        return undefined;
    }

    const members: string[] = [];
    const conflicts: string[] = [];
    for (const key of new Set([...is.keys(), ...wanted.keys()])) {
        const sides = { isKnown, was: was.get(key), wanted: wanted.get(key), is: is.get(key) };
        const winner = winnerOf(sides, sameValue);
        const value = winner === 'current' ? sides.is : sides.wanted;
        if (winner === undefined) {
            conflicts.push(key.replaceAll('~', '~0').replaceAll('/', '~1'));
        }

        if (value !== undefined) {
            members.push(`${JSON.stringify(key)}:${value}`);
        }

        await pause();
    }

    return { text: `{${members.join(',')}}`, conflicts };
}

/** The JSON text of a page's place, with null where only the other of x and y is known. */
const positionOf = (thing: object | null): string => `[${textIn(thing, 'x') ?? null},${textIn(thing, 'y') ?? null}]`;

/** The JSON text of a field; undefined if there is none. */
function textIn(thing: object | null, name: string): string | undefined {
    const value = fieldOf(thing, name);
    return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/** The value of a field, which may be given as text. */
function valueIn(thing: object, name: string, asText: boolean): unknown {
    const value = fieldOf(thing, name);
    return value instanceof JsonText && !asText ? JSON.parse(value.text) : value;
}

/** @throws 400 if a merged object is larger than may be stored */
export function checkSizes(fields: object): void {
    for (const [name, value] of Object.entries(fields)) {
        if (value instanceof JsonText && !(storable(value.text) instanceof JsonText)) {
            throw invalid([{ path: name, message: `"${name}" would be larger than ${inBytes(MAX_OBJECT_BYTES)} after the merge` }]);
        }
    }
}
