import type { Client, Connection } from 'pg';

/**
 * Makes an error that pg throws while it reads from PostgreSQL fail that connection and the queries on it, instead of the process.
 *
 * pg reads in a listener for its socket's `data`, without a `try`: what the reader throws (a text longer than Node's longest
 * string, a message that is cut short) is caught by nobody, and Node takes it for an uncaught exception. Destroying the
 * socket with the error is what pg and Knex expect of a connection that broke: pg rejects every query on it, and the pool drops it.
 *
 * This depends on how pg 8.23 is built; test/db/reader-errors.test.ts fails where that changes. docs/decisions/errors-that-end-the-process.md
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
