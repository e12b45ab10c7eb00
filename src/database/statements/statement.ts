import { createHash } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';

import { DatabaseError } from 'pg';
import type { Connection, QueryResultRow } from 'pg';

import { checked, inAllShards } from '../declaration';
import type { Columns, Declaration, Declared, DeclaredQuery, RowOf } from '../declaration';
import { cancelStatement } from './cancel';
import type { KnownClient } from './cancel';
import type { Database } from './connection';
import { retried, retriedLookup } from './retry';

interface Prepared extends Declared {
    readonly name: string;
    readonly text: string;
    /** reads a few rows by key, waits for no lock and is fast */
    readonly quick: boolean;
    /** whether all that a connection gets in this turn of the event loop is sent in one system call */
    readonly corks: boolean;
}

/** A query whose text is made once, when its module is loaded, and prepared once by each connection (docs/decisions/sql-without-a-query-builder.md). */
export interface Statement<Row extends QueryResultRow> extends Prepared {
    /** how many of it are one statement */
    readonly together?: Together<Row>;
    /** never set: it only carries the type of a row */
    readonly row?: Row;
}

/** A statement that may take long, or wait for a lock. */
export const statement = <const Row extends Columns>(declaration: Declaration<Row>, text: string): Statement<RowOf<Row>> => declared(declaration, text, false);

/** @param quick whether it reads a few rows by key, waits for no lock and is fast */
function declared({ parameters = [], row, place = { kind: 'here' } }: Declaration<Columns>, text: string, quick: boolean): Prepared {
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    return { name, text, quick, corks: quick, parameters, columns: row ?? null, place };
}

/** A lookup of at most one row, for many keys at once. */
interface Together<Row extends QueryResultRow> {
    /** takes an array for each parameter; `nth` says which one, from 1, a row is for */
    readonly many: Prepared;
    /** Looks up what is asked for in this turn of the event loop in one statement. */
    ask(db: Database, values: unknown[]): Promise<Row[]>;
}

/** One lookup among them. */
interface Asked<Row> {
    values: unknown[];
    resolve: (rows: Row[]) => void;
    reject: (error: unknown) => void;
}

/** Lookups that are one statement, at most, unless they say otherwise. */
const MOST = 100;

interface LookupDeclaration<Row extends Columns> extends Declaration<Row> {
    /** whether those of one turn of the event loop are one statement, or how many at most: fewer if each takes longer, as they wait for one another. Only for lookups of at most one row */
    together?: boolean | number;
}

/** A statement that reads a few rows by key, and so may share a connection with others of its kind (docs/decisions/pipelined-lookups.md). */
export function lookup<const Row extends Columns>({ together = false, ...declaration }: LookupDeclaration<Row>, text: string): Statement<RowOf<Row>> {
    const single = declared(declaration, text, true);
    if (together === false) {
        return single;
    }

    // All of them are sent at the end of the turn anyway.
    const one = { ...single, corks: false };
    const many = declared({
        parameters: one.parameters.map((type) => (isList(type) ? 'text[]' : `${type}[]`)), row: { nth: 'bigint', ...declaration.row }, place: one.place.kind === 'here' ? one.place : inAllShards()
    }, manyTimes(text, one.parameters), true);
    return { ...one, together: { many, ask: inThisTurn(one, many, together === true ? MOST : together) } };
}

/** A lookup of at most one row; those of one turn of the event loop are one statement. */
export const lookupTogether = <const Row extends Columns>(declaration: Declaration<Row>, text: string): Statement<RowOf<Row>> => lookup({ ...declaration, together: true }, text);

/** A list cannot be an element of an array, as its length differs, so it is sent as a text. */
const isList = (type: string): boolean => type.endsWith('[]');

/** SQL that does the same for arrays of each parameter. With the limit, PostgreSQL cannot join all at once, which is slow for a few. */
const manyTimes = (text: string, types: readonly string[]): string => `
    select a.nth, l.*
    from unnest(${types.map((type, n) => `$${n + 1}::${isList(type) ? 'text' : type}[]`).join(', ')}) with ordinality as a (${types.map((_type, n) => `p${n + 1}`).join(', ')}, nth)
    cross join lateral (${text.replace(/\$([0-9]+)/g, (_parameter, n) => `a.p${n}`)} limit 1) l`;

/** pg's client, with its socket. */
type PooledClient = KnownClient & { connection: Connection };

/** Signals of transactions, as `transaction` takes them. */
const signals = new WeakMap<Database, AbortSignal>();

/** Ends the statements of a transaction when the signal is aborted. */
export function endWith(trx: Database, signal: AbortSignal | undefined): void {
    if (signal !== undefined) {
        signals.set(trx, signal);
    }
}

/** The signal that ends the statements of a transaction, if there is one. */
export const signalOfTransaction = (trx: Database): AbortSignal | undefined => signals.get(trx);

/**
 * Runs a statement on a connection of the pool, or on the transaction's own.
 *
 * A lookup gives its connection back as soon as it is sent, so that the next one follows in the same pipeline. All other statements keep
 * theirs until they are answered, because they may wait for a lock or take long; after a deadlock or serialization failure they are tried again.
 * @param signal ends the statement in PostgreSQL, unless it is a lookup; the transaction's own if it is left out
 * @throws what pg throws; api/errors/database.ts says what the client is told. The reason of the signal, if that has ended it
 */
