import type { Plugin } from '@hapi/hapi';

import { needs } from '../api/auth/strategy';
import { writerOf } from '../rules/access';
import { projectOf } from '../rules/chain';
import type { ProjectIds } from '../rules/chain';
import { answerThing, ownerOf } from '../rules/read';
import { defaultVisibility } from '../classes/publish-levels';
import type { AuthoringServices } from '../rules/write';
import { fixedCors } from '../api/request/cross-origin';
import { forbidden, notFound } from '../api/errors/errors';
import { projectList } from '../api/request/pagination';
import type { ListQuery } from '../api/request/list-url';
import { reply } from '../api/request/responses';
import { ids, revisionOnly } from '../api/request/schema';
import type { Against } from '../api/request/schema';
import { respondWith } from '../api/request/shared-responses';
import type { ProjectFields } from '../api/representations/project';
import { accountOf, opensAccount } from '../accounts/users/open-account';
import { listOwnProjects, listUserProjects, numberedPlaceOf, readList } from './lists';
import type { OwnProjects } from './lists';
import { projectOperation } from './docs';
import { deleteProject, featureProject, findProject, insertProject, updateProject } from './queries';
import { featuring, newProjectBody, projectChanges, userListQuery } from './schema';

export const projects: Plugin<AuthoringServices> = {
    name: 'projects',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const chain = ids('user', 'project');
        const path = '/users/{user}/projects/{project}';

        server.route<{ Params: { user: string }; Query: ListQuery & { visibility?: OwnProjects } }>({
            method: 'GET',
            path: '/users/{user}/projects',
            options: { ...projectOperation('listUserProjects'), app: { cost: 'cheap' }, validate: { params: ids('user'), query: userListQuery } },
            handler: async (request, h) => {
                const { params: { user }, query: { visibility, ...query } } = request;
                const place = numberedPlaceOf(query);
                const row = await readList(request, async () => (visibility === undefined ? listUserProjects(db, user, place) : listOwnProjects(db, await ownerOf(request), visibility, place)));
                if (!row.found) {
                    throw notFound('user');
                }

                return respondWith(h, request, projectList(row));
            }
        });

        server.route<{ Params: { user: string }; Payload: Partial<ProjectFields> }>({
            method: 'POST',
            path: '/users/{user}/projects',
            options: { ...projectOperation('createProject'), auth: needs('projects'), app: { cost: 'cheap', opensAccount: true }, validate: { params: ids('user'), payload: newProjectBody } },
            handler: (request, h) => {
                const once = opensAccount(request) ? write.idempotentTransaction : write.idempotent;
                return once(request, h, async (trx) => {
                    const { user, caller } = await accountOf(trx, request, config);
                    const made = await insertProject(trx, user, caller, config.apiVersion, { ...defaultVisibility(caller.publish), ...request.payload });
                    if (made === undefined) {
                        throw notFound('user');
                    }

                    if (made.json === null) {
                        await request.checkStillAllowed(trx);
                        throw forbidden('A project can be made under one\'s own account only.');
                    }

                    return reply(h, `{"status":"created",${made.json}}`).code(201).location(`/users/${user}/projects/${made.id}`);
                });
            }
        });

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path,
            options: { ...projectOperation('getProject'), app: { cost: 'cheap' }, cors: fixedCors, validate: { params: chain } },
            handler: (request, h) => {
                const { user, project } = request.params;
                return answerThing(request, h, 'project', (reader, tags) => findProject(db, user, project, tags, reader));
            }
        });

        server.route<{ Params: ProjectIds; Payload: Partial<ProjectFields> & Against }>({
            method: 'PATCH',
            path,
            options: { ...projectOperation('updateProject'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap' }, validate: { params: chain, payload: projectChanges } },
            handler: (request, h) => {
                const { revision, merge, ...fields } = request.payload;
                const writer = writerOf(request, fields.visibility === undefined ? 'update' : 'manage', revision);
                return write.change(request, h, 'updated', { kind: 'project', chain: projectOf(request.params), writer, fields, merge, statement: updateProject });
            }
        });

        server.route<{ Params: ProjectIds; Payload: { revision?: number } }>({
            method: 'DELETE',
            path,
            options: { ...projectOperation('deleteProject'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap' }, validate: { params: chain, payload: revisionOnly } },
            handler: (request, h) => {
                const writer = writerOf(request, 'remove', request.payload.revision);
                return write.change(request, h, 'deleted', { kind: 'project', chain: projectOf(request.params), writer, fields: {}, statement: deleteProject });
            }
        });

        server.route<{ Params: ProjectIds; Payload: { featured?: boolean; revision?: number } }>({
            method: 'PATCH',
            path: `${path}/feature`,
            options: { ...projectOperation('featureProject'), auth: needs('projects'), app: { cost: 'cheap' }, validate: { params: chain, payload: featuring } },
            handler: (request, h) => {
                const { featured, revision } = request.payload;
                const writer = writerOf(request, 'feature', revision);
                return write.change(request, h, 'updated', {
                    kind: 'project', chain: projectOf(request.params), writer, fields: {}, statement: (trx, project, by) => featureProject(trx, project, by, featured)
                });
            }
        });
    }
};
