import { Readable } from 'node:stream';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { EVENT_STREAM } from '../../api/description/operation';
import { overloadedError } from '../../api/protection/refusals';
import { clientAddress, originOf } from '../../api/request/client-address';
import type { EventStream } from '../../api/request/event-stream';
import type { Config } from '../../config';

/**
 * Responds with a stream of events. It counts neither as a request in progress nor as a slow client.
 * @param open makes the stream and gives it a place, as one of this caller; undefined if there is none
 * @throws 503 if there is no place
 */
export function sendStream<Refs extends ReqRef>(
    request: Pick<Request, 'active' | 'method' | 'raw' | 'server'>, h: ResponseToolkit<Refs>,
    { trustedProxies }: Pick<Config, 'trustedProxies'>, open: (caller: string) => EventStream | undefined
): ResponseObject {
    const respond = (body: Readable): ResponseObject => h.response(body).type(EVENT_STREAM)
        // Its connection is not used again, so that none is open when the server stops.
        .header('cache-control', 'no-store').header('x-accel-buffering', 'no').header('connection', 'close');
    // For a client that has already disconnected there will be no event.
    if (request.method === 'head' || !request.active()) {
        return respond(Readable.from([], { objectMode: false }));
    }

    const { address, network = address } = originOf(clientAddress(request.raw.req, trustedProxies));
    const stream = open(network);
    if (stream === undefined) {
        throw overloadedError();
    }

    const leave = (): unknown => stream.destroy();
    request.raw.res.once('close', leave);
    // If the response waits for an earlier one on the same connection, only the request emits 'close'.
    request.raw.req.once('aborted', leave);
    request.server.plugins.overload.requests.release(request.raw.res);
    return respond(stream);
}
