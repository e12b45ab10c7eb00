import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { fault, notFound } from '../../api/errors/errors';
import { knownUsername } from '../../api/representations/user';
import { ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, nextOf, placeOf } from '../../api/request/pagination';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { replyList } from '../../api/request/shared-responses';
import { holdUser } from '../../rules/hold-user';
import type { AuthoringServices } from '../../rules/write';
import { blockOperation } from './docs';
import { deleteBlock, findBlock, insertBlock, listBlocks } from './queries';

type Chain = {
    user: string;
    username: string;
};

/** People with whom a user wants to have nothing to do. Also a suspended user can keep others away. */
export const blocks: Plugin<AuthoringServices> = {
    name: 'blocks',
    dependencies: ['token-strategy'],
    register(server, { db, write }) {
        const path = '/users/{user}/blocks';
        const own = { auth: needs('user'), app: { cost: 'cheap' } as const };
        const writes = { ...own, app: { ...own.app, whileSuspended: true } } as const;
        const params = ids('user').keys({ username: knownUsername.required() });
        const OTHERS = 'Only its own user can see and change whom an account blocks.';

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...own, ...blockOperation('listBlocks'), validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const row = await listBlocks(db, ownId(request, OTHERS), placeOf(request.query));
                const next = nextOf(row);
                return replyList(h, request, `{"status":"success","blocks":[${row.items}],"next":${JSON.stringify(next)}}`, next);
            }
        });

        server.route<{ Params: Chain }>({
            method: 'PUT',
            path: `${path}/{username}`,
            options: { ...writes, ...blockOperation('blockUser'), validate: { params, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const userId = ownId(request, OTHERS);
                const { json, isNew } = await write.together(request, async (trx) => {
                    await holdUser(trx, userId);
                    const found = await findBlock(trx, request.params.username, userId);
                    if (found === undefined) {
                        throw notFound('user');
                    }

                    if (found.id === userId) {
                        throw fault('not_oneself');
                    }

                    const made = found.json ?? await insertBlock(trx, userId, found.id);
                    if (made === undefined) {
                        throw fault('block_limit');
                    }

                    return { json: made, isNew: found.json === null };
                });
                return isNew ? thing(h, 'created', 'block', json).code(201) : thing(h, 'updated', 'block', json);
            }
        });

        server.route<{ Params: Chain }>({
            method: 'DELETE',
            path: `${path}/{username}`,
            options: { ...writes, ...blockOperation('unblockUser'), validate: { params, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const userId = ownId(request, OTHERS);
                const json = await write.together(request, async (trx) => {
                    await holdUser(trx, userId);
                    return deleteBlock(trx, userId, request.params.username);
                });
                if (json === undefined) {
                    throw fault('not_found', 'You have not blocked this user.');
                }

                return thing(h, 'deleted', 'block', json);
            }
        });
    }
};
