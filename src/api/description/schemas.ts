import type Joi from 'joi';
import parse from 'joi-to-json';

/** The parts of JSON Schema that are used here. */
export interface JsonSchema {
    $ref?: string;
    const?: unknown;
    examples?: unknown[];
    properties?: Record<string, JsonSchema>;
    patternProperties?: Record<string, JsonSchema>;
    required?: string[];
    items?: JsonSchema;
    allOf?: JsonSchema[];
    anyOf?: JsonSchema[];
    oneOf?: JsonSchema[];
    description?: string;
    [keyword: string]: unknown;
}

/** Schemas by the names that references use. */
export type Components = Record<string, JsonSchema>;

/** JSON Schemas by Joi schema, with their components: making them takes most of the time of a description, and routes share schemas, also those of different servers. */
const made = new WeakMap<Joi.Schema, { schema: JsonSchema; components: Components }>();

/** The JSON Schema of a Joi schema. Parts with an id become components, and are referenced. */
export function jsonSchemaOf(schema: Joi.Schema, components: Components): JsonSchema {
    const known = made.get(schema);
    if (known !== undefined) {
        Object.assign(components, { ...known.components, ...components });
        return known.schema;
    }

    const before = new Set(Object.values(components));
    // The result repeats the given components. joi-to-json changes what it is given, and our schemas have functions only for validation.
    const { schemas: _components, ...own }: JsonSchema = parse({ describe: () => JSON.parse(JSON.stringify(schema.describe())) }, 'open-api-3.1', components);
    for (const one of [own, ...Object.values(components).filter((component) => !before.has(component))]) {
        tidy(one);
    }

    made.set(schema, { schema: own, components: referredTo(own, components) });
    return own;
}

/** The components that a schema refers to, and those that they refer to. */
function referredTo(schema: JsonSchema, components: Components, found: Components = {}): Components {
    const name = schema.$ref?.split('/').at(-1) ?? '';
    const component = components[name];
    if (component !== undefined && !(name in found)) {
        found[name] = component;
        referredTo(component, components, found);
    }

    Object.values(schema).filter(isSchema).forEach((inner) => referredTo(inner, components, found));
    return found;
}

/** A copy of a schema without the examples of its parts. */
export function withoutExamples({ examples: _examples, properties, items, ...schema }: JsonSchema): JsonSchema {
    return {
        ...schema,
        ...properties !== undefined && { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, withoutExamples(one)])) },
        ...items !== undefined && { items: withoutExamples(items) }
    };
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/**
 * joi-to-json lists a pattern of names also as a name; none of our schemas has both. It gives an enum without a type every type, which
 * generators of clients reject, and a single number none. It also puts a single `anyOf` into an `allOf`, which means the same, but tools that compare descriptions
 * report it as a change.
 */
function tidy(schema: JsonSchema): void {
    if ('patternProperties' in schema) {
        delete schema.properties;
    }

    const { allOf, type, enum: values } = schema;
    if (Array.isArray(values) && Array.isArray(type)) {
        const types = type.filter((name) => values.some((value) => (value === null ? 'null' : typeof value) === name));
        Object.assign(schema, { type: types.length === 1 ? types[0] : types });
    }

    if (typeof schema.const === 'number') {
        schema.type = 'number';
    }

    if (allOf?.length === 1) {
        delete schema.allOf;
        Object.assign(schema, ...allOf);
    }

    for (const inner of Object.values(schema)) {
        if (isSchema(inner)) {
            tidy(inner);
        }
    }
}

/** An example value of a schema, made from the examples of its parts. @throws Error if a part has none */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
    const { $ref, examples: [example] = [], properties, items, anyOf, oneOf } = schema;
    if (example !== undefined) {
        return example;
    }

    if ('const' in schema) {
        return schema.const;
    }

    const inner = components[$ref?.split('/').at(-1) ?? ''] ?? anyOf?.[0] ?? oneOf?.[0];
    if (properties !== undefined) {
        return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, exampleOf(property, components)]));
    }

    if (items !== undefined) {
        return [exampleOf(items, components)];
    }

    if (inner === undefined) {
        throw new Error(`A schema has no example: ${JSON.stringify(schema)}`);
    }

    return exampleOf(inner, components);
}
