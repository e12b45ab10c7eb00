import { createHash } from 'node:crypto';

import type { Client, QueryResultRow } from 'pg';

import type { Database } from './connection';

/** SQL whose text is made once, when its module is loaded, and which each connection prepares once. */
export interface Statement<Row extends QueryResultRow> {
    readonly name: string;
    readonly text: string;
    /** never set; carries the row's type */
    readonly row?: Row;
}

export function statement<Row extends QueryResultRow>(text: string): Statement<Row> {
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    return { name, text };
}

/**
 * Runs a statement on a connection of the pool, or on the transaction's own, past Knex's query builder: that
 * would compile and copy what is fixed here, for about 40 µs a query.
 */
export async function run<Row extends QueryResultRow>(db: Database, { name, text }: Statement<Row>, values: unknown[]): Promise<Row[]> {
    const connection: Client = await db.client.acquireConnection();
    try {
        const { rows } = await connection.query<Row>({ name, text, values });
        return rows;
    }
    finally {
        db.client.releaseConnection(connection);
    }
}

/** As `run`, for a statement that answers at most one row. */
export async function runOne<Row extends QueryResultRow>(db: Database, sql: Statement<Row>, values: unknown[]): Promise<Row | undefined> {
    const rows = await run(db, sql, values);
    return rows[0];
}
