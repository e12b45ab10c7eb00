import type { Plugin, Request } from '@hapi/hapi';

import { needs, notCached } from '../../api/auth/strategy';
import { currentUser, ownId } from '../../api/request/caller';
import { EventStream } from '../../api/request/event-stream';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { reply, statusOf } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { fittingPage } from '../../database/bounded-page';
import type { LiveOptions } from '../../projects/live/routes';
import { sendStream } from '../../projects/live/send-stream';
import type { AuthoringServices } from '../../rules/write';
import { noticeOperation } from './docs';
import { noticeHub } from './hub';
import { reading } from './json';
import { letterRoutes } from './letter-routes';
import { countUnread, noteNoticesRead, readNotices } from './reading';

export interface NoticeServices extends AuthoringServices, Pick<LiveOptions, 'limits'> {}

/** Notices: what happened that concerns an account. */
export const notices: Plugin<NoticeServices> = {
    name: 'notices',
    dependencies: ['live', 'token-strategy', 'overload'],
    register(server, { limits, ...services }) {
        const { config, db, write } = services;
        letterRoutes(server, services);
        const path = '/users/{user}/notices';
        const everybody = config.teachers === 'open';
        const own = { auth: needs('user'), ...notCached } as const;
        const message = 'Only its own user can see the notices of an account.';
        const ownerId = (request: Pick<Request, 'auth'> & { params: { user: string } }): string => ownId(request, message);
        const { places, failing } = server.plugins.live;
        const hub = noticeHub({
            db, places, failing,
            read: async ({ id, projects }) => {
                const [newest] = await readNotices(db, id, { everybody, projects, count: 1 });
                return JSON.stringify({ unread: await countUnread(db, id, { everybody, projects }), newest: newest?.id ?? null });
            }
        });

        server.events.on('response', ({ response, route }) => {
            if (places.count() > 0 && route.settings.app?.limit === 'writes' && statusOf(response) < 300) {
                hub.look();
            }
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: {
                ...own, ...noticeOperation('listNotices'), app: { cost: 'cheap' }, validate: { params: ids('user'), query: feedQuery }
            },
            handler: async (request, h) => {
                const { projects } = currentUser(request);
                const userId = ownerId(request);
                const { beforeId: before, count } = placeOf(request.query);
                const [found, unread] = await Promise.all([
                    readNotices(db, userId, { everybody, projects, before, count: count + 1 }), countUnread(db, userId, { everybody, projects })
                ]);
                const page = fittingPage(found.map((notice) => ({ id: notice.id, json: JSON.stringify(notice) })), count);
                return replyBounded(h, request, 'notices', page, `"unread":${unread},`);
            }
        });

        server.route<{ Params: { user: string }; Payload: { until: string } }>({
            method: 'PUT',
            path: `${path}/read`,
            options: {
                ...own, ...noticeOperation('readNotices'), app: { cost: 'cheap', whileSuspended: true },
                validate: { params: ids('user'), payload: reading }
            },
            handler: async (request, h) => {
                const { projects } = currentUser(request);
                const userId = ownerId(request);
                await write.together(request, (trx) => noteNoticesRead(trx, userId, request.payload.until));
                return reply(h, `{"status":"updated","unread":${await countUnread(db, userId, { everybody, projects })}}`);
            }
        });

        server.route<{ Params: { user: string } }>({
            method: 'GET',
            path: `${path}/events`,
            options: { ...own, ...noticeOperation('watchNotices'), app: { cost: 'cheap' }, validate: { params: ids('user') } },
            handler: (request, h) => {
                const { projects = null } = currentUser(request);
                const reader = { id: ownerId(request), token: request.app.tokenHash ?? null, projects };
                return sendStream(request, h, config, (caller) => {
                    const stream = new EventStream(limits.streamBytes);
                    return hub.add(stream, reader, caller) ? stream : undefined;
                });
            }
        });
    }
};
