import { createHash } from 'node:crypto';

import type { Client, Connection, QueryResultRow } from 'pg';

import type { Database } from './connection';
import { retried } from './retry';

/** A query whose text is made once, when its module is loaded, and prepared once by each connection (docs/decisions/sql-without-a-query-builder.md). */
export interface Statement<Row extends QueryResultRow> {
    readonly name: string;
    readonly text: string;
    /** reads a few rows by key, waits for no lock and is fast */
    readonly quick: boolean;
    /** never set: it only carries the type of a row */
    readonly row?: Row;
}

export function statement<Row extends QueryResultRow>(text: string, quick = false): Statement<Row> {
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    return { name, text, quick };
}

/** A statement that reads a few rows by key, and so may share a connection with others of its kind (docs/decisions/pipelined-lookups.md). */
export const lookup = <Row extends QueryResultRow>(text: string): Statement<Row> => statement(text, true);

/** pg's client, with its socket. */
type PooledClient = Client & { connection: Connection };

/**
 * Runs a statement on a connection of the pool, or on the transaction's own.
 *
 * A lookup gives its connection back as soon as it is sent, so that the next one follows in the same pipeline. All other statements keep
 * theirs until they are answered, because they may wait for a lock or take long; after a deadlock or serialization failure they are tried again.
 * @throws what pg throws; errors/database.ts says what the client is told
 */
export function run<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row[]> {
    // A statement of a transaction can only be tried again with all of it, and a lookup never deadlocks.
    return db.isTransaction || sql.quick ? send(db, sql, values) : retried(() => send(db, sql, values));
}

async function send<Row extends QueryResultRow>(db: Database, { name, text, quick }: Statement<Row>, values: unknown[]): Promise<Row[]> {
    const client: PooledClient = await db.client.acquireConnection();
    if (quick) {
        sendTogether(client);
    }

    const answer = client.query<Row>({ name, text, values });
    if (!quick) {
        // An error is thrown where the result is awaited, below.
        await answer.catch(() => undefined);
    }

    db.client.releaseConnection(client);
    const { rows } = await answer;
    return rows;
}

/** Collects what a connection sends in this turn of the event loop, and sends it in one system call. */
function sendTogether({ connection: { stream } }: PooledClient): void {
    if (stream.writableCorked === 0) {
        stream.cork();
        setImmediate(() => stream.uncork());
    }
}

/** Like `run`, for a statement that always returns one row. */
export async function runAlways<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row> {
    const row = await runOne(db, sql, values);
    if (row === undefined) {
        throw new Error('A statement that should always return a row returned none');
    }

    return row;
}

/** Like `run`, for a statement that returns at most one row. */
export async function runOne<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row | undefined> {
    const rows = await run(db, sql, values);
    return rows[0];
}
