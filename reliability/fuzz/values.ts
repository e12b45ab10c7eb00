import fc from 'fast-check';

import { found } from './description';
import type { Schema } from './description';

/** Keywords that do not restrict values: `format` is beside a pattern or bounds that say the same. */
const annotations = ['description', 'examples', 'default', 'format'];

/** Keywords that the arbitraries below follow, by type. */
const heeded: Readonly<Record<string, readonly string[]>> = {
    string: ['pattern', 'minLength', 'maxLength'],
    integer: ['minimum', 'maximum'],
    boolean: [],
    array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
    object: ['properties', 'patternProperties', 'additionalProperties', 'required', 'anyOf', 'dependentRequired']
};

/** Returns what a place usually gets, such as the id of an existing thing; undefined if only the schema decides. */
export type Special = (place: string) => fc.Arbitrary<unknown> | undefined;

/** Text of all kinds: letters, any code points, combined characters, and right to left. */
const units = [
    'grapheme-ascii', 'binary', 'grapheme', fc.constantFrom(...'#a1_ é\u0301\u05d0\u202e\u200d💻\n"\\\'{}%')
] as const;

/** Generates values that a JSON Schema allows. An unknown keyword is an error, because it would be ignored. */
export class Values {
    readonly #components: Record<string, Schema>;
    readonly #special: Special;

    constructor(components: Record<string, Schema>, special: Special) {
        this.#components = components;
        this.#special = special;
    }

    /** Values that a schema allows, at a place such as `CreatePageAction.data.x`. */
    of(schema: Schema, place: string): fc.Arbitrary<unknown> {
        const special = this.#special(place);
        const allowed = this.#allowedBy(schema, place);
        const examples = schema.examples === undefined ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...schema.examples) }];
        return fc.oneof({ weight: 3, arbitrary: allowed }, ...examples, ...special === undefined ? [] : [{ weight: 12, arbitrary: special }]);
    }

    #allowedBy(schema: Schema, place: string): fc.Arbitrary<unknown> {
        if (schema.$ref !== undefined) {
            expectOnly(schema, ['$ref'], place);
            return this.of(found(this.#components, { $ref: schema.$ref }), schema.$ref.endsWith('Action') ? schema.$ref.split('/').at(-1) ?? place : place);
        }

        if ('const' in schema) {
            expectOnly(schema, ['const', 'type'], place);
            return fc.constant(schema.const);
        }

        if (schema.enum !== undefined) {
            expectOnly(schema, ['type', 'enum'], place);
            return fc.constantFrom(...schema.enum);
        }

        const either = schema.oneOf ?? (schema.type === undefined ? schema.anyOf : undefined);
        if (either !== undefined) {
            expectOnly(schema, ['oneOf', 'anyOf'], place);
            return fc.oneof(...either.map((one) => this.of(one, place)));
        }

        if (Array.isArray(schema.type)) {
            return fc.oneof(...schema.type.map((one) => (one === 'null' ? fc.constant(null) : this.#allowedBy({ ...schema, type: one }, place))));
        }

        const type = String(schema.type);
        expectOnly(schema, ['type', ...heeded[type] ?? []], place);
        switch (type) {
            case 'string':
                return texts(schema);
            case 'integer':
                return fc.integer({ min: schema.minimum, max: schema.maximum });
            case 'boolean':
                return fc.boolean();
            case 'array':
                return this.#arrays(schema, place);
            case 'object':
                return this.#objects(schema, place);
            default:
                throw new Error(`No values are known of the type "${type}" at ${place}`);
        }
    }

    #arrays({ items = {}, minItems: minLength = 0, maxItems: maxLength, uniqueItems = false }: Schema, place: string): fc.Arbitrary<unknown> {
        const item = this.of(items, place);
        // Long lists are rare if all of a list is executed.
        return uniqueItems ? fc.uniqueArray(item, { minLength, maxLength }) :
            fc.oneof(fc.array(item, { minLength, maxLength }), fc.array(item, { minLength, maxLength: Math.min(minLength + 2, maxLength ?? Infinity) }));
    }

    #objects(schema: Schema, place: string): fc.Arbitrary<unknown> {
        const { properties = {}, patternProperties = {}, additionalProperties = true, required = [], anyOf, dependentRequired = {} } = schema;
        if (anyOf !== undefined) {
            anyOf.forEach((one) => expectOnly(one, ['required'], place));
            return fc.oneof(...anyOf.map((one) => this.#objects({ ...schema, anyOf: undefined, required: [...required, ...one.required ?? []] }, place)));
        }

        const known = fc.record(
            Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, this.of(one, `${place}.${name}`)])),
            { requiredKeys: [...new Set(required)] }
        ).map((fields) => Object.fromEntries(Object.entries(fields).filter(([name]) => dependentRequired[name]?.every((other) => other in fields) !== false)));
        const patterned = Object.entries(patternProperties).map(([pattern, one]) => fc.dictionary(matching(pattern), this.of(one, `${place}.*`)));
        const more = additionalProperties ? [fc.dictionary(fc.oneof(...units.map((unit) => fc.string({ unit }))), fc.jsonValue())] : [];
        return fc.tuple(known, ...patterned, ...more).map((parts) => Object.assign({}, ...parts));
    }
}

function texts({ pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<unknown> {
    const fits = (text: string): boolean => [...text].length >= minLength && (maxLength === undefined || [...text].length <= maxLength);
    if (pattern !== undefined) {
        return matching(pattern).filter(fits);
    }

    const bounds = [minLength, ...maxLength === undefined ? [] : [maxLength]];
    return fc.oneof(
        ...units.map((unit) => fc.string({ unit, minLength, maxLength })),
        fc.constantFrom(...bounds).chain((length) => fc.string({ unit: 'binary', minLength: length, maxLength: length }))
    ).filter(fits);
}

const made = new Map<string, fc.Arbitrary<string>>();

/** Texts that match a pattern. Patterns that exclude characters take a second to prepare, so the result is cached. */
function matching(pattern: string): fc.Arbitrary<string> {
    const known = made.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'));
    made.set(pattern, known);
    return known;
}

function expectOnly(schema: Schema, keywords: readonly string[], place: string): void {
    const unknown = Object.keys(schema).find((keyword) => !keywords.includes(keyword) && !annotations.includes(keyword));
    if (unknown !== undefined && Reflect.get(schema, unknown) !== undefined) {
        throw new Error(`The keyword "${unknown}" at ${place} is not heeded`);
    }
}
