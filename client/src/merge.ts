import { mergeWords } from './words.js';

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The field of an object; undefined if it has none, or if the value is no object. */
export const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** The text of a value, to compare: the order of keys does not matter. */
function textOf(value: unknown): string | undefined {
    return JSON.stringify(value, (_key, part: unknown) => (isObject(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part));
}

const same = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/** Fields that people write prose into. Two people who write into one of them are merged by words. */
const prose = new Set(['/title', '/description', '/attributes/text', '/attributes/innerHTML', '/attributes/reveals', '/attributes/alt']);

/**
 * Merges an edit with what has become of the thing meanwhile, by the same fields as the service merges; texts also by words.
 * @param base the thing before the edit. A field that it lacks is a conflict, unless both sides have the same now
 * @returns the data to send, and the conflicts as JSON Pointers (RFC 6901)
 */
export function mergeEdit(base: object, data: object, current: object): { data: Record<string, unknown>; conflicts: string[] } {
    const conflicts: string[] = [];
    const pick = (was: unknown, mine: unknown, is: unknown, pointer: string): unknown => {
        if (same(was, mine)) {
            return is;
        }

        if (same(was, is) || same(mine, is)) {
            return mine;
        }

        const words = prose.has(pointer) && typeof was === 'string' && typeof mine === 'string' && typeof is === 'string' ? mergeWords(was, mine, is) : undefined;
        if (words === undefined) {
            conflicts.push(pointer);
        }

        return words ?? mine;
    };

    const merged: Record<string, unknown> = {};
    for (const [name, mine] of Object.entries(data)) {
        const [was, is] = [fieldOf(base, name), fieldOf(current, name)];
        if ((name === 'attributes' || name === 'styles') && isObject(was) && isObject(mine) && isObject(is)) {
            const keys = [...new Set([...Object.keys(is), ...Object.keys(mine)])];
            merged[name] = Object.fromEntries(keys.map((key) => [key, pick(was[key], mine[key], is[key], `/${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)]));
        }
        else {
            merged[name] = pick(was, mine, is, name === 'x' || name === 'y' ? '/position' : `/${name}`);
        }
    }

    return { data: merged, conflicts: [...new Set(conflicts)] };
}
