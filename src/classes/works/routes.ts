import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { forbidden } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, replyBounded, risingPlaceOf } from '../../api/request/pagination';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { requestWrite } from '../../rules/write';
import { assignmentOperation } from '../assignments/docs';
import { lockMembership } from '../access';
import type { ClassServices } from '../access';
import { classWriterOf } from '../class-write';
import { workChanges } from './schema';
import { changeWork, roleFor } from './states';
import type { WorkChange } from './states';
import { beginWork, listWorks, showWork } from './queries';

type AssignmentParams = { class_id: string; assignment: string };

/** The routes of what pupils do for an assignment. */
export function workRoutes(server: Server, { config, db, write, callerOf }: ClassServices): void {
    const common = { auth: needs('projects'), app: { cost: 'cheap' } } as const;
    const path = '/classes/{class_id}/assignments/{assignment}/work';
    const params = ids('class_id', 'assignment');

    server.route<{ Params: AssignmentParams }>({
        method: 'POST',
        path,
        options: { ...assignmentOperation('startWork'), ...common, app: { cost: 'heavy' }, validate: { params, payload: Joi.object({}) } },
        handler: async (request, h) => {
            const { class_id: classId, assignment } = request.params;
            const caller = callerOf(request);
            const { app = null } = currentUser(request);
            const { isNew, json } = await write.together(request, async (trx) => {
                const { role } = await lockMembership(trx, classId, caller);
                // Before anything is looked up: who was paused meanwhile is told so, and not that there is no such assignment.
                await request.checkStillAllowed(trx);
                if (role !== 'pupil') {
                    throw forbidden('Only pupils of this class can begin a work.');
                }

                const begun = await beginWork(trx, { classId, everybody: caller.everybody }, [assignment, { id: caller.id, app }], config.apiVersion);
                return { isNew: begun.isNew, json: await showWork(trx, begun.id) };
            });
            return isNew ? thing(h, 'created', 'work', json).code(201) : thing(h, 'success', 'work', json);
        }
    });

    server.route<{ Params: AssignmentParams; Query: ListQuery }>({
        method: 'GET',
        path,
        options: { ...assignmentOperation('listWorks'), ...common, validate: { params, query: feedQuery } },
        handler: async (request, h) => {
            const { class_id: classId, assignment } = request.params;
            return replyBounded(h, request, 'works', await listWorks(db, [classId, assignment], callerOf(request), risingPlaceOf(request.query)));
        }
    });

    server.route<{ Params: AssignmentParams & { work: string }; Payload: WorkChange & { revision?: number } }>({
        method: 'PATCH',
        path: `${path}/{work}`,
        options: { ...assignmentOperation('updateWork'), ...common, app: { ...common.app, texts: ['note'] }, validate: { params: ids('class_id', 'assignment', 'work'), payload: workChanges } },
        handler: async (request, h) => {
            const { params: { class_id: classId, assignment, work: id }, payload: { revision, ...wanted } } = request;
            const writer = classWriterOf(request, roleFor(wanted), callerOf(request), revision);
            return thing(h, 'updated', 'work', await requestWrite(db, request, (trx) => changeWork(trx, request, [classId, assignment, id], writer, wanted)));
        }
    });
}
