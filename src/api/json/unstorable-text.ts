import type { Detail } from '../errors/errors';

/** Matches JSON text whose value needs a closer look: an escape, or a number that may be too large. Digits are counted from the first one only, so it takes linear time. */
const suspect = /\\u(?:0000|[dD][89a-fA-F])|\d[eE]|(?<!\d)\d{300}/;

/** Maximum errors listed. */
const MOST = 20;

/**
 * Lists text that PostgreSQL cannot store and numbers that a double cannot hold, anywhere in a value, including its keys.
 * For most bodies one search of their text is enough. The walk has its own stack, so any depth is fine.
 */
export function textFaults(text: string, value: unknown): Detail[] {
    if (!suspect.test(text)) {
        return [];
    }

    const faults: Detail[] = [];
    const stack: { path: string; value: unknown }[] = [{ path: '', value }];
    for (let at = stack.pop(); at !== undefined && faults.length < MOST; at = stack.pop()) {
        const why = textFault(at.value);
        if (why !== undefined) {
            faults.push({ path: at.path, message: `"${at.path}" ${why}` });
        }

        if (typeof at.value === 'object' && at.value !== null) {
            for (const [key, inner] of Object.entries(at.value)) {
                const path = at.path.length > 200 ? at.path : at.path === '' ? key.toWellFormed() : `${at.path}.${key.toWellFormed()}`;
                if (textFault(key) !== undefined) {
                    faults.push({ path, message: `a key of "${at.path}" ${textFault(key)}` });
                }

                stack.push({ path, value: inner });
            }
        }
    }

    return faults;
}

/** Why a single value cannot be stored; undefined if it can. */
export function textFault(value: unknown): string | undefined {
    if (typeof value === 'number' && !Number.isFinite(value)) {
        return 'is a number that is too large';
    }

    if (typeof value !== 'string') {
        return undefined;
    }

    if (value.includes('\u0000')) {
        return 'contains the character U+0000, which cannot be stored';
    }

    return value.isWellFormed() ? undefined : 'contains half of a surrogate pair, which is not a character';
}
