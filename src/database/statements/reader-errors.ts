import type { Client, Connection } from 'pg';

/**
 * Makes an error that pg throws while it reads from PostgreSQL fail that connection and the queries on it, instead of the process.
 *
 * pg reads in a `data` listener of its socket, without a `try`. So an error of the reader (a text longer than Node's longest
 * string, a truncated message) would be an uncaught exception. If the socket is destroyed with the error, pg rejects every query
 * on the connection, and Knex's pool drops it.
 *
 * This depends on internals of pg 8.23; test/database/statements/reader-errors.test.ts fails if they change. docs/decisions/errors-that-end-the-process.md
 */
export function failConnectionOnly(client: Client & { connection: Connection }): void {
    const { stream } = client.connection;
    const readers = stream.listeners('data');
    stream.removeAllListeners('data');
    stream.on('data', (data) => {
        try {
            readers.forEach((read) => void Reflect.apply(read, stream, [data]));
        }
        catch (error) {
            stream.destroy(new Error('What PostgreSQL sent cannot be read', { cause: error }));
        }
    });
}
