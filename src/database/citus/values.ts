import { parseLike } from '../samples';
import { typeOf } from '../declaration';
import type { Columns, Declared } from '../declaration';

export type Row = Record<string, unknown>;

/** A statement with its parameters. */
export interface Asked {
    text: string;
    values: readonly unknown[];
    declared: Declared;
}

/** The texts of an array of JSON in PostgreSQL's binary format, as src/database/statements/array-parameter.ts makes it. */
export function textsOf(bytes: Buffer): (string | null)[] {
    const count = bytes.readInt32BE(12);
    let at = 20;
    return Array.from({ length: count }, () => {
        const length = bytes.readInt32BE(at);
        at += 4;
        if (length < 0) {
            return null;
        }

        at += length;
        return bytes.toString('utf8', at - length, at);
    });
}

const literal = (list: readonly unknown[]): string => `{${list.map((one) => (one === null || one === undefined ? 'NULL'
    : Array.isArray(one) ? literal(one) : `"${(one instanceof Buffer ? `\\x${one.toString('hex')}` : String(one)).replace(/[\\"]/g, '\\$&')}"`)).join(',')}}`;

/** PostgreSQL's text of a parameter of a type. */
export function textOf(value: unknown, type: string): string | null {
    if (value === null || value === undefined) {
        return null;
    }

    if (Buffer.isBuffer(value)) {
        return type === 'json[]' ? literal(textsOf(value)) : type === 'bytea' ? `\\x${value.toString('hex')}` : value.toString();
    }

    if (Array.isArray(value) && type.endsWith('[]')) {
        return literal(value);
    }

    return value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Types whose value in JSON is what pg makes of them too. */
const same = new Set(['integer', 'double precision', 'boolean', 'json', 'jsonb']);

function valueOf(value: unknown, type: string): unknown {
    if (value === null || same.has(type)) {
        return value;
    }

    if (type.endsWith('[]')) {
        return [value].flat().map((one) => valueOf(one, type.slice(0, -2)));
    }

    return type === 'bytea' ? Buffer.from(String(value).slice(2), 'hex') : type === 'timestamp with time zone' ? new Date(String(value)) : String(value);
}

/** JSON whose whole numbers of 16 and more digits, which JavaScript would round, are texts. */
const withAllDigits = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"|(?<![0-9.eE+-])-?[0-9]{16,}(?![0-9.eE])/g, (part) => (part.startsWith('"') ? part : `"${part}"`));

/** A row as pg gives it, of what `to_json` made of it. */
export function rowOf(text: string, columns: Columns | null): Row {
    const row = parseLike<Row>(text, {});
    const exact = /[0-9]{16}/.test(text) ? parseLike<Row>(withAllDigits(text), {}) : row;
    return Object.fromEntries(Object.entries(columns ?? {}).map(([name, column]) => {
        const type = typeOf(column);
        return [name, valueOf((same.has(type) ? row : exact)[name], type)];
    }));
}
