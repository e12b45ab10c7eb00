import type { Plugin, Request } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import type { AuthoringServices } from '../../rules/write';
import { forbidden } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import type { CurrentUser } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { reply } from '../../api/request/responses';
import { id, ids } from '../../api/request/schema';
import { pageFields } from '../../api/representations/page';
import { trashOperation } from './docs';
import { listTrash, projectOfEntry, purgeEntry, restoreEntry } from './queries';
import type { Coordinates } from './queries';

type EntryParams = {
    user: string;
    entry: string;
};

/** The caller, who must be the owner of the trash or a moderator. A moderator has only a right over what moderators removed. */
function owner(request: Pick<Request, 'auth' | 'params'>): CurrentUser {
    const caller = currentUser(request);
    if (caller.id !== request.params.user && !caller.moderator) {
        throw forbidden('The trash is its owner\'s.');
    }

    return caller;
}

export const trash: Plugin<AuthoringServices> = {
    name: 'trash',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const days = config.trashDays;
        const path = '/users/{user}/trash';
        const entryIds = ids('user').keys({ entry: id.required().description('Id of the entry.').example('7') });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...trashOperation('listTrash'), app: { cost: 'cheap', noted: 'read_trash' }, auth: needs('projects'), validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const { id: callerId } = owner(request);
                const { beforeId, count } = placeOf(request.query);
                return replyBounded(h, request, 'trash', await listTrash(db, { userId: request.params.user, days, before: beforeId, count, moderated: callerId !== request.params.user }));
            }
        });

        server.route<{ Params: EntryParams; Payload: Coordinates }>({
            method: 'POST',
            path: `${path}/{entry}/restore`,
            options: { ...trashOperation('restoreTrash'), auth: needs('projects'), app: { cost: 'heavy' }, validate: { params: entryIds, payload: Joi.object({ x: pageFields.x, y: pageFields.y }) } },
            handler: async (request, h) => {
                const caller = owner(request);
                const { params: { user, entry }, payload } = request;
                const place = { userId: user, entry, days };
                const { type, json } = await write.serialized(request, (trx) => restoreEntry(trx, place, caller, payload), await projectOfEntry(db, place));
                return reply(h, `{"status":"restored","type":"${type}","thing":${json}}`);
            }
        });

        server.route<{ Params: EntryParams }>({
            method: 'DELETE',
            path: `${path}/{entry}`,
            options: { ...trashOperation('deleteTrash'), auth: needs('projects'), app: { cost: 'heavy' }, validate: { params: entryIds, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const caller = owner(request);
                const { user, entry } = request.params;
                const place = { userId: user, entry, days };
                await write.serialized(request, (trx) => purgeEntry(trx, place, caller), await projectOfEntry(db, place));
                return reply(h, '{"status":"deleted"}');
            }
        });
    }
};
