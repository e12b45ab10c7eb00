import type { Plugin } from '@hapi/hapi';
import { DatabaseError } from 'pg';
import type { Logger } from 'pino';

import { maybeUser } from './caller';
import { statusOf } from './responses';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** the `code` of the error it was answered with */
        errorCode?: string;
        /** why its token was not accepted, in words for the log */
        tokenRefused?: string;
    }
}

/** One line in the log for each response, and one for each error of ours; never with a token, a password or a body. */
export const requestLog: Plugin<{ logger: Logger }> = {
    name: 'request-log',
    register(server, { logger }) {
        server.events.on({ name: 'request', channels: ['app', 'error', 'internal'] }, (request, { tags, error }) => {
            if (error !== undefined && tags.includes('fault')) {
                if (error instanceof DatabaseError) {
                    // In these fields PostgreSQL quotes rows and input, which can have the hash of a password.
                    Object.assign(error, { detail: undefined, where: undefined });
                }

                // A disk or bucket that fails is no fault of the service's own.
                logger[tags.includes('storage') ? 'warn' : 'error']({ err: error, request_id: request.info.id, trace_id: request.app.traceId }, 'a request failed');
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
                token_refused: app.tokenRefused,
                user_id: maybeUser(request)?.id
            }, 'response');
        });
    }
};
