/*
 * Samples of JSON: what values are like of which only their JSON text, or PostgreSQL, is known. The compiler checks them against the type,
 * and `fits` values against them.
 */

/** A part of a value, with the fields that somebody reads. */
export type Sample<Value> = Value extends readonly (infer Item)[] ? Sample<Item>[] : Value extends object ? { [Name in keyof Value]?: Sample<Value[Name]> } : Value;

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => kindOf(value) === 'object';

/**
 * Whether JSON is like samples: each value in it is of the kind that one of them has there, and a field is missing only if one of them
 * lacks it. Fields that none of them has, and the items of lists that are empty in all, are not looked at. A sample whose keys are numbers
 * stands for any keys.
 */
export function fits(value: unknown, samples: readonly unknown[]): boolean {
    const alike = samples.filter((sample) => kindOf(sample) === kindOf(value));
    if (Array.isArray(value)) {
        const items = alike.flat();
        return alike.length > 0 && (items.length === 0 || value.every((item) => fits(item, items)));
    }

    if (!isObject(value)) {
        return alike.length > 0;
    }

    const objects = alike.filter(isObject);
    const names = [...new Set(objects.flatMap((sample) => Object.keys(sample)))];
    if (names.length > 0 && names.every((name) => /^[0-9]+$/.test(name))) {
        return Object.values(value).every((one) => fits(one, objects.flatMap((sample) => Object.values(sample))));
    }

    return objects.length > 0 && names.every((name) => {
        const having = objects.filter((sample) => name in sample);
        return name in value ? fits(value[name], having.map((sample) => sample[name])) : having.length < objects.length;
    });
}

const isLike = <Value>(value: unknown, samples: readonly Sample<Value>[]): value is Value => fits(value, samples);

/** Parses JSON of our own. @throws if it is not like the samples */
export function parseLike<Value>(text: string, ...samples: Sample<Value>[]): Value {
    const value: unknown = JSON.parse(text);
    if (!isLike<Value>(value, samples)) {
        throw new Error(`This JSON is not like ${JSON.stringify(samples)}: ${text.slice(0, 200)}`);
    }

    return value;
}
