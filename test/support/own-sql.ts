import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import type { Client, QueryConfig } from 'pg';

import { inAllShards, writing } from '../../src/database/declaration';
import type { DeclaredQuery } from '../../src/database/declaration';
import { describe } from './describe';
import { sendWatched } from './queries';

/** Whether Citus refuses a statement, because it is of several shards or of a table whose rows are of a project, or is several commands. */
const isRefused = (error: unknown): boolean => error instanceof DatabaseError && (error.code === '0A000' || /partition column|ephemeral|repartitioning|multiple commands/.test(error.message));

/** Lets a test's own SQL on a cluster run in all shards if the coordinator refuses it. */
export function runInAllShards(db: Knex): void {
    const { client } = db;
    const connect: () => Promise<Client> = client.acquireRawConnection.bind(client);
    client.acquireRawConnection = async () => {
        const connection = await connect();
        const query = connection.query.bind(connection);
        Object.assign(connection, {
            query: (config: string | QueryConfig, ...rest: never[]) => {
                const [callback]: unknown[] = rest;
                if (typeof config === 'string' || typeof callback !== 'function') {
                    return query(config, ...rest);
                }

                const answered = (error: unknown, result?: unknown): void => void Reflect.apply(callback, undefined, [error, result]);
                anywhere(connection, query, config).then((result) => answered(null, result), answered);
                return undefined;
            }
        });
        return connection;
    };

    // By then, the statements of the service are sent into shards.
    client.pool.on('createSuccess', (_id: number, connection: Client) => {
        const query = connection.query.bind(connection);
        Object.assign(connection, { query: (config: QueryConfig, ...rest: never[]) => sendWatched(config, () => query(config, ...rest)) });
    });
}

/** The commands of a text, one by one: what is in quotes is part of one. */
const commandsOf = (sql: string): string[] => (sql.match(/(?:\$(\w*)\$[^]*?\$\1\$|'[^']*'|[^;])+/g) ?? []).filter((command) => command.trim() !== '');

async function anywhere(connection: Client, query: Client['query'], config: QueryConfig): Promise<object> {
    const isWithin = connection.getTransactionStatus() === 'T' && /^\s*(?:select|insert|update|delete|with)\b/i.test(config.text);
    await (isWithin && query('savepoint own'));
    try {
        const result = await query(config);
        await (isWithin && query('release own'));
        return result;
    }
    catch (error) {
        if (!isRefused(error)) {
            throw error;
        }

        await (isWithin && query('rollback to own'));
        const commands = commandsOf(config.text);
        if (commands.length > 1) {
            const results = [];
            for (const text of commands) {
                results.push(await anywhere(connection, query, { text }));
            }

            return results.at(-1) ?? {};
        }

        // Such an error may end that Citus delegates what this connection asks of a shard, so the service must not get it.
        Object.assign(connection, { __knex__disposed: error });
        // As the service sends its own statements.
        const { parameters, columns } = await describe(connection, config.text);
        const place = /\b(?:insert|update|delete|for share)\b/i.test(config.text) ? writing(inAllShards()) : inAllShards();
        const own: DeclaredQuery = { name: `own ${config.text}`.slice(0, 60), text: config.text, values: config.values ?? [], declared: { parameters, columns: Object.fromEntries(columns.map(({ name, type }) => [name, { type: `${type}?`, samples: [] }])), place } };
        const { rows } = await connection.query(own);
        return { rows, rowCount: rows.length, command: 'SELECT', fields: [] };
    }
}
