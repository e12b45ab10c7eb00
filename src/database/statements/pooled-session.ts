import type { Client, Connection, QueryConfig } from 'pg';

import { errorCode } from '../error-code';

/** SQLSTATEs of a table, function, type or schema that is not found. */
const notFound = new Set<string | undefined>(['42P01', '42883', '42704', '3F000']);

const changed = new WeakSet<object>();

/**
 * Whether a statement did not find a table or the like through a pooler, whose session somebody else may have changed. Nothing of the
 * statement or of its transaction was done, and the session gets its own settings back, so it can be tried again.
 */
export const mayBeChangedSession = (error: unknown): boolean => typeof error === 'object' && error !== null && changed.has(error);

/** Gives a session its own settings back. It has a row if the list of schemas, without which no table is found, was another one. */
const reset = `select from pg_catalog.pg_settings where name = 'search_path' and setting <> reset_val; reset all`;

/** The server's message at the end of each statement or transaction. */
interface Ready {
    /** I: no transaction is open */
    status: string;
}

/**
 * Makes a connection fit for a pooler in transaction mode. Statements are sent without names, which a session of the server may not have.
 *
 * A session may also have settings of another client of the pooler: `pg_dump` empties `search_path`, and then no table is found. That
 * is noticed by the error. PgBouncer gives the session that was used last to the next statement, so `reset all` gets there, or to another
 * session, and then the next error leads there again.
 * @param log called with a message for the operator when a session had been changed
 */
export function throughPooler(client: Client & { connection: Connection }, log: (message: string) => void): void {
    const query = client.query.bind(client);
    Object.assign(client, {
        query: (config: string | QueryConfig, ...rest: never[]) => {
            return query(typeof config === 'string' ? config : unnamed(config), ...rest);
        }
    });

    let isLost = false;
    client.connection.on('errorMessage', (error: Error) => {
        if (notFound.has(errorCode(error))) {
            changed.add(error);
            isLost = true;
        }
    });
    client.connection.on('readyForQuery', ({ status }: Ready) => {
        if (isLost && status === 'I') {
            isLost = false;
            query(reset).then((results) => {
                if ([results].flat()[0]?.rowCount === 1) {
                    log('a session of PostgreSQL had another search_path than its own, and was reset. Something changes sessions through the pooler, as pg_dump does: it needs PostgreSQL itself (docs/deploy.md#pgbouncer)');
                }
            }, Boolean);
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
