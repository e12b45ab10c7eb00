import type { IncomingMessage, ServerResponse } from 'node:http';

import type * as Boom from '@hapi/boom';

import { fault } from '../../errors/errors';
import { requestIdOf } from '../request-id';

const MESSAGE = 'There is more to do than can be done soon, so nothing was done. Send the request again in a moment.';

/** Seconds after which a refused client should try again, at most: chosen at random where many are refused at once, or all would be back at once. */
const RETRY = 3;

/** The error 503 `overloaded`. @param retryAfter seconds */
export const overloadedError = (retryAfter = RETRY): Boom.Boom => fault(503, 'overloaded', MESSAGE, { retryAfter });

/**
 * Sends that error without hapi, with the headers that hapi would send.
 * @param exposed the value of `Access-Control-Expose-Headers` for the request's path
 */
export function sendOverloaded({ headers }: IncomingMessage, response: ServerResponse, exposed: string): void {
    const id = requestIdOf(headers);
    const body = JSON.stringify({ statusCode: 503, error: 'Service Unavailable', message: MESSAGE, code: 'overloaded', request_id: id });
    response.writeHead(503, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-cache',
        'retry-after': String(1 + Math.floor(Math.random() * RETRY)),
        'x-content-type-options': 'nosniff',
        'x-request-id': id,
        'vary': 'origin',
        ...headers.origin !== undefined && { 'access-control-allow-origin': headers.origin },
        'access-control-expose-headers': exposed
    });
    response.end(body);
}
