import { found } from '../fuzz/description';
import type { Schema } from '../fuzz/description';
import { hostile, hostileTexts } from '../attacks/hostile';
import { wide } from '../attacks/shapes';
import type { Route } from './routes';

/** A body to try. Bytes are made when they are sent, since some take seconds. */
export interface Body {
    name: string;
    type: string;
    make: (n: number) => unknown;
}

/** The values that a body has for ids and names of what exists. */
export type Values = Readonly<Record<string, string>>;

/** Fields that are left out where they may be: with them, a write is rejected, or takes away the account. */
const leftOut = new Set(['revision', 'merge', 'key', 'password', 'until', 'pages']);

/** Characters of a text without a limit, and elements of an array without one. */
const MOST = 1000;

/** Most bytes of a body, which may have 10 MiB. */
const MAX_BYTES = 9 * 1024 * 1024;

/** The largest values that a schema allows. Of alternatives it takes the given one. */
export class Largest {
    readonly #components: Record<string, Schema>;
    readonly #values: Values;
    readonly #text: string;
    readonly #object: string;
    readonly #alternative: number;
    #serial: number;
    /** bytes that are left for texts and objects */
    #left = MAX_BYTES;

    constructor(components: Record<string, Schema>, { values, text, object, alternative, serial }: { values: Values; text: string; object: string; alternative: number; serial: number }) {
        this.#components = components;
        this.#values = values;
        this.#text = text;
        this.#object = object;
        this.#alternative = alternative;
        this.#serial = serial;
    }

    of(schema: Schema, name = ''): unknown {
        const { $ref, enum: values, oneOf, anyOf, type, examples } = schema;
        if ($ref !== undefined) {
            return this.of(found(this.#components, { $ref }), name);
        }

        if ('const' in schema) {
            return schema.const;
        }

        const either = oneOf ?? (type === undefined ? anyOf : undefined);
        if (either !== undefined) {
            return this.of(either[this.#alternative % either.length] ?? {}, name);
        }

        if (values !== undefined) {
            return values[0];
        }

        switch (Array.isArray(type) ? type[0] : type) {
            case 'string':
                return this.#texts(schema, name);
            case 'integer':
            case 'number':
                return name === 'x' || name === 'y' ? ++this.#serial : schema.maximum ?? examples?.[0] ?? 1;
            case 'array':
                return Array.from({ length: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MOST, MOST)) }, () => this.of(schema.items ?? {}, name.replace(/s$/, '')));
            case 'object':
                return this.#objects(schema);
            default:
                return examples?.[0] ?? null;
        }
    }

    #texts({ pattern, maxLength = MOST, examples }: Schema, name: string): unknown {
        const known = this.#values[name];
        if (known !== undefined || pattern !== undefined) {
            return known ?? examples?.[0] ?? '';
        }

        return this.#fitting(this.#text.repeat(Math.floor(maxLength / [...this.#text].length)), this.#text);
    }

    /** A text, or a small one if there is no room for it any more. */
    #fitting(text: string, small: string): string {
        const bytes = Buffer.byteLength(text);
        this.#left -= bytes <= this.#left ? bytes : 0;
        return bytes <= this.#left ? text : small;
    }

    #objects({ properties, required = [], examples }: Schema): unknown {
        if (properties === undefined) {
            return JSON.parse(this.#fitting(this.#object, '{}'));
        }

        const fields = Object.entries(properties).filter(([name]) => required.includes(name) || !leftOut.has(name)).map(([name, schema]) => [name, this.of(schema, name)]);
        return fields.length > 0 ? Object.fromEntries(fields) : examples?.[0] ?? {};
    }
}

/** How many alternatives a schema has at the place that has most of them. */
function alternativesOf(schema: Schema, components: Record<string, Schema>, depth = 0): number {
    if (depth > 6) {
        return 1;
    }

    const inner = [...schema.oneOf ?? [], ...schema.type === undefined ? schema.anyOf ?? [] : [], ...Object.values(schema.properties ?? {}), ...schema.items === undefined ? [] : [schema.items]];
    const own = schema.oneOf?.length ?? (schema.type === undefined ? schema.anyOf?.length : undefined) ?? 1;
    const referred = schema.$ref === undefined ? 1 : alternativesOf(found(components, { $ref: schema.$ref }), components, depth + 1);
    return Math.max(own, referred, ...inner.map((one) => alternativesOf(one, components, depth + 1)));
}

/** Free objects of different shapes; the bodies of a route take one after the other. */
const objects = ['{}', `{"text":"${'&'.repeat(20_000)}"}`, ...Object.values(wide)];

/** The bodies to try at a route: of JSON one for each alternative of its schema and each hostile text, of bytes all that are known of its types. */
export function bodiesOf({ method, body, takes }: Route, components: Record<string, Schema>, values: Values): Body[] {
    if (method === 'GET' || method === 'HEAD') {
        return [];
    }

    const bytes = takes.flatMap((type) => Object.entries(hostile[type] ?? {}).map(([name, make]): Body => ({ name: `${type}, ${name}`, type, make })));
    if (body === undefined) {
        return bytes.length > 0 ? bytes : [{ name: 'an empty body', type: 'application/json', make: () => ({}) }];
    }

    const count = alternativesOf(body, components);
    const json = Array.from({ length: count }, (_, alternative) => Object.entries(hostileTexts).map(([name, text], n): Body => ({
        name: `the largest JSON, ${name}${count > 1 ? `, alternative ${alternative + 1}` : ''}`, type: 'application/json',
        make: (serial) => new Largest(components, { values: { ...values, key: `k${serial}` }, text, object: objects[(alternative + n) % objects.length] ?? '{}', alternative, serial: 100 * serial }).of(body)
    })));
    return [...json.flat(), ...bytes];
}