export function run<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[], signal = db.isTransaction ? signals.get(db) : undefined): Promise<Row[]> {
    if (sql.together !== undefined && !db.isTransaction) {
        return sql.together.ask(db, values);
    }

    // A statement of a transaction can only be tried again with all of it, and a lookup never deadlocks.
    return db.isTransaction ? send(db, sql, values, signal) : (sql.quick ? retriedLookup : retried)(() => send(db, sql, values, signal));
}

/** Waits for the end of this turn of the event loop, and then asks for everything of the kind in one statement. */
function inThisTurn<Row extends QueryResultRow>(one: Prepared, many: Prepared, most: number): Together<Row>['ask'] {
    const asked = new WeakMap<Database, Asked<Row>[]>();
    return (db, values) => new Promise((resolve, reject) => {
        const own = { values, resolve, reject };
        const others = asked.get(db);
        if (others !== undefined && others.length < most) {
            others.push(own);
            return;
        }

        const all = [own];
        asked.set(db, all);
        setImmediate(() => {
            asked.delete(db);
            void (all.length === 1 ? askAlone(db, one, own) : askTogether(db, one, many, all));
        });
    });
}

async function askTogether<Row extends QueryResultRow>(db: Database, one: Prepared, many: Prepared, all: readonly Asked<Row>[]): Promise<void> {
    try {
        const values = one.parameters.map((type, at) => all.map((own) => (isList(type) ? literalOf(own.values[at]) : own.values[at])));
        const rows = new Map((await retriedLookup(() => send<Row & { nth: string }>(db, many, values))).map((row) => [Number(row.nth), row]));
        all.forEach(({ resolve }, n) => {
            const row = rows.get(n + 1);
            resolve(row === undefined ? [] : [row]);
        });
    }
    catch (error) {
        // If one of them has a value that PostgreSQL does not accept (SQLSTATE class 22), the others must not fail.
        const isOfOne = error instanceof DatabaseError && error.code?.startsWith('22') === true;
        all.forEach((own) => void (isOfOne ? askAlone(db, one, own) : own.reject(error)));
    }
}

const askAlone = <Row extends QueryResultRow>(db: Database, one: Prepared, { values, resolve, reject }: Asked<Row>): Promise<void> => retriedLookup(() => send<Row>(db, one, values)).then(resolve, reject);

/** PostgreSQL's text of a list of texts. */
const literalOf = (list: unknown): string => `{${[list].flat().map((text) => `"${String(text).replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

/** Where a tracer hears of each statement (operations/process/traces.ts). Its text has no values. */
const traced = tracingChannel('pagewright:statement');

const send: typeof ask = (db, sql, ...rest) => (traced.hasSubscribers ? traced.tracePromise(() => ask(db, sql, ...rest), { attributes: { 'db.query.text': sql.text } }) : ask(db, sql, ...rest));

async function ask<Row extends QueryResultRow>(db: Database, sql: Prepared, values: unknown[], signal?: AbortSignal): Promise<Row[]> {
    const { name, text, quick, corks } = sql;
    const query: DeclaredQuery = { name, text, values, declared: sql };
    const client: PooledClient = await db.client.acquireConnection();
    if (signal?.aborted) {
        db.client.releaseConnection(client);
        throw signal.reason;
    }

    if (corks) {
        sendTogether(client);
    }

    // Lookups before it may still be running on this connection, and must not be cancelled in its place.
    const begun = signal === undefined || db.isTransaction ? undefined : client.query('').then(() => undefined, () => undefined);
    const answer = client.query<Row>(query);
    if (!quick) {
        // An error is thrown where the result is awaited, below.
        const done = answer.then(() => undefined, () => undefined);
        await (signal === undefined ? done : untilDone(client, done, signal, begun));
    }

    db.client.releaseConnection(client);
    try {
        const { rows } = await answer;
        return checked(sql, rows);
    }
    catch (error) {
        throw signal?.aborted ? signal.reason : error;
    }
}

/** Milliseconds after which the server is asked once more to end a statement. */
const ASK_AGAIN = 100;

/** Waits until a statement has ended, and ends it when the signal is aborted. The connection must not be used before this is over, or another statement would be cancelled. */
async function untilDone(client: PooledClient, done: Promise<unknown>, signal: AbortSignal, begun: Promise<unknown> | undefined): Promise<void> {
    let isRunning = true;
    let cancelled: Promise<void> | undefined;
    const cancel = async (): Promise<void> => {
        await begun;
        // PostgreSQL ignores a request that comes before it has begun the statement.
        while (isRunning) {
            await cancelStatement(client);
            await Promise.race([done, sleep(ASK_AGAIN)]);
        }
    };

    const onAbort = (): void => {
        cancelled = cancel();
    };

    signal.addEventListener('abort', onAbort, { once: true });
    await done;
    isRunning = false;
    signal.removeEventListener('abort', onAbort);
    await cancelled;
}

/** Collects what a connection sends in this turn of the event loop, and sends it in one system call. */
function sendTogether({ connection: { stream } }: PooledClient): void {
    if (stream.writableCorked === 0) {
        stream.cork();
        setImmediate(() => stream.uncork());
    }
}

/** Like `run`, for a statement that always returns one row. */
export async function runAlways<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[], signal?: AbortSignal): Promise<Row> {
    const row = await runOne(db, sql, values, signal);
    if (row === undefined) {
        throw new Error('A statement that should always return a row returned none');
    }

    return row;
}

/** Like `run`, for a statement that returns at most one row. */
export async function runOne<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[], signal?: AbortSignal): Promise<Row | undefined> {
    return (await run(db, sql, values, signal))[0];
}
