import type { Plugin } from '@hapi/hapi';

import type { AuthoringServices } from '../../rules/write';
import { choosingRoutes } from '../choosing';
import { blockOperation } from './docs';
import { blocked, findBlock, insertBlock } from './queries';

/** People with whom a user wants to have nothing to do. Also a suspended user can keep others away. */
export const blocks: Plugin<AuthoringServices> = {
    name: 'blocks',
    dependencies: ['token-strategy'],
    register(server, services) {
        choosingRoutes(server, services, {
            all: 'blocks', one: 'block', list: blockOperation('listBlocks'), put: blockOperation('blockUser'), end: blockOperation('unblockUser'),
            app: { cost: 'cheap', whileSuspended: true }, limit: 'block_limit',
            others: 'Only its own user can see and change whom an account blocks.', absent: 'You have not blocked this user.',
            listOf: blocked.list, find: findBlock, insert: (trx, userId, { id }) => insertBlock(trx, userId, id), remove: blocked.remove
        });
    }
};
