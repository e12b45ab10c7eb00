import type { Request } from '@hapi/hapi';

import { parseLike } from '../../database/samples';
import { fault } from '../../api/errors/errors';
import { signalOf } from '../../api/request/client-gone';
import { MAX_TOOL_BYTES, MAX_TOOL_READ } from '../../limits';

/** Calls a route of this service. @returns the body of its response @throws RouteError if that is an error, 503 if it ended in its middle */
export type CallRoute = (method: 'GET' | 'POST', url: string, body?: object) => Promise<Buffer>;

/** The error response of a route. */
export class RouteError extends Error {
    constructor(body: Buffer) {
        super(shortened(body));
        this.name = 'RouteError';
    }
}

/** The body of an error. Of one with a large thing in it, such as the newer state in a conflict, the message alone. */
function shortened(body: Buffer): string {
    const text = body.toString();
    if (body.length <= MAX_TOOL_BYTES) {
        return text;
    }

    const { message, code, action } = parseLike<Readonly<Record<string, unknown>>>(text, {});
    return JSON.stringify({ message, code, action });
}

/** Headers of a message that its calls have too. */
const passed = ['authorization', 'host', 'traceparent', 'x-forwarded-for', 'x-forwarded-proto'] as const;

/**
 * Calls routes with the token of a request, from its address and under its id, so that each does, refuses, counts and logs what it would for its caller.
 * It ends when the client leaves.
 */
export function routesFor(request: Pick<Request, 'active' | 'app' | 'headers' | 'info' | 'raw' | 'server'>): CallRoute {
    const { headers, info, raw, server } = request;
    const clientGone = signalOf(request);
    const given = Object.fromEntries(passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])));
    return async (method, url, payload) => {
        clientGone.throwIfAborted();
        const { statusCode, rawPayload } = await server.inject({
            method, url, payload, remoteAddress: String(raw.req.socket.remoteAddress),
            headers: { ...given, 'x-request-id': info.id },
            app: { clientGone, mostRead: MAX_TOOL_READ }
        }).catch(() => {
            // A body ended in its middle: what it is about has changed, or the cause has been logged.
            clientGone.throwIfAborted();
            throw fault('try_again');
        });
        if (statusCode >= 400) {
            throw new RouteError(rawPayload);
        }

        return rawPayload;
    };
}
