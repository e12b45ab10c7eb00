import { createServer } from 'node:http';
import type { Server } from 'node:http';

/** What clients may take of a process. Times in milliseconds. */
export interface Patience {
    /** for a request's headers to arrive, from its first byte, or from the connection's beginning */
    headers: number;
    /** for all of a request to arrive; of a body that is wanted, `payloadOptions` say it more strictly */
    request: number;
    /** Without a byte in either direction while there is a request: a client that does not take its answer. It may be twice as long until Node notices. */
    stalled: number;
    /** between two requests of a connection; longer than proxies keep theirs, or they would use one that is being closed */
    idle: number;
    /** between two looks at the first two */
    look: number;
    /** connections at a time; further ones are closed at once */
    connections: number;
}

export const patience: Patience = { headers: 20_000, request: 150_000, stalled: 60_000, idle: 75_000, look: 5000, connections: 10_000 };

/** What hapi listens with: Node's own server, which does not wait for slow clients for ever. */
export function httpListener({ headers, request, stalled, idle, look, connections }: Patience): Server {
    const listener = createServer({ headersTimeout: headers, requestTimeout: request, keepAliveTimeout: idle, connectionsCheckingInterval: look });
    listener.timeout = stalled;
    listener.maxConnections = connections;
    return listener;
}
