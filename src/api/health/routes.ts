import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Plugin, Server } from '@hapi/hapi';

import { pendingMigrations } from '../../database/statements/migrate';
import { outageOf } from '../../database/statements/outage';
import { isReadOnly } from '../../database/statements/read-only';
import { fault } from '../errors/errors';
import type { Services } from '../services';
import { healthOperation } from './docs';

declare module '@hapi/hapi' {
    interface ServerApplicationState {
        /** whether the server is about to stop */
        leaving?: boolean;
    }
}

/**
 * Shows load balancers that this server is about to stop: /ready responds with 503, and every response closes its connection, so
 * that no client sends a request on a connection that is being closed.
 */
export function announceShutdown(server: Server): void {
    server.app.leaving = true;
    server.listener.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => void response.setHeader('connection', 'close'));
}

export const health: Plugin<Services> = {
    name: 'health',
    register(server, { db }) {
        server.route({
            method: 'GET',
            path: '/health',
            options: { ...healthOperation('getHealth'), app: { cost: 'cheap', vital: true } },
            handler: () => ({ status: 'success' })
        });

        server.route({
            method: 'GET',
            path: '/ready',
            options: { ...healthOperation('getReadiness'), app: { cost: 'cheap', vital: true } },
            handler: async (request) => {
                if (server.app.leaving) {
                    throw fault('shutting_down');
                }

                const [pending, readOnly] = await Promise.all([pendingMigrations(db), isReadOnly(db)]).catch((error: Error) => {
                    // More than the kind of the reason is only in the log.
                    request.log(['error', 'fault'], error);
                    throw fault('service_unavailable', outageOf(error)?.words ?? 'The database cannot be used.');
                });
                if (pending.length > 0) {
                    throw fault('migrations_pending', pending.length);
                }

                if (readOnly) {
                    throw fault('database_read_only');
                }

                return { status: 'success' };
            }
        });
    }
};
