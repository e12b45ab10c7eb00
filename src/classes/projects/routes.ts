import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { notFound } from '../../api/errors/errors';
import type { Audience, PlaceState } from '../json';
import type { ListQuery } from '../../api/request/list-url';
import { placeOf, projectList } from '../../api/request/pagination';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { respondWith } from '../../api/request/shared-responses';
import { holdMembers } from '../../projects/members/queries';
import { writerOf } from '../../rules/access';
import type { ProjectIds } from '../../rules/chain';
import { checkLocked, checkPerson, lockClass } from '../access';
import type { ClassServices } from '../access';
import { classOperation } from '../docs';
import { listClassProjects, listProjectClasses, listUnseen, putIntoClass, takeOutOfClass } from './queries';
import { galleryQuery, placing } from '../schema';

type ProjectClassParams = ProjectIds & { class_id: string };

/** The routes of projects that are in a class. */
export function projectRoutes(server: Server, { db, write, callerOf }: ClassServices): void {
    const path = '/users/{user}/projects/{project}/classes';
    const common = { auth: needs('projects'), app: { cost: 'cheap' } } as const;

    server.route<{ Params: ProjectIds }>({
        method: 'GET',
        path,
        options: { ...classOperation('listProjectClasses'), ...common, validate: { params: ids('user', 'project') } },
        handler: async (request, h) => {
            const { user, project } = request.params;
            return reply(h, `{"status":"success","classes":[${await listProjectClasses(db, [user, project], writerOf(request, 'manage'))}]}`);
        }
    });

    server.route<{ Params: ProjectClassParams; Payload: { audience: Audience } }>({
        method: 'PUT',
        path: `${path}/{class_id}`,
        options: { ...classOperation('putProjectClass'), ...common, validate: { params: ids('user', 'project', 'class_id'), payload: placing } },
        handler: async (request, h) => {
            const { user, project, class_id: id } = request.params;
            const { json, isNew } = await write.serialized(request, async (trx) => {
                // The class before the project, in the order of whoever tightens the class.
                const locked = await lockClass(trx, id, callerOf(request));
                await holdMembers(trx, [user, project], writerOf(request, 'manage'));
                const held = await checkLocked(locked, callerOf(request));
                if (held === undefined) {
                    throw notFound('class');
                }

                return putIntoClass(trx, [project, id], request.payload.audience, held.role === 'teacher');
            });
            return isNew ? thing(h, 'created', 'class', json).code(201) : thing(h, 'updated', 'class', json);
        }
    });

    server.route<{ Params: ProjectClassParams }>({
        method: 'DELETE',
        path: `${path}/{class_id}`,
        options: { ...classOperation('deleteProjectClass'), ...common, validate: { params: ids('user', 'project', 'class_id'), payload: Joi.object({}) } },
        handler: async (request, h) => {
            const { user, project, class_id: id } = request.params;
            return thing(h, 'deleted', 'class', await write.serialized(request, async (trx) => {
                await holdMembers(trx, [user, project], writerOf(request, 'manage'));
                return takeOutOfClass(trx, project, id);
            }));
        }
    });

    server.route<{ Params: { class_id: string }; Query: ListQuery & { pupil?: string; state?: PlaceState } }>({
        method: 'GET',
        path: '/classes/{class_id}/projects',
        // It finds the newest among all projects of the class.
        options: { ...classOperation('listClassProjects'), ...common, app: { cost: 'heavy' }, validate: { params: ids('class_id'), query: galleryQuery } },
        handler: async (request, h) => {
            const { params: { class_id: id }, query: { pupil = null, state = null } } = request;
            const { id: caller, everybody } = callerOf(request);
            const { role } = await checkPerson(db, id, { id: caller, everybody });
            const page = await listClassProjects(db, id, { caller, teaches: role === 'teacher', pupil, state }, placeOf(request.query));
            return respondWith(h, request, projectList(page, `"unseen":[${await listUnseen(db, id, page)}],`));
        }
    });
}
