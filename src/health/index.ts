import type { Plugin } from '@hapi/hapi';

import { pendingMigrations } from '../db/migrate';
import { fault } from '../http/faults';
import type { Services } from '../services';

export const health: Plugin<Services> = {
    name: 'health',
    register(server, { db }) {
        server.route({
            method: 'GET',
            path: '/health',
            handler: () => ({ status: 'success' })
        });

        server.route({
            method: 'GET',
            path: '/ready',
            handler: async (request) => {
                let pending: number;
                try {
                    pending = await pendingMigrations(db);
                }
                catch (error) {
                    request.log(['warn'], error instanceof Error ? error.message : 'not ready');
                    throw fault(503, 'service_unavailable', 'The database cannot be reached.');
                }

                if (pending > 0) {
                    throw fault(503, 'migrations_pending', `${pending} migration(s) have not been applied: run "npm run admin -- migrate".`);
                }

                return { status: 'success' };
            }
        });
    }
};
