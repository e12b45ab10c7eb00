import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { transaction } from '../../database/statements/transaction';
import { notFound } from '../../api/errors/errors';
import { currentUser, maybeUser } from '../../api/request/caller';
import { signalOf } from '../../api/request/client-gone';
import { idempotent } from '../../api/request/idempotency';
import { listQuery, placeOf, projectList } from '../../api/request/pagination';
import type { ListQuery } from '../../api/request/list-url';
import { created } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { respondWith } from '../../api/request/shared-responses';
import { listRemixes } from '../lists';
import { findProject } from '../queries';
import { readAs } from '../../rules/visibility';
import type { Services } from '../../api/services';
import { authorIn } from '../../accounts/users/open-account';
import { operation } from './docs';
import { copyProject, holdSource } from './queries';
import type { RemixFields } from './queries';
import { newRemix } from './schema';

type Chain = {
    user: string;
    project: string;
};

export const remixes: Plugin<Services> = {
    name: 'remixes',
    dependencies: ['token-strategy'],
    register(server, { config, db }) {
        const path = '/users/{user}/projects/{project}/remixes';
        const params = ids('user', 'project');

        server.route<{ Params: Chain; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...operation('listRemixes'), app: { cost: 'cheap' }, validate: { params, query: listQuery } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const row = await readAs(request, (reader) => listRemixes(db, user, project, placeOf(request.query), reader), false);
                if (row === undefined) {
                    throw notFound('project');
                }

                return respondWith(h, request, projectList(row));
            }
        });

        server.route<{ Params: Chain; Payload: RemixFields }>({
            method: 'POST',
            path,
            options: { ...operation('createRemix'), auth: needs('projects'), app: { cost: 'heavy', limit: 'writes' }, validate: { params, payload: newRemix } },
            handler: (request, h) => idempotent(request, h, db, async (trx) => {
                const { user, project } = request.params;
                const { json, location } = await transaction(trx, request.app.traceId, async (inner) => {
                    const remixer = await authorIn(inner, request, config);
                    const { moderator = false } = maybeUser(request) ?? {};
                    const isThere = await holdSource(inner, user, project, { id: remixer, moderator });
                    const copy = isThere ? await copyProject(inner, project, remixer, config.apiVersion, request.payload) : undefined;
                    if (copy === undefined) {
                        throw notFound('project');
                    }

                    return { json: copy.json, location: `/users/${remixer}/projects/${copy.id}` };
                }, signalOf(request));
                return created(h, 'remixed', 'project', json, location);
            }, async (trx, id) => {
                const found = await findProject(trx, currentUser(request).id, id, [], currentUser(request));
                return found && `{"status":"remixed","project":${found.json}}`;
            })
        });
    }
};
