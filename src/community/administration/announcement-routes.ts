import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { readerOf } from '../../database/statements/replica';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { fromCacheFirst, listCache, respondShared, sharedResponse } from '../../api/request/shared-responses';
import type { AuthoringServices } from '../../rules/write';
import { checkUntil } from '../moderation/schema';
import { announce, listAnnouncements, withdraw } from './announcements';
import type { NewAnnouncement } from './announcements';
import { administrationOperation } from './docs';
import { ofStaff } from './route';
import { newAnnouncement } from './schema';
import { staffOf } from './staff';

/** Announcements. Everybody reads them from the cache of public lists. */
export function announcementRoutes(server: Server, { config, db, now, replica, write }: AuthoringServices): void {
    const cache = listCache(config.listMaxAge);
    const read = readerOf(db, replica);

    server.route({
        method: 'GET',
        path: '/announcements',
        options: { ...administrationOperation('listAnnouncements'), app: { cost: 'cheap' }, ext: fromCacheFirst(cache) },
        handler: (request, h) => respondShared(h, request, cache, '/announcements', async () => {
            return sharedResponse(`{"status":"success","announcements":[${await read((from) => listAnnouncements(from, false))}]}`);
        })
    });

    server.route({
        method: 'GET',
        path: '/admin/announcements',
        options: { ...administrationOperation('listOwnAnnouncements'), ...ofStaff },
        handler: async (request, h) => {
            staffOf(request);
            return reply(h, `{"status":"success","announcements":[${await listAnnouncements(db, true)}]}`);
        }
    });

    server.route<{ Payload: NewAnnouncement }>({
        method: 'POST',
        path: '/admin/announcements',
        options: { ...administrationOperation('createAnnouncement'), ...ofStaff, validate: { payload: newAnnouncement } },
        handler: (request, h) => write.idempotent(request, h, async (given) => {
            const acting = staffOf(request);
            checkUntil(request.payload.until, now());
            const { json } = await announce(given, acting, request.payload);
            return thing(h, 'created', 'announcement', json).code(201);
        })
    });

    server.route<{ Params: { announcement: string } }>({
        method: 'DELETE',
        path: '/admin/announcements/{announcement}',
        options: { ...administrationOperation('deleteAnnouncement'), ...ofStaff, validate: { params: ids('announcement'), payload: Joi.object({}) } },
        handler: async (request, h) => thing(h, 'deleted', 'announcement', await withdraw(db, staffOf(request), request.params.announcement))
    });
}
