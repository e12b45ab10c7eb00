import knex from 'knex';
import type { Knex } from 'knex';
import type { Client, Connection, QueryConfig } from 'pg';

import { failConnectionOnly } from './reader-errors';

/** What every query function takes first: the pool, or a transaction that its caller opened. */
export type Database = Knex | Knex.Transaction;

export interface DatabaseOptions {
    /** postgres:// URL */
    url: string;
    /** most connections at a time */
    pool: number;
    /** connections that are kept once they have been opened, however long nothing is asked; 0 if left out */
    keep?: number;
    /** `application_name` in `pg_stat_activity`, unless the URL gives one: that of a running instance if left out */
    name?: string;
    /** milliseconds that connecting, waiting for a connection, and a query may each take; without it, all but queries have a limit */
    timeout?: number;
    /**
     * milliseconds that PostgreSQL is to let a statement take, or a transaction that nothing is sent in, and a third of it a
     * wait for a lock; a connection that does not tell even that in time is given up
     */
    statementTimeout?: number;
}

/** Milliseconds that connecting, and waiting for a connection, may take. */
const PATIENCE = 10_000;

/** Milliseconds that PostgreSQL has to tell that a statement took too long. */
const GRACE = 5000;

/** What the connections of a running instance are called in `pg_stat_activity`; a trace may follow after a blank. */
export const INSTANCE = 'pagewright';

/** What those of the operators' commands are called. */
export const ADMIN = 'pagewright-admin';

/** A Knex over its own pool. Nothing is connected until the first query; `destroy()` closes it. */
export function openDatabase({ url, pool, keep = 0, name = INSTANCE, timeout, statementTimeout }: DatabaseOptions): Knex {
    // `pipeline` is pg's, and not among the settings that Knex knows.
    const connection = {
        connectionString: url,
        application_name: name,
        keepAlive: true,
        pipeline: true,
        connectionTimeoutMillis: timeout ?? PATIENCE,
        query_timeout: timeout ?? (statementTimeout === undefined ? undefined : statementTimeout + GRACE)
    };
    const settings = ['plan_cache_mode = force_generic_plan', ...limits(statementTimeout)].map((setting) => `set ${setting}`).join('; ');
    return knex({
        client: 'pg',
        connection,
        pool: {
            min: keep,
            max: pool,
            afterCreate: (client: Client & { connection: Connection }, done: (error: Error | null, client: Client) => void) => {
                failConnectionOnly(client);
                void prepareClient(client, settings).then(() => done(null, client), (error: Error) => done(error, client));
            }
        },
        acquireConnectionTimeout: timeout ?? PATIENCE,
        log: silent
    });
}

const limits = (most?: number): string[] => (most === undefined ? [] : [
    `statement_timeout = ${most}`,
    `lock_timeout = ${Math.ceil(most / 3)}`,
    // Whoever froze in the midst of a transaction holds its locks.
    `idle_in_transaction_session_timeout = ${most}`
]);

/** What Knex would print past the log, stack and all, is thrown as well, and told by whoever catches it. */
const silent = { warn: () => undefined };

/**
 * A connection of its own plans each statement once, for all values: the schema has one good plan for each, and
 * planning anew costs more than running.
 *
 * Behind a pooler in transaction mode, named statements and settings would belong to one server connection, which
 * changes between two transactions: there, statements go without names. A pooler shows by the process id it greets
 * with, which is not that of the server behind it.
 */
async function prepareClient(client: Client & { processID?: number | null }, settings: string): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    if (rows[0]?.pid === client.processID) {
        await client.query(settings);
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
