import { isObject } from '../json/is-object';
import { longestOf } from './longest';

/**
 * A function for `JSON.stringify` that gives a schema the bounds which follow from the rest of it: a text is as long as its pattern allows, and JavaScript reads integers
 * up to 2^53 exactly. The format of an integer says how many bits keep it. Only for the description, because validators of files need not know a format.
 */
export function bounded(_key: string, value: unknown): unknown {
    if (!isObject(value) || 'const' in value || 'enum' in value) {
        return value;
    }

    const types = [value.type].flat();
    if (types.includes('integer')) {
        const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = value;
        return { ...value, minimum, maximum, format: Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31 ? 'int32' : 'int64' };
    }

    if (types.includes('string') && typeof value.pattern === 'string') {
        const maxLength = Math.min(Number(value.maxLength ?? Infinity), longestOf(value.pattern));
        return maxLength === Infinity ? value : { ...value, maxLength };
    }

    return value;
}
