import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import type { Client, QueryConfig } from 'pg';

/** Whether Citus refuses a statement, because it is of several shards or of a table whose rows are of a project. */
const isRefused = (error: unknown): boolean => error instanceof DatabaseError && (error.code === '0A000' || /partition column|ephemeral/.test(error.message));

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
                if (typeof config === 'string' || typeof callback !== 'function' || connection.getTransactionStatus() === 'T') {
                    return query(config, ...rest);
                }

                const answered = (error: unknown, result?: unknown): void => void Reflect.apply(callback, undefined, [error, result]);
                query(config).catch(async (error: unknown) => {
                    if (!isRefused(error)) {
                        throw error;
                    }

                    // As the service sends its own statements.
                    const { rows } = await connection.query({ name: `own ${config.text}`.slice(0, 60), text: `/* place: everywhere */ ${config.text}`, values: config.values ?? [] });
                    return { rows, rowCount: rows.length, command: 'SELECT', fields: [] };
                }).then((result) => answered(null, result), answered);
                return undefined;
            }
        });
        return connection;
    };
}
