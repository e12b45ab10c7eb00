import knex from 'knex';
import type { Knex } from 'knex';
import type { Client, QueryConfig } from 'pg';

/** What every query function takes first: the pool, or a transaction that its caller opened. */
export type Database = Knex | Knex.Transaction;

export interface DatabaseOptions {
    /** postgres:// URL */
    url: string;
    /** most connections at a time */
    pool: number;
}

/** A Knex over its own pool. Nothing is connected until the first query; `destroy()` closes it. */
export function openDatabase({ url, pool }: DatabaseOptions): Knex {
    return knex({
        client: 'pg',
        connection: { connectionString: url, application_name: 'pagewright', keepAlive: true },
        pool: {
            min: 0,
            max: pool,
            afterCreate: (client: Client, done: (error: Error | null, client: Client) => void) => {
                void withoutNamesBehindPooler(client).then(() => done(null, client), (error: Error) => done(error, client));
            }
        },
        acquireConnectionTimeout: 10_000
    });
}

/**
 * Named statements belong to one server connection, and a pooler in transaction mode changes that between two
 * transactions. A pooler shows by the process id it greets with, which is not that of the server behind it.
 */
async function withoutNamesBehindPooler(client: Client & { processID?: number | null }): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    if (rows[0]?.pid === client.processID) {
        return;
    }

    const query = client.query.bind(client);
    Object.assign(client, {
        query: (config: string | QueryConfig, ...rest: never[]) => {
            return query(typeof config === 'string' ? config : unnamed(config), ...rest);
        }
    });
}

function unnamed(config: QueryConfig): QueryConfig {
    if ('submit' in config) {
        return config;
    }

    const { name: _name, ...rest } = config;
    return rest;
}
