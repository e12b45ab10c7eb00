import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

import type { Client } from 'pg';

/** Fields of pg's client that its types leave out. */
export type KnownClient = Client & { processID?: number | null; secretKey?: number | null; ssl?: boolean | ConnectionOptions };

/** Milliseconds that a server may take to accept a request to cancel. */
const PATIENCE = 5000;

const CANCEL = (1234 << 16) | 5678;

/** Asks for TLS; the server answers with one letter (PostgreSQL's documentation, "SSL Session Encryption"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]);
const YES = 'S';

/** A connection with TLS, as pg makes it. The settings' key is not among what a copy of them has. */
function secured(socket: Socket, host: string, ssl: true | ConnectionOptions): Socket {
    return connectSecurely({ socket, host, ...isIP(host) === 0 && { servername: host }, ...ssl !== true && { ...ssl, key: ssl.key } });
}

/**
 * Asks the server to end the statement that a connection is running, by a connection of its own (PostgreSQL's documentation, "Canceling
 * Requests in Progress"), with TLS if the first one has it. A pooler passes it on to the server that runs the statement.
 * @returns when the server has done so, or cannot; until then, nothing else may be sent on the connection
 */
export function cancelStatement({ host, port, processID, secretKey, ssl = false }: KnownClient): Promise<void> {
    const request = Buffer.alloc(16);
    [16, CANCEL, Number(processID), Number(secretKey)].forEach((number, at) => request.writeInt32BE(number, 4 * at));
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    return new Promise((resolve) => {
        const end = (): void => {
            socket.destroy();
            resolve();
        };

        // The server closes the connection, also for our side. PgBouncer 1.18 exits ("bad client state") if the client closes its side before that.
        const send = (by: Socket): void => {
            by.on('error', end).on('close', end).resume().write(request);
        };

        socket.setTimeout(PATIENCE, end).on('error', end).on('close', end);
        if (ssl === false) {
            send(socket);
            return;
        }

        socket.once('data', (answer) => (answer.toString() === YES ? send(secured(socket, host, ssl)) : end())).write(SSL_REQUEST);
    });
}
