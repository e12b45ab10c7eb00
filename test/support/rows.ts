import type { QueryResultRow } from 'pg';

import { isNullable, typeOf } from '../../src/database/declaration';
import type { Columns } from '../../src/database/declaration';
import { fits } from '../../src/database/samples';

/*
 * What rows are like, against what their statement declares: which columns are there, which are null, the types of the others, and the shapes of JSON.
 */

/** Rows of a result that are looked at. */
const MOST = 50;

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isTime = (value: unknown): boolean => value instanceof Date;

/** Types of which pg makes something else than a text. */
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
    boolean: (value) => typeof value === 'boolean', bytea: Buffer.isBuffer, date: isTime, 'double precision': isNumber, integer: isNumber, json: () => true, jsonb: () => true,
    'timestamp with time zone': isTime, void: () => true
};

/** Whether a value is of a type of SQL. A list has nulls only if its type in TypeScript says so. */
function isOfType(column: Columns[string], value: unknown): boolean {
    const type = typeOf(column);
    const isOne = kinds[type.replace(/\[\]$/, '')] ?? isText;
    return type.endsWith('[]') ? Array.isArray(value) && value.every((one) => (one === null ? typeof column !== 'string' : isOne(one))) : isOne(value);
}

/** What is wrong with a value; undefined if nothing is. */
function faultOf(column: Columns[string], value: unknown): string | undefined {
    if (value === undefined) {
        return 'is missing';
    }

    if (value === null) {
        return isNullable(column) ? undefined : 'is null';
    }

    const type = typeOf(column);
    if (!isOfType(column, value)) {
        return `is ${typeof value}, not ${type}`;
    }

    return typeof column === 'string' || !/^jsonb?$/.test(type) || fits(value, column.samples) ? undefined : `is not like ${JSON.stringify(column.samples)}: ${JSON.stringify(value).slice(0, 500)}`;
}

/** @throws if the rows of a statement are not as it declares */
export function compareRows({ columns, text }: { columns: Columns | null; text: string }, rows: readonly QueryResultRow[]): void {
    for (const row of rows.slice(0, MOST)) {
        for (const [name, column] of Object.entries(columns ?? {})) {
            const fault = faultOf(column, row[name]);
            if (fault !== undefined) {
                throw new Error(`The column "${name}" ${fault}, against the declaration of this statement: ${text}`);
            }
        }
    }
}
