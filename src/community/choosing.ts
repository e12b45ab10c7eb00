import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { needs } from '../api/auth/strategy';
import type { Described } from '../api/description/operation';
import { fault } from '../api/errors/errors';
import { knownUsername } from '../api/representations/user';
import { ownId } from '../api/request/caller';
import type { ListQuery } from '../api/request/list-url';
import { feedQuery, nextOf, placeOf } from '../api/request/pagination';
import type { ListPlace, ListRow } from '../api/request/pagination';
import { thing } from '../api/request/responses';
import { ids } from '../api/request/schema';
import { replyList } from '../api/request/shared-responses';
import { existing } from '../rules/existing';
import { holdUser } from '../rules/hold-user';
import type { AuthoringServices } from '../rules/write';

/** How a user chooses people, and ends it. */
interface Choosing<Found extends { id: string; json: string | null }> {
    /** the last part of the path, and the name of the list */
    all: 'blocks' | 'following';
    one: 'block' | 'follow';
    list: Described;
    put: Described;
    end: Described;
    app: { cost: 'cheap'; whileSuspended?: true };
    /** what others are told, and what whoever has not chosen somebody is */
    others: string;
    absent: string;
    /** the error of one too many */
    limit: 'block_limit' | 'follow_limit';
    listOf(db: Knex, userId: string, place: ListPlace): Promise<ListRow>;
    /** whom the user may choose, by name, with the JSON text of what there is, null if it is new */
    find(trx: Knex.Transaction, username: string, userId: string): Promise<Found | undefined>;
    /** @returns undefined if the user has chosen too many */
    insert(trx: Knex.Transaction, userId: string, found: Found): Promise<string | undefined>;
    remove(trx: Knex.Transaction, userId: string, username: string): Promise<string | undefined>;
}

/** The routes by which a user lists, chooses and no longer chooses people. */
export function choosingRoutes<Found extends { id: string; json: string | null }>(
    server: Server, { db, write }: Pick<AuthoringServices, 'db' | 'write'>,
    { all, one, list, put, end, app, others, absent, limit, listOf, find, insert, remove }: Choosing<Found>
): void {
    const path = `/users/{user}/${all}`;
    const auth = needs('user');
    const validate = { params: ids('user').keys({ username: knownUsername.required() }), payload: Joi.object({}) };

    server.route<{ Params: { user: string }; Query: ListQuery }>({
        method: 'GET',
        path,
        options: { auth, app: { cost: 'cheap' }, ...list, validate: { params: ids('user'), query: feedQuery } },
        handler: async (request, h) => {
            const row = await listOf(db, ownId(request, others), placeOf(request.query));
            const next = nextOf(row);
            return replyList(h, request, `{"status":"success","${all}":[${row.items}],"next":${JSON.stringify(next)}}`, next);
        }
    });

    server.route<{ Params: { user: string; username: string } }>({
        method: 'PUT',
        path: `${path}/{username}`,
        options: { auth, app, ...put, validate },
        handler: async (request, h) => {
            const userId = ownId(request, others);
            const { json, isNew } = await write.together(request, async (trx) => {
                await holdUser(trx, userId);
                const found = existing(await find(trx, request.params.username, userId), 'user');
                if (found.id === userId) {
                    throw fault('not_oneself');
                }

                const made = found.json ?? await insert(trx, userId, found);
                if (made === undefined) {
                    throw fault(limit);
                }

                return { json: made, isNew: found.json === null };
            });
            return isNew ? thing(h, 'created', one, json).code(201) : thing(h, 'updated', one, json);
        }
    });

    server.route<{ Params: { user: string; username: string } }>({
        method: 'DELETE',
        path: `${path}/{username}`,
        options: { auth, app, ...end, validate },
        handler: async (request, h) => {
            const userId = ownId(request, others);
            const json = await write.together(request, async (trx) => {
                await holdUser(trx, userId);
                return remove(trx, userId, request.params.username);
            });
            if (json === undefined) {
                throw fault('not_found', absent);
            }

            return thing(h, 'deleted', one, json);
        }
    });
}
