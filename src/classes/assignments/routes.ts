import type { Server } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { fault } from '../../api/errors/errors';
import type { AssignmentFields } from './json';
import { preconditionOf } from '../../api/request/entity-tags';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { created, reply, thing } from '../../api/request/responses';
import { ids, revisionOnly } from '../../api/request/schema';
import { refuseStale } from '../../rules/conditional-write';
import { requestWrite } from '../../rules/write';
import { assignmentOperation } from './docs';
import { deleteAssignment, findAssignment, insertAssignment, listAssignments, readAssignment, updateAssignment } from './queries';
import { holdAsTeacher, lockForWrite } from '../access';
import type { ClassServices } from '../access';
import { classWriterOf, writtenInClass } from '../class-write';
import { assignmentChanges, newAssignment } from './schema';
import { checkTemplate } from './templates';

type ClassParams = { class_id: string };
type AssignmentParams = ClassParams & { assignment: string };

/** The routes of what the pupils of a class are to do. */
export function assignmentRoutes(server: Server, { db, write, callerOf }: ClassServices): void {
    const common = { auth: needs('projects'), app: { cost: 'cheap' } } as const;
    const app = { ...common.app, texts: ['title', 'text'] };
    const path = '/classes/{class_id}/assignments';
    const params = ids('class_id', 'assignment');

    server.route<{ Params: ClassParams; Payload: Pick<AssignmentFields, 'title' | 'text'> & Partial<AssignmentFields> }>({
        method: 'POST',
        path,
        options: { ...assignmentOperation('createAssignment'), ...common, app, validate: { params: ids('class_id'), payload: newAssignment } },
        handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
            const { params: { class_id: classId }, payload: { template = null, due_at: due = null, ...fields } } = request;
            const caller = callerOf(request);
            await holdAsTeacher(trx, classId, caller);
            if (template !== null) {
                await checkTemplate(trx, template, caller.id);
            }

            const made = await insertAssignment(trx, classId, caller.id, { ...fields, template, due_at: due });
            if (made === undefined) {
                throw fault('assignment_limit');
            }

            return created(h, 'created', 'assignment', made.json, `/classes/${classId}/assignments/${made.id}`);
        })
    });

    server.route<{ Params: ClassParams; Query: ListQuery }>({
        method: 'GET',
        path,
        options: { ...assignmentOperation('listAssignments'), ...common, validate: { params: ids('class_id'), query: feedQuery } },
        handler: async (request, h) => replyBounded(h, request, 'assignments', await listAssignments(db, request.params.class_id, callerOf(request), placeOf(request.query)))
    });

    server.route<{ Params: AssignmentParams }>({
        method: 'GET',
        path: `${path}/{assignment}`,
        options: { ...assignmentOperation('getAssignment'), ...common, validate: { params } },
        handler: async (request, h) => {
            const { class_id: classId, assignment } = request.params;
            return reply(h, `{"status":"success",${(await readAssignment(db, classId, assignment, callerOf(request))).slice(1)}`);
        }
    });

    server.route<{ Params: AssignmentParams; Payload: Partial<AssignmentFields> & { revision?: number } }>({
        method: 'PATCH',
        path: `${path}/{assignment}`,
        options: { ...assignmentOperation('updateAssignment'), ...common, app, validate: { params, payload: assignmentChanges } },
        handler: async (request, h) => {
            const { params: { class_id: classId, assignment: id }, payload: { revision, ...fields } } = request;
            const writer = classWriterOf(request, 'teacher', callerOf(request), revision);
            return thing(h, 'updated', 'assignment', await requestWrite(db, request, async (trx) => {
                const outcome = await updateAssignment(await lockForWrite(trx, classId, writer), writer, id, fields);
                const json = await writtenInClass(outcome, { trx, request, writer, what: 'assignment', read: () => findAssignment(trx, classId, id) });
                if (fields.template !== undefined && fields.template !== null) {
                    await checkTemplate(trx, fields.template, writer.id);
                }

                return json;
            }));
        }
    });

    server.route<{ Params: AssignmentParams; Payload: { revision?: number } }>({
        method: 'DELETE',
        path: `${path}/{assignment}`,
        options: { ...assignmentOperation('deleteAssignment'), ...common, validate: { params, payload: revisionOnly } },
        handler: async (request, h) => {
            const { class_id: classId, assignment: id } = request.params;
            const precondition = preconditionOf(request, request.payload.revision);
            return thing(h, 'deleted', 'assignment', await write.together(request, async (trx) => {
                await holdAsTeacher(trx, classId, callerOf(request));
                const found = await findAssignment(trx, classId, id);
                refuseStale('assignment', precondition, found);
                return deleteAssignment(trx, id);
            }));
        }
    });
}
