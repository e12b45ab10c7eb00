import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';

import * as Boom from '@hapi/boom';
import type { Lifecycle, Plugin, Request, ResponseToolkit } from '@hapi/hapi';

import { fault } from '../errors/errors';
import { readJson } from '../json/parse';

/** Most bytes of a request body, also after decompression. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Most bytes where anybody may send it, without a token: nothing large is wanted there. */
export const smallBody = { maxBytes: 64 * 1024 };

/** Milliseconds a body may take to arrive: 10 MiB over a slow mobile line. hapi's own ten seconds cut such an editor off. */
const BODY_TIMEOUT = 120_000;

const encodings = new Set(['identity', 'gzip', 'deflate']);
const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json$/;

/** hapi reads and inflates the body, and leaves its bytes to us: its own parser lets broken UTF-8 pass. */
export const payloadOptions = {
    parse: 'gunzip',
    output: 'data',
    maxBytes: MAX_BODY_BYTES,
    timeout: BODY_TIMEOUT,
    // Kept for later, so that a token without the scope is told first.
    failAction: (request: Request, h: ResponseToolkit, error: Error | undefined): Lifecycle.ReturnValue => {
        request.app.bodyError = error;
        return h.continue;
    }
} as const;

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** what went wrong while the body was read */
        bodyError?: Error;
    }
}

/**
 * Stage: has a body without a `Content-Length` read through a stream of its own. hapi destroys the stream that it has read
 * too much of; if that were the connection itself, 413 could not be sent on it.
 */
export function readThroughStream({ headers }: Request): void {
    if (headers['transfer-encoding'] !== undefined) {
        headers['content-encoding'] ??= 'identity';
    }
}

/** Lets bodies without a length of their own through another stream: see `readThroughStream`. */
export const body: Plugin<void> = {
    name: 'body',
    register(server) {
        server.decoder('identity', () => new PassThrough());
    }
};

/**
 * Turns the body's bytes into the value they say: JSON by its type, in UTF-8, without text that PostgreSQL cannot keep.
 * No body is `{}`.
 */
export async function readBody(request: Request): Promise<void> {
    const { method, path } = request;
    if (request.headers['idempotency-key'] !== undefined) {
        const bytes = Buffer.isBuffer(request.payload) ? request.payload : '';
        request.app.fingerprint = createHash('sha256').update(`${method} ${path} `).update(bytes).digest('base64');
    }

    Object.assign(request, { payload: await valueOf(request) });
}

function valueOf(request: Request): unknown {
    const { bodyError } = request.app;
    const bytes = Buffer.isBuffer(request.payload) ? request.payload : Buffer.alloc(0);
    if (bodyError === undefined && bytes.length === 0) {
        return {};
    }

    const status = Boom.isBoom(bodyError) ? bodyError.output.statusCode : 0;
    if (status === 413) {
        const allowed = Number(request.route.settings.payload?.maxBytes) < MAX_BODY_BYTES ? '64 KiB' : '10 MiB';
        throw fault(413, 'payload_too_large', `The body is larger than the ${allowed} allowed here. Send it in parts.`);
    }

    if (status === 408) {
        throw fault(408, 'request_timeout', 'The body took too long to arrive.');
    }

    const encoding = String(request.headers['content-encoding'] ?? 'identity');
    if (!encodings.has(encoding)) {
        throw fault(415, 'unsupported_encoding', `The content encoding '${encoding}' is not known here. Send the body plain, or as gzip or deflate.`);
    }

    const [type, ...parameters] = String(request.headers['content-type']).toLowerCase().split(';').map((part) => part.trim());
    const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8).replace(/"/g, '');
    if (!jsonType.test(String(type)) || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
        throw fault(415, 'unsupported_media_type', 'The body has to be JSON in UTF-8: send it with "Content-Type: application/json".');
    }

    if (bodyError !== undefined) {
        throw fault(400, 'malformed_body', 'The body could not be read: it is cut short, or not in its stated encoding.');
    }

    return readJson(bytes);
}
