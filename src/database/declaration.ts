import type { QueryConfig, QueryResultRow } from 'pg';

import type { Sample } from './samples';

/** JavaScript types of PostgreSQL's types, by the names that `format_type` gives them: a value of a row as pg returns it. */
export interface Values {
    bigint: string;
    'bigint[]': string[];
    boolean: boolean;
    'boolean[]': boolean[];
    bytea: Buffer;
    'bytea[]': Buffer[];
    date: Date;
    'date[]': Date[];
    'double precision': number;
    integer: number;
    'integer[]': number[];
    json: unknown;
    'json[]': unknown[];
    jsonb: unknown;
    numeric: string;
    text: string;
    'text[]': string[];
    thing: string;
    'timestamp with time zone': Date;
    uuid: string;
    visibility: string;
    void: string;
}

export type SqlType = keyof Values;

/** A column of which more is known than its type: the words that a text can be, or the shape of JSON. */
export interface Known<Value> {
    /** with `?` if it can be null */
    type: string;
    /** what values of JSON are like. Tests compare the rows with it (test/support/rows.ts) */
    samples: readonly unknown[];
    /** never set: it only carries the type */
    readonly value?: Value;
}

/** A column whose values have a narrower type than those of its type in SQL. JSON needs samples of its shape. */
export const known = <Value>(type: null extends Value ? `${SqlType}?` : SqlType, ...samples: Sample<NonNullable<Value>>[]): Known<Value> => ({ type, samples });

/** The columns of a row, by their names; `text?` can be null. */
export type Columns = Readonly<Record<string, SqlType | `${SqlType}?` | Known<unknown>>>;

type ValueOf<Column> = Column extends Known<infer Value> ? Value : Column extends SqlType ? Values[Column] : Column extends `${infer Type extends SqlType}?` ? Values[Type] | null : never;

/** The type of a row with these columns. */
export type RowOf<Row extends Columns> = { -readonly [Name in keyof Row]: ValueOf<Row[Name]> };

/** The type in SQL of a column. */
export const typeOf = (column: Columns[string]): string => (typeof column === 'string' ? column : column.type).replace(/\?$/, '');

/** Whether a column can be null. */
export const isNullable = (column: Columns[string]): boolean => (typeof column === 'string' ? column : column.type).endsWith('?');

/** How the rows that the shards return become one result. */
export type ShardMerge =
    /** one after the other */
    | { kind: 'rows' }
    /** one row, with the sums of the numbers */
    | { kind: 'sum' }
    /** the locks of a bulk: a project is locked if one shard says so */
    | { kind: 'lock' }
    /** a page of a list of projects */
    | { kind: 'page' }
    /** a page by ids, the newest first; `count` is a parameter */
    | { kind: 'items'; count: number }
    /** so many first rows by their ids, last ones, or first ones of those that every shard has */
    | { kind: 'first' | 'newest' | 'every'; count: number }
    /** the latest by a column, then by their ids */
    | { kind: 'latest'; column: string }
    /** one row: the first by its id of those in which a column is null, or else of all */
    | { kind: 'pick'; column: string };

/** Where a statement runs on a cluster. `writes` is whether it changes or locks rows. */
export type ShardTarget =
    /** by the coordinator, on tables that are there */
    | { kind: 'here' }
    /** by the coordinator, whose Citus asks the shards */
    | { kind: 'citus' }
    /** by the coordinator, which looks up each project by its id */
    | { kind: 'lookup' }
    /** in the shard of the project whose id is a parameter, counted from 1; null for a shard that is always the same one */
    | { kind: 'project'; parameter: number | null; writes: boolean }
    /** makes a project; beside another one if a parameter has its id */
    | { kind: 'new'; beside: number | null }
    /** once for each project in the array that is a parameter; if `rows`, its other arrays have as many elements, and go by them, and `n` of a result is which of them it is for, as an integer */
    | { kind: 'each'; parameter: number; rows: boolean; writes: boolean }
    /** once for each project of the JSON records in the first parameters, which have its id in these fields, one for each parameter */
    | { kind: 'records'; fields: readonly string[] }
    /** in all shards */
    | { kind: 'everywhere'; merge: ShardMerge; writes: boolean }
    /** nowhere: a cluster does not need it */
    | { kind: 'nowhere' };

export const byCitus: ShardTarget = { kind: 'citus' };
export const byLookup: ShardTarget = { kind: 'lookup' };
export const inProject = (parameter: number): ShardTarget => ({ kind: 'project', parameter, writes: false });
export const inOneShard: ShardTarget = { kind: 'project', parameter: null, writes: false };
/** @param beside the parameter with the id of a project in whose shard the new one has to be */
export const inNewProject = (beside: number | null = null): ShardTarget => ({ kind: 'new', beside });
export const inEachProject = (parameter: number): ShardTarget => ({ kind: 'each', parameter, rows: false, writes: false });
export const inProjectOfEachRow = (parameter: number): ShardTarget => ({ kind: 'each', parameter, rows: true, writes: false });
export const inProjectOfEachRecord = (...fields: string[]): ShardTarget => ({ kind: 'records', fields });
export const inAllShards = (merge: ShardMerge = { kind: 'rows' }): ShardTarget => ({ kind: 'everywhere', merge, writes: false });
export const notOnCluster: ShardTarget = { kind: 'nowhere' };

/** A place for a statement that changes or locks rows. */
export const writing = (place: ShardTarget): ShardTarget => ('writes' in place ? { ...place, writes: true } : place);

/** A declaration in full. */
export interface Declared {
    readonly parameters: readonly string[];
    /** null if nobody reads any */
    readonly columns: Columns | null;
    readonly place: ShardTarget;
}

/** A query for pg, which ignores its declaration: only a cluster's client looks at that. */
export interface DeclaredQuery extends QueryConfig {
    declared: Declared;
}

/** The types and place of a statement. One test compares it with PostgreSQL's description (test/database/statements/declarations.test.ts). */
export interface Declaration<Row extends Columns> {
    /** types of its parameters, in their order; none if left out */
    parameters?: readonly string[];
    /** columns of its result; nobody reads any if left out */
    row?: Row;
    /** where it runs on a cluster; at the coordinator if left out, which has no rows of projects */
    place?: ShardTarget;
}

/** Looks at rows of a statement, and throws what fails it. */
type RowCheck = (sql: Pick<Declared, 'columns'> & { text: string }, rows: readonly QueryResultRow[]) => void;

let check: RowCheck | undefined;

/** Has all rows of this process looked at: tests compare them with what their statement declares (test/support/rows.ts). */
export const checkRows = (own: RowCheck): void => {

    check = own;
};

/** The rows of a statement, once they were looked at. */
export function checked<Row extends QueryResultRow>(sql: Parameters<RowCheck>[0], rows: Row[]): Row[] {
    check?.(sql, rows);
    return rows;
}
