import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { notFound } from '../../api/errors/errors';
import { currentUser, maybeUser } from '../../api/request/caller';
import { listQuery, projectList } from '../../api/request/pagination';
import type { ListQuery } from '../../api/request/list-url';
import { created } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { respondWith } from '../../api/request/shared-responses';
import { listRemixes, numberedPlaceOf, readList } from '../lists';
import { findProject } from '../queries';
import type { ProjectIds } from '../../rules/chain';
import { readOrError } from '../../rules/read';
import { defaultVisibility } from '../../classes/publish-levels';
import type { AuthoringServices } from '../../rules/write';
import { authorIn } from '../../accounts/users/open-account';
import { remixOperation } from './docs';
import { copyProject, holdSource } from './queries';
import type { RemixFields } from './queries';
import { newRemix } from './schema';

export const remixes: Plugin<AuthoringServices> = {
    name: 'remixes',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const path = '/users/{user}/projects/{project}/remixes';
        const params = ids('user', 'project');

        server.route<{ Params: ProjectIds; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...remixOperation('listRemixes'), app: { cost: 'cheap' }, validate: { params, query: listQuery } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const row = await readList(request, () => readOrError(request, 'project', (reader) => listRemixes(db, user, project, numberedPlaceOf(request.query), reader), false));
                return respondWith(h, request, projectList(row));
            }
        });

        server.route<{ Params: ProjectIds; Payload: RemixFields }>({
            method: 'POST',
            path,
            options: { ...remixOperation('createRemix'), auth: needs('projects'), app: { cost: 'heavy', byTokenOfProjects: 'nothing' }, validate: { params, payload: newRemix } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const { user, project } = request.params;
                const remixer = await authorIn(trx, request, config);
                const { moderator = false, teaches, app = null } = maybeUser(request) ?? {};
                const isThere = await holdSource(trx, user, project, { id: remixer, moderator, teaches });
                const copy = isThere ? await copyProject(trx, project, { id: remixer, app }, config.apiVersion, { ...defaultVisibility(maybeUser(request)?.publish), ...request.payload }) : undefined;
                if (copy === undefined) {
                    throw notFound('project');
                }

                return created(h, 'remixed', 'project', copy.json, `/users/${remixer}/projects/${copy.id}`);
            }, async (trx, id) => {
                const found = await findProject(trx, currentUser(request).id, id, [], currentUser(request));
                return found && `{"status":"remixed","project":${found.json}}`;
            })
        });
    }
};
