import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait behind the one that is being answered. Browsers and proxies send none. */
const MOST = 32;

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
        if (responses.size > MOST) {
            socket.destroy();
        }

        return socket.destroyed;
    };
}
