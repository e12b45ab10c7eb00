import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { readerOf } from '../../database/statements/replica';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery } from '../../api/request/pagination';
import { thing } from '../../api/request/responses';
import type { Services } from '../../api/services';
import { listLog } from '../moderation/log';
import { administrationOperation } from './docs';
import { listActs } from './log';
import { askForMaintenance, showMaintenance } from './maintenance';
import { answerList, ofStaff } from './route';
import { staffOf } from './staff';
import { showStatistics } from './statistics';

/** The place as a whole: logs, statistics and the maintenance. */
export function placeRoutes(server: Server, { db, replica }: Services): void {
    server.route<{ Query: ListQuery }>({
        method: 'GET',
        path: '/admin/log',
        options: { ...administrationOperation('listAdminLog'), ...ofStaff, validate: { query: feedQuery } },
        handler: (request, h) => answerList(request, h, 'entries', (before, count) => listActs(db, before, count))
    });

    server.route<{ Query: ListQuery }>({
        method: 'GET',
        path: '/admin/moderation-log',
        options: { ...administrationOperation('readModerationLog'), ...ofStaff, validate: { query: feedQuery } },
        handler: (request, h) => answerList(request, h, 'entries', (before, count) => listLog(db, before, count))
    });

    server.route({
        method: 'GET',
        path: '/admin/statistics',
        options: { ...administrationOperation('getStatistics'), ...ofStaff, app: { ...ofStaff.app, cost: 'heavy' } },
        handler: async (request, h) => {
            staffOf(request);
            return thing(h, 'success', 'statistics', await showStatistics(db, readerOf(db, replica)));
        }
    });

    server.route({
        method: 'GET',
        path: '/admin/maintenance',
        options: { ...administrationOperation('getMaintenance'), ...ofStaff },
        handler: async (request, h) => {
            staffOf(request);
            return thing(h, 'success', 'maintenance', await showMaintenance(db));
        }
    });

    server.route({
        method: 'POST',
        path: '/admin/maintenance',
        options: { ...administrationOperation('startMaintenance'), ...ofStaff, validate: { payload: Joi.object({}) } },
        handler: async (request, h) => thing(h, 'updated', 'maintenance', await askForMaintenance(db, staffOf(request)))
    });
}
