import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, projectList } from '../../api/request/pagination';
import { ids } from '../../api/request/schema';
import { respondWith } from '../../api/request/shared-responses';
import type { AuthoringServices } from '../../rules/write';
import { choosingRoutes } from '../choosing';
import { followOperation } from './docs';
import { listFeed } from './feed';
import { findFollowed, followed, insertFollow } from './queries';

/** People whose new projects a user wants to find. */
export const follows: Plugin<AuthoringServices> = {
    name: 'follows',
    dependencies: ['token-strategy'],
    register(server, services) {
        choosingRoutes(server, services, {
            all: 'following', one: 'follow', app: { cost: 'cheap' }, limit: 'follow_limit',
            list: followOperation('listFollowing'), put: followOperation('followUser'), end: followOperation('unfollowUser'),
            others: 'Only its own user can see and change whom an account follows.', absent: 'You do not follow this user.',
            listOf: followed.list, find: findFollowed, insert: insertFollow, remove: followed.remove
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/users/{user}/feed',
            options: {
                auth: needs('user'), app: { cost: 'cheap' }, ...followOperation('listFeed'), validate: { params: ids('user'), query: feedQuery }
            },
            handler: async (request, h) => {
                const userId = ownId(request, 'Only its own user can read a feed.');
                return respondWith(h, request, projectList(await listFeed(services.db, userId, placeOf(request.query))));
            }
        });
    }
};
