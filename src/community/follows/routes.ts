import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { fault, notFound } from '../../api/errors/errors';
import { knownUsername } from '../../api/representations/user';
import { ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, nextOf, placeOf, projectList } from '../../api/request/pagination';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { replyList, respondWith } from '../../api/request/shared-responses';
import { holdUser } from '../../rules/hold-user';
import type { AuthoringServices } from '../../rules/write';
import { followOperation } from './docs';
import { listFeed } from './feed';
import { deleteFollow, findFollowed, insertFollow, listFollowed } from './queries';

type Chain = {
    user: string;
    username: string;
};

/** People whose new projects a user wants to find. */
export const follows: Plugin<AuthoringServices> = {
    name: 'follows',
    dependencies: ['token-strategy'],
    register(server, { db, write }) {
        const path = '/users/{user}/following';
        const own = { auth: needs('user'), app: { cost: 'cheap' } as const };
        const params = ids('user').keys({ username: knownUsername.required() });
        const OTHERS = 'Only its own user can see and change whom an account follows.';

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...own, ...followOperation('listFollowing'), validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const row = await listFollowed(db, ownId(request, OTHERS), placeOf(request.query));
                const next = nextOf(row);
                return replyList(h, request, `{"status":"success","following":[${row.items}],"next":${JSON.stringify(next)}}`, next);
            }
        });

        server.route<{ Params: Chain }>({
            method: 'PUT',
            path: `${path}/{username}`,
            options: { ...own, ...followOperation('followUser'), validate: { params, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const userId = ownId(request, OTHERS);
                const { json, isNew } = await write.together(request, async (trx) => {
                    await holdUser(trx, userId);
                    const found = await findFollowed(trx, request.params.username, userId);
                    if (found === undefined) {
                        throw notFound('user');
                    }

                    if (found.id === userId) {
                        throw fault('not_oneself');
                    }

                    const made = found.json ?? await insertFollow(trx, userId, found);
                    if (made === undefined) {
                        throw fault('follow_limit');
                    }

                    return { json: made, isNew: found.json === null };
                });
                return isNew ? thing(h, 'created', 'follow', json).code(201) : thing(h, 'updated', 'follow', json);
            }
        });

        server.route<{ Params: Chain }>({
            method: 'DELETE',
            path: `${path}/{username}`,
            options: { ...own, ...followOperation('unfollowUser'), validate: { params, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const userId = ownId(request, OTHERS);
                const json = await write.together(request, async (trx) => {
                    await holdUser(trx, userId);
                    return deleteFollow(trx, userId, request.params.username);
                });
                if (json === undefined) {
                    throw fault('not_found', 'You do not follow this user.');
                }

                return thing(h, 'deleted', 'follow', json);
            }
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/users/{user}/feed',
            options: { ...own, ...followOperation('listFeed'), validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const userId = ownId(request, 'Only its own user can read a feed.');
                return respondWith(h, request, projectList(await listFeed(db, userId, placeOf(request.query))));
            }
        });
    }
};
