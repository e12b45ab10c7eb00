import { randomUUID } from 'node:crypto';

import type { Plugin } from '@hapi/hapi';
import { DatabaseError } from 'pg';
import type { Logger } from 'pino';

import { maybeUser } from './caller';
import { readApart } from './read-body';
import { beforeLookup } from './cross-origin';
import { statusOf } from './responses';
import { traceIdOf } from './trace';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** of the distributed trace that the request is a part of */
        traceId?: string;
        /** the `code` of the error it was answered with */
        errorCode?: string;
    }
}

/** What a request id taken over from a client may look like. */
const sane = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that a request came with, where that is sane, or a new one. */
export function requestIdOf({ 'x-request-id': given }: Readonly<Record<string, unknown>>): string {
    return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}

/** Gets a request ready for hapi; `X-Request-Id`; one line in the log a response, never with a token, a password or a body. */
export const requests: Plugin<{ logger: Logger }> = {
    name: 'requests',
    register(server, { logger }) {
        server.ext('onRequest', (request, h) => {
            // hapi's own ids name the host and the process.
            request.info.id = requestIdOf(request.headers);
            request.app.traceId = traceIdOf(request.headers.traceparent);
            // Whatever hapi answers in the end goes out through this. No browser is to take JSON for something else.
            request.raw.res.setHeader('x-request-id', request.info.id);
            request.raw.res.setHeader('x-content-type-options', 'nosniff');
            // One step does all of this, as hapi takes 1.5 µs for each one there is.
            readApart(request.headers);
            beforeLookup(request);
            return h.continue;
        });

        server.events.on({ name: 'request', channels: ['app', 'error', 'internal'] }, (request, { tags, error }) => {
            if (error !== undefined && tags.includes('fault')) {
                if (error instanceof DatabaseError) {
                    // Here PostgreSQL quotes rows and input, the hash of a password among them.
                    Object.assign(error, { detail: undefined, where: undefined });
                }

                logger.error({ err: error, request_id: request.info.id, trace_id: request.app.traceId }, 'a request failed');
            }
        });

        server.events.on('response', (request) => {
            const { info, app } = request;
            logger.info({
                method: request.method,
                route: request.route.path,
                status: statusOf(request.response),
                ms: Math.max(0, info.responded - info.received),
                request_id: info.id,
                trace_id: app.traceId,
                code: app.errorCode,
                user_id: maybeUser(request)?.id
            }, 'response');
        });
    }
};
