import knex from 'knex';
import type { Knex } from 'knex';
import type { Client, Connection } from 'pg';

import { refuseWorkers, runInShards } from '../citus/client';
import { onCluster } from '../citus/cluster';
import { throughPooler } from './pooled-session';
import { failConnectionOnly } from './reader-errors';

/** The first parameter of every query function: the pool, or a transaction that the caller opened. */
export type Database = Knex | Knex.Transaction;

export interface DatabaseOptions {
    /** postgres:// URL */
    url: string;
    /** maximum connections */
    pool: number;
    /** connections that stay open when idle, once they have been opened; 0 if left out */
    keep?: number;
    /** `application_name` in `pg_stat_activity`, unless the URL has one; that of a running instance if left out */
    name?: string;
    /** time limit in milliseconds of connecting, of waiting for a connection, and of a query, each; without it, queries have no limit */
    timeout?: number;
    /**
     * PostgreSQL's time limit in milliseconds for a statement, and for an idle transaction; a third of it for a wait for a lock.
     * A connection that does not report the timeout in time is closed
     */
    statementTimeout?: number;
    /** whether a standby is accepted, which only reads; otherwise connecting to one fails with SQLSTATE 57P03, until it has become the primary */
    standby?: boolean;
    /** called with messages for the operator */
    log?: (message: string) => void;
}

/** Time limit in milliseconds of connecting, and of waiting for a connection. */
const PATIENCE = 10_000;

/** Milliseconds after the time limit in which PostgreSQL must report the timeout. */
const GRACE = 5000;

/** The name of a running instance's connections in `pg_stat_activity`; a trace id may follow after a blank. */
export const INSTANCE = 'pagewright';

/** The name of the connections of operators' commands. */
export const ADMIN = 'pagewright-admin';

/** A Knex over its own pool. Nothing is connected until the first query; `destroy()` closes it. */
export function openDatabase({ url, pool, keep = 0, name = INSTANCE, timeout, statementTimeout, standby = false, log = () => undefined }: DatabaseOptions): Knex {
    // `pipeline` is a setting of pg that Knex's types do not have.
    const connection = {
        connectionString: url,
        application_name: name,
        keepAlive: true,
        pipeline: true,
        connectionTimeoutMillis: timeout ?? PATIENCE,
        query_timeout: timeout ?? (statementTimeout === undefined ? undefined : statementTimeout + GRACE)
    };
    const settings = [...['plan_cache_mode = force_generic_plan', ...limits(statementTimeout)].map((setting) => `set ${setting}`), ...standby ? [] : [refuseStandby]].join('; ');
    return knex({
        client: 'pg',
        connection,
        pool: {
            min: keep,
            max: pool,
            afterCreate: (client: PgClient, done: (error: Error | null, client: Client) => void) => {
                failConnectionOnly(client);
                void prepareClient(client, settings, log).then(() => done(null, client), (error: Error) => done(error, client));
            }
        },
        acquireConnectionTimeout: timeout ?? PATIENCE,
        log: silent
    });
}

/** After a failover, what leads to the primary may lead to a standby for some seconds. Its rows may be old, and it rejects writes. */
const refuseStandby = `do $$ begin
    if pg_is_in_recovery() then
        raise exception using errcode = 'cannot_connect_now', message = 'This server is a standby, which accepts no writes';
    end if;
end $$`;

const limits = (most?: number): string[] => (most === undefined ? [] : [
    `statement_timeout = ${most}`,
    `lock_timeout = ${Math.ceil(most / 3)}`,
    // A client that hangs in a transaction would hold its locks.
    `idle_in_transaction_session_timeout = ${most}`
]);

/** Knex prints errors to the console. They are also thrown, and logged where they are caught, so nothing is printed here. */
const silent = { warn: () => undefined };

/** With one plan for all values, the coordinator could not tell before it runs a statement which node has the project. More than one connection to a node would be closed after each list, and a new one knows nothing yet: that costs more than waiting. */
const onShards = 'set plan_cache_mode = force_custom_plan; set citus.max_adaptive_executor_pool_size = 1';

/** pg's client, with its connection, and the process id in the greeting. */
type PgClient = Client & { connection: Connection; processID?: number | null };

interface Server {
    pid: number;
    /** whether the database is one of the nodes of a cluster of Citus */
    cluster: boolean;
    /** whether it was distributed there */
    distributed: boolean;
}

/** Whether there is no pooler in between: its greeting has a process id of its own. @param pid what the server says */
export const isDirect = ({ processID }: { processID?: number | null }, pid: number | undefined): boolean => pid === processID;

/**
 * A direct connection prepares each statement once, with one plan for all values: each statement has one good plan, and planning
 * it again costs more than running it.
 *
 * Behind a pooler in transaction mode, prepared statements and settings would belong to one server connection, which changes
 * between transactions, so statements are sent without names there (`throughPooler`).
 */
async function prepareClient(client: PgClient, settings: string, log: (message: string) => void): Promise<void> {
    const { rows: [server] } = await client.query<Server>(`select pg_backend_pid() as pid, ${onCluster}`);
    if (server?.cluster) {
        await refuseWorkers(client);
    }

    if (isDirect(client, server?.pid)) {
        await client.query(server?.distributed ? `${settings}; ${onShards}` : settings);
    }
    else {
        throughPooler(client, log);
    }

    if (server?.distributed) {
        runInShards(client);
    }
}
