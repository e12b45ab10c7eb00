import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { fault } from '../../api/errors/errors';
import type { Config } from '../../config';
import { listening } from './ports';

/** Answers for the service until it can. */
export interface WaitingServer {
    /** Says what the service waits for, in words that show nothing private. */
    setCause(cause: string): void;
    /** Makes room for the service. */
    close(): Promise<void>;
}

/** Listens where the service will: /health is 200, and all else 503 with the cause, so that nobody takes a service that waits for a dead one. */
export async function waitingServer({ host, port }: Pick<Config, 'host' | 'port'>): Promise<WaitingServer> {
    let message = 'The service is starting.';
    const server = createServer((request, response) => {
        const id = randomUUID();
        const isAlive = request.url === '/health';
        const { output } = fault('service_unavailable', message);
        response.writeHead(isAlive ? 200 : 503, {
            'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache', 'access-control-allow-origin': '*', 'x-request-id': id, connection: 'close', ...isAlive ? {} : { 'retry-after': '5' }
        });
        response.end(JSON.stringify(isAlive ? { status: 'success' } : { ...output.payload, message, code: 'service_unavailable', request_id: id }));
    });
    await listening({ variable: 'PORT', host, port }, () => new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => resolve());
    }));
    return {
        setCause: (cause) => {
            message = `The service is starting, and waits. ${cause}`;
        },
        close: () => new Promise((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
        })
    };
}
