import { freeKeys } from './json-text';

/**
 * Whether a body has more than so many values where schemas look, so outside of `attributes` and `styles`. It stops
 * counting there, and keeps its own stack: depth costs nothing.
 */
export function holdsMoreThan(most: number, body: unknown): boolean {
    const stack = [body];
    let count = 0;
    for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
        if (typeof value !== 'object' || value === null) {
            continue;
        }

        // Object.entries would copy a million of them before the first is counted.
        for (const key in value) {
            if (++count > most) {
                return true;
            }

            if (!freeKeys.has(key)) {
                stack.push(Reflect.get(value, key));
            }
        }
    }

    return false;
}
