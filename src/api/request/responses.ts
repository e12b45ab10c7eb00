import type { Readable } from 'node:stream';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

/** The `status` of a body. */
export type Status = 'success' | 'created' | 'updated' | 'deleted' | 'remixed' | 'restored' | 'undone' | 'pulled';

/** Responds with JSON text as PostgreSQL made it, without parsing it. */
export function reply<Refs extends ReqRef>(h: ResponseToolkit<Refs>, json: string | Buffer | Readable): ResponseObject {
    return h.response(json).type('application/json; charset=utf-8');
}

/** Responds with a status and one thing, such as a project. */
export function thing<Refs extends ReqRef>(h: ResponseToolkit<Refs>, status: Status, name: string, json: string): ResponseObject {
    return reply(h, `{"status":"${status}","${name}":${json}}`);
}

/** As `thing`, for what was just made: 201, with its address (RFC 9110 section 10.2.2). */
export function created<Refs extends ReqRef>(h: ResponseToolkit<Refs>, status: Status, name: string, json: string, location: string): ResponseObject {
    return thing(h, status, name, json).code(201).location(location);
}

/** Bytes from which on a response counts against the share of its caller. A smaller one fits into what the operating system holds for a connection. */
export const SMALLEST_COUNTED = 16 * 1024;

/** The HTTP status of a response, also of an error. hapi has a symbol for one that `send-again` sent. */
export const statusOf = (response: Request['response'] | symbol): number => (typeof response === 'symbol' ? 200 : 'isBoom' in response ? response.output.statusCode : response.statusCode);

/** The headers of a response, also of an error. */
export const headersOf = (response: Request['response']): Record<string, unknown> => ('isBoom' in response ? response.output.headers : response.headers);

/** Stage: tells browsers not to guess another content type. */
export function forbidSniffing({ raw: { res } }: Request): void {
    res.setHeader('x-content-type-options', 'nosniff');
}
