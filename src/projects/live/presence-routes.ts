import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { reply } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { writerOf } from '../../rules/access';
import type { ProjectIds } from '../../rules/chain';
import type { Services } from '../../api/services';
import { presenceOperation } from './docs';
import { putPresence } from './presence';
import type { PresenceState } from './presence';
import { whereabouts } from './schema';

export const presence: Plugin<Services> = {
    name: 'presence',
    dependencies: ['token-strategy'],
    register(server, { db }) {
        server.route<{ Params: ProjectIds; Payload: PresenceState }>({
            method: 'PUT',
            path: '/users/{user}/projects/{project}/presence',
            options: { ...presenceOperation('putPresence'), app: { cost: 'cheap', limit: 'presence' }, auth: needs('projects'), validate: { params: ids('user', 'project'), payload: whereabouts } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                return reply(h, `{"status":"success","present":[${await putPresence(db, [user, project], writerOf(request, 'update'), request.payload)}]}`);
            }
        });
    }
};
