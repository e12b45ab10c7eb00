import type { Plugin } from '@hapi/hapi';

import { pendingMigrations } from '../db/migrate';
import { fault } from '../http/faults';
import type { Services } from '../services';
import { operation } from './operations';

export const health: Plugin<Services> = {
    name: 'health',
    register(server, { db }) {
        server.route({
            method: 'GET',
            path: '/health',
            options: operation('getHealth'),
            handler: () => ({ status: 'success' })
        });

        server.route({
            method: 'GET',
            path: '/ready',
            options: operation('getReadiness'),
            handler: async (request) => {
                const pending = await pendingMigrations(db).catch((error: Error) => {
                    // The log has the reason; whoever asks is told that much.
                    request.log(['error', 'fault'], error);
                    throw fault(503, 'service_unavailable', 'The database cannot be reached.');
                });
                if (pending > 0) {
                    throw fault(503, 'migrations_pending', `${pending} migration(s) have not been applied: run "npm run admin -- migrate".`);
                }

                return { status: 'success' };
            }
        });
    }
};
