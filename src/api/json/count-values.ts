import { hasMembers } from './is-object';
import { freeKeys } from './json-text';

/**
 * Whether a body has more than `most` values outside of `attributes` and `styles`. It stops counting there, and has its own stack,
 * so any depth is fine.
 */
export function hasMoreValuesThan(most: number, body: unknown): boolean {
    const stack = [body];
    let count = 0;
    for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
        if (!hasMembers(value)) {
            continue;
        }

        // Object.entries would copy all of them before the first is counted.
        for (const key in value) {
            if (++count > most) {
                return true;
            }

            if (!freeKeys.has(key)) {
                stack.push(value[key]);
            }
        }
    }

    return false;
}
