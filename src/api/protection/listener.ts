import { createServer } from 'node:http';
import type { Server } from 'node:http';

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
