import { connect } from 'node:net';

import type { Client } from 'pg';

/** Fields of pg's client that its types leave out. */
export type KnownClient = Client & { processID?: number | null; secretKey?: number | null };

/** Milliseconds that a server may take to accept a request to cancel. */
const PATIENCE = 5000;

const CANCEL = (1234 << 16) | 5678;

/**
 * Asks the server to end the statement that a connection is running, by a connection of its own (PostgreSQL's documentation, "Canceling
 * Requests in Progress"). A pooler passes it on to the server that runs the statement. It is sent without TLS, as libpq does.
 * @returns when the server has done so, or cannot; until then, nothing else may be sent on the connection
 */
export function cancelStatement({ host, port, processID, secretKey }: KnownClient): Promise<void> {
    const request = Buffer.alloc(16);
    [16, CANCEL, Number(processID), Number(secretKey)].forEach((number, at) => request.writeInt32BE(number, 4 * at));
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    return new Promise((resolve) => {
        socket.setTimeout(PATIENCE, () => socket.destroy()).on('error', () => undefined).on('close', () => resolve()).resume();
        // The server closes the connection, also for our side. PgBouncer 1.18 exits ("bad client state") if the client closes its side before that.
        socket.write(request);
    });
}
