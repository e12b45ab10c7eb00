import type { Plugin } from '@hapi/hapi';

import { needs } from '../api/auth/strategy';
import { writerOf } from '../rules/access';
import { ownerOf, readAs } from '../rules/visibility';
import type { AuthoringServices } from '../rules/project-turns';
import { writtenOrError, updatedOrError } from '../rules/written-or-error';
import { fixedCors } from '../api/request/cross-origin';
import { forbidden, notFound } from '../api/errors/errors';
import { idempotent } from '../api/request/idempotency';
import { placeOf, projectList } from '../api/request/pagination';
import type { ListQuery } from '../api/request/list-url';
import { reply, thing } from '../api/request/responses';
import { conditional, tagsOfClient } from '../api/request/entity-tags';
import { ids, revisionOnly } from '../api/request/schema';
import type { Against } from '../api/request/schema';
import { respondWith } from '../api/request/shared-responses';
import type { ProjectFields } from '../api/representations/project';
import { writeUnder } from '../accounts/users/open-account';
import { listOwnProjects, listUserProjects } from './lists';
import type { OwnProjects } from './lists';
import { operation } from './docs';
import { deleteProject, featureProject, findProject, insertProject, updateProject } from './queries';
import { featuring, newProjectBody, projectChanges, userListQuery } from './schema';

type Chain = {
    user: string;
    project: string;
};

export const projects: Plugin<AuthoringServices> = {
    name: 'projects',
    dependencies: ['token-strategy'],
    register(server, { config, db, inTurn }) {
        const chain = ids('user', 'project');
        const path = '/users/{user}/projects/{project}';

        server.route<{ Params: { user: string }; Query: ListQuery & { visibility?: OwnProjects } }>({
            method: 'GET',
            path: '/users/{user}/projects',
            options: { ...operation('listUserProjects'), app: { cost: 'cheap' }, validate: { params: ids('user'), query: userListQuery } },
            handler: async (request, h) => {
                const { params: { user }, query: { visibility, ...query } } = request;
                const place = placeOf(query);
                const row = visibility === undefined ? await listUserProjects(db, user, place) : await listOwnProjects(db, await ownerOf(request), visibility, place);
                if (!row.found) {
                    throw notFound('user');
                }

                return respondWith(h, request, projectList(row));
            }
        });

        server.route<{ Params: { user: string }; Payload: Partial<ProjectFields> }>({
            method: 'POST',
            path: '/users/{user}/projects',
            options: { ...operation('createProject'), auth: needs('projects'), app: { cost: 'cheap', limit: 'writes', opensAccount: true }, validate: { params: ids('user'), payload: newProjectBody } },
            handler: (request, h) => idempotent(request, h, db, (given) => writeUnder(given, request, config, async (trx, user, caller) => {
                const made = await insertProject(trx, user, caller.id, config.apiVersion, request.payload);
                if (made === undefined) {
                    throw notFound('user');
                }

                if (made.json === null) {
                    throw forbidden('A project can be made under one\'s own account only.');
                }

                return reply(h, `{"status":"created",${made.json}}`).code(201).location(`/users/${user}/projects/${made.id}`);
            }))
        });

        server.route<{ Params: Chain }>({
            method: 'GET',
            path,
            options: { ...operation('getProject'), app: { cost: 'cheap' }, cors: fixedCors, validate: { params: chain } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const found = await readAs(request, (reader) => findProject(db, user, project, tagsOfClient(request), reader));
                if (found === undefined) {
                    throw notFound('project');
                }

                return conditional(h, found.tag, found.json === null ? null : `{"status":"success","project":${found.json}}`);
            }
        });

        server.route<{ Params: Chain; Payload: Partial<ProjectFields> & Against }>({
            method: 'PATCH',
            path,
            options: { ...operation('updateProject'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap', limit: 'writes' }, validate: { params: chain, payload: projectChanges } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const { revision, merge, ...fields } = request.payload;
                const writer = writerOf(request, fields.visibility === undefined ? 'update' : 'manage', revision);
                const outcome = await inTurn(request, () => updateProject(db, user, project, writer, fields));
                return reply(h, await updatedOrError(request, { db, inTurn }, outcome, {
                    kind: 'project', chain: [user, project], writer, fields, merge, write: (trx, ...given) => updateProject(trx, user, project, ...given)
                }));
            }
        });

        server.route<{ Params: Chain; Payload: { revision?: number } }>({
            method: 'DELETE',
            path,
            options: { ...operation('deleteProject'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap', limit: 'writes' }, validate: { params: chain, payload: revisionOnly } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const writer = writerOf(request, 'remove', request.payload.revision);
                const outcome = await inTurn(request, () => deleteProject(db, user, project, writer));
                return thing(h, 'deleted', 'project', await writtenOrError(db, outcome, { kind: 'project', chain: [user, project], writer }));
            }
        });

        server.route<{ Params: Chain; Payload: { featured?: boolean; revision?: number } }>({
            method: 'PATCH',
            path: `${path}/feature`,
            options: { ...operation('featureProject'), auth: needs('projects'), app: { cost: 'cheap', limit: 'writes' }, validate: { params: chain, payload: featuring } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const { featured, revision } = request.payload;
                const writer = writerOf(request, 'feature', revision);
                const outcome = await inTurn(request, () => featureProject(db, user, project, writer, featured));
                return thing(h, 'updated', 'project', await writtenOrError(db, outcome, { kind: 'project', chain: [user, project], writer }));
            }
        });
    }
};
