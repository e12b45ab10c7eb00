import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { clientAddress, originOf } from '../request/client-address';
import type { ClientLimits } from '../request/client-limits';
import { shares } from './shares';

/** If thousands of connections end at once, Node.js handles all of them before anything else: 2,500 take 0.1 s. */
const parts = { user: 1, address: 1 / 4, network: 1 / 2 };

/**
 * The HTTP server that hapi listens with: Node's own, which does not wait for slow clients for ever, and closes connections
 * beyond the limit, of which one address has a share. Behind trusted proxies all connections are the proxies', so there only
 * the total counts.
 */
export function httpListener({ headers, request, stalled, idle, checkEvery, connections }: ClientLimits, trustedProxies: number): Server {
    const listener = createServer({ headersTimeout: headers, requestTimeout: request, keepAliveTimeout: idle, connectionsCheckingInterval: checkEvery });
    listener.timeout = stalled;
    listener.maxConnections = connections;
    queueConnections(listener);
    if (trustedProxies > 0) {
        return listener;
    }

    const open = shares(connections, parts);
    listener.on('connection', (socket) => {
        const caller = { user: undefined, ...originOf(clientAddress({ headers: {}, socket }, 0)) };
        if (open.exceeded(caller, 1) === 'caller') {
            socket.destroy();
            return;
        }

        open.add(caller, 1);
        socket.once('close', () => open.remove(caller, 1));
    });
    return listener;
}

/** Connections that may wait to be accepted, if the kernel allows as many (net.core.somaxconn). */
const MAX_BACKLOG = 4096;

/**
 * Lets more connections wait than Node.js does, 511, which hapi cannot be told. What finds the queue full is tried again by its client after one second.
 */
function queueConnections(listener: Server): void {
    const { listen: listenWith } = listener;
    const listen = (port: number | string, host: string | (() => void), ready?: () => void): Server => {
        const at = typeof port === 'string' ? { path: port } : { port, host: typeof host === 'string' ? host : undefined };
        return Reflect.apply(listenWith, listener, [{ ...at, backlog: MAX_BACKLOG }, typeof host === 'string' ? ready : host]);
    };

    Object.defineProperty(listener, 'listen', { value: listen });
}

/** Requests of one connection that may wait behind the one that is being answered. Browsers and proxies send none. */
const MAX_WAITING = 32;

/**
 * Limits the requests that a client sends without waiting for responses (RFC 9112 section 9.3.2). Node.js hands over all that it reads
 * from a connection at once, which can be a thousand in 64 KiB, and also sends their responses one after the other without a pause.
 * @returns a function that says for a request whether to drop it, because its connection has been closed for this
 */
export function pipelineLimit(): (request: IncomingMessage, response: ServerResponse) => boolean {
    const waiting = new WeakMap<Socket, Set<ServerResponse>>();

    return ({ socket }, response) => {
        // The response to a request that waits for others has no socket yet.
        if (response.socket !== null) {
            return false;
        }

        const responses = waiting.get(socket) ?? new Set();
        waiting.set(socket, responses.add(response));
        response.once('close', () => responses.delete(response));
        if (responses.size > MAX_WAITING) {
            socket.destroy();
        }

        return socket.destroyed;
    };
}
