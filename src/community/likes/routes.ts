import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { currentUser } from '../../api/request/caller';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import { likeOperation } from './docs';
import { isLiked, setLike } from './queries';

type ProjectParams = { project: string };

const likeJson = (liked: boolean): string => `{"liked":${liked}}`;

/** Projects that a user likes, of which the author alone is told how many they are. */
export const likes: Plugin<AuthoringServices> = {
    name: 'likes',
    dependencies: ['token-strategy'],
    register(server, { db, write }) {
        const path = '/projects/{project}/like';
        const common = { auth: needs('projects'), app: { cost: 'cheap' } as const };

        server.route<{ Params: ProjectParams }>({
            method: 'GET',
            path,
            options: { ...common, ...likeOperation('getLike'), validate: { params: ids('project') } },
            handler: async (request, h) => {
                return thing(h, 'success', 'like', likeJson(await isLiked(db, request.params.project, currentUser(request))));
            }
        });

        for (const [method, operation, liked] of [['PUT', 'likeProject', true], ['DELETE', 'unlikeProject', false]] as const) {
            server.route<{ Params: ProjectParams }>({
                method,
                path,
                options: { ...common, ...likeOperation(operation), validate: { params: ids('project'), payload: Joi.object({}) } },
                handler: async (request, h) => {
                    await write.together(request, (trx) => setLike(trx, request.params.project, currentUser(request), liked));
                    return thing(h, 'updated', 'like', likeJson(liked));
                }
            });
        }
    }
};
