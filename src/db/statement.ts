import { createHash } from 'node:crypto';

import type { Client, Connection, QueryResultRow } from 'pg';

import type { Database } from './connection';
import { retried } from './retry';

/** SQL whose text is made once, when its module is loaded, and which each connection prepares once. */
export interface Statement<Row extends QueryResultRow> {
    readonly name: string;
    readonly text: string;
    /** reads a few rows by key: it neither waits for a lock nor takes long */
    readonly quick: boolean;
    /** never set; carries the row's type */
    readonly row?: Row;
}

export function statement<Row extends QueryResultRow>(text: string, quick = false): Statement<Row> {
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    return { name, text, quick };
}

/** A statement that reads a few rows by key, and so may share a connection with others of its kind. */
export const lookup = <Row extends QueryResultRow>(text: string): Statement<Row> => statement(text, true);

/** pg's client, with the socket it talks through. */
type PooledClient = Client & { connection: Connection };

/**
 * Runs a statement on a connection of the pool, or on the transaction's own, past Knex's query builder: that
 * would compile and copy what is fixed here, for about 40 µs a query.
 *
 * A lookup gives its connection back as soon as it is on its way, so that the next one follows in the same pipeline:
 * at 64 clients, a third of the time a request takes. All others keep theirs, as they may wait for a lock, or take long;
 * where another transaction was in the way of one, it is done again.
 */
export function run<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row[]> {
    // What is part of a transaction has to be done again with all of it, and a lookup is in nobody's way.
    return db.isTransaction || sql.quick ? send(db, sql, values) : retried(() => send(db, sql, values));
}

async function send<Row extends QueryResultRow>(db: Database, { name, text, quick }: Statement<Row>, values: unknown[]): Promise<Row[]> {
    const client: PooledClient = await db.client.acquireConnection();
    if (quick) {
        sendTogether(client);
    }

    const answer = client.query<Row>({ name, text, values });
    if (!quick) {
        // Whether it failed is for whoever awaits the answer below.
        await answer.catch(() => undefined);
    }

    db.client.releaseConnection(client);
    const { rows } = await answer;
    return rows;
}

/** Holds back what a connection is to send until the event loop's turn ends: one system call for all of it. */
function sendTogether({ connection: { stream } }: PooledClient): void {
    if (stream.writableCorked === 0) {
        stream.cork();
        setImmediate(() => stream.uncork());
    }
}

/** As `run`, for a statement that always answers one row. */
export async function runAlways<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row> {
    const row = await runOne(db, sql, values);
    if (row === undefined) {
        throw new Error('A statement that always answers a row answered none');
    }

    return row;
}

/** As `run`, for a statement that answers at most one row. */
export async function runOne<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row | undefined> {
    const rows = await run(db, sql, values);
    return rows[0];
}
