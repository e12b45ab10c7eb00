import type { IncomingMessage } from 'node:http';

import type { Server } from '@hapi/hapi';

import { MAX_BODY_BYTES } from '../read-body';
import { isDecodable } from '../path';

/** How many times as long a body can be once it is inflated. */
const INFLATED = 1032;

/** Bytes of a body from which on it matters where it is sent to. */
const SMALL = 64 * 1024;

/** Methods of requests whose bodies are read. */
const methods = ['post', 'put', 'patch', 'delete'] as const;

/** The most bytes that will be kept of a request's body: what is more than its route takes is thrown away as it comes. */
export function bytesKept(server: Server, { method, url, headers }: IncomingMessage): number {
    const length = headers['content-length'] ?? headers['transfer-encoding'];
    if (length === undefined) {
        return 0;
    }

    // Of one in chunks, nothing is known.
    const announced = Number(length) * (headers['content-encoding'] === undefined ? 1 : INFLATED);
    const bytes = announced <= MAX_BODY_BYTES ? announced : MAX_BODY_BYTES;
    return bytes <= SMALL ? bytes : Math.min(bytes, bytesTaken(server, String(method), String(url)));
}

/** What the route of a path takes; nothing where there is none. */
function bytesTaken(server: Server, method: string, url: string): number {
    // As hapi reads it: a whole URL is allowed, and so is a slash at the end.
    const path = URL.canParse(url, 'http://x') ? new URL(url, 'http://x').pathname.replace(/(.)\/$/, '$1') : '';
    const known = methods.find((name) => name.toUpperCase() === method);
    if (known === undefined || !path.startsWith('/') || !isDecodable(path)) {
        return 0;
    }

    // There is a route for every path.
    return Number(server.match(known, path)?.settings.payload?.maxBytes);
}
