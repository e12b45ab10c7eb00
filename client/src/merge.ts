export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of a value, to compare: the order of keys does not matter. */
function textOf(value: unknown): string | undefined {
    return JSON.stringify(value, (_key, part: unknown) => (isObject(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part));
}

const same = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/**
 * Merges an edit with what has become of the thing meanwhile, by the same fields as the service merges.
 * @param base the thing before the edit. A field that it lacks is a conflict, unless both sides have the same now
 * @returns the data to send, and the conflicts as JSON Pointers (RFC 6901)
 */
export function mergeEdit(base: object, data: object, current: object): { data: Record<string, unknown>; conflicts: string[] } {
    const conflicts: string[] = [];
    const pick = (was: unknown, mine: unknown, is: unknown, pointer: string): unknown => {
        if (same(was, mine)) {
            return is;
        }

        if (!same(was, is) && !same(mine, is)) {
            conflicts.push(pointer);
        }

        return mine;
    };

    const merged: Record<string, unknown> = {};
    for (const [name, mine] of Object.entries(data)) {
        const [was, is]: unknown[] = [Reflect.get(base, name), Reflect.get(current, name)];
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
