import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Plugin, Server } from '@hapi/hapi';

import { pendingMigrations } from '../db/migrate';
import { fault } from '../errors/errors';
import type { Services } from '../services';
import { operation } from './docs';

declare module '@hapi/hapi' {
    interface ServerApplicationState {
        /** it is about to end, and goes on serving for those who have not noticed */
        leaving?: boolean;
    }
}

/**
 * Tells those in front that this server is about to end, so that they send no more: /ready answers 503, and each answer
 * closes its connection, which is the only way that nobody sends a request down one that is being closed.
 */
export function takeLeave(server: Server): void {
    server.app.leaving = true;
    server.listener.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => void response.setHeader('connection', 'close'));
}

export const health: Plugin<Services> = {
    name: 'health',
    register(server, { db }) {
        server.route({
            method: 'GET',
            path: '/health',
            options: { ...operation('getHealth'), app: { vital: true } },
            handler: () => ({ status: 'success' })
        });

        server.route({
            method: 'GET',
            path: '/ready',
            options: { ...operation('getReadiness'), app: { vital: true } },
            handler: async (request) => {
                if (server.app.leaving) {
                    throw fault('shutting_down');
                }

                const pending = await pendingMigrations(db).catch((error: Error) => {
                    // The log has the reason; whoever asks is told that much.
                    request.log(['error', 'fault'], error);
                    throw fault('service_unavailable', 'The database cannot be reached.');
                });
                if (pending > 0) {
                    throw fault('migrations_pending', pending);
                }

                return { status: 'success' };
            }
        });
    }
};
