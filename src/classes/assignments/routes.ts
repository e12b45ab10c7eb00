import type { Request, Server } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { fault } from '../../api/errors/errors';
import { JsonText } from '../../api/json/json-text';
import type { AssignmentFields } from './json';
import { preconditionOf } from '../../api/request/entity-tags';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { created, reply, thing } from '../../api/request/responses';
import { ids, revisionOnly } from '../../api/request/schema';
import type { Database } from '../../database/statements/connection';
import { resultOrError } from '../../rules/conditional-write';
import type { Sender } from '../../rules/write';
import { assignmentOperation } from './docs';
import { deleteAssignment, findAssignment, insertAssignment, listAssignments, readAssignment, updateAssignment } from './queries';
import { holdAsTeacher, holdsRevision } from '../access';
import type { ClassServices } from '../access';
import { assignmentChanges, newAssignment } from '../schema';
import { checkTemplate } from './templates';

type ClassParams = { class_id: string };
type AssignmentParams = ClassParams & { assignment: string };

/** The routes of what the pupils of a class are to do. */
export function assignmentRoutes(server: Server, { db, write, callerOf }: ClassServices): void {
    const common = { auth: needs('projects'), app: { cost: 'cheap' } } as const;
    const path = '/classes/{class_id}/assignments';
    const params = ids('class_id', 'assignment');

    /** Writes to an assignment as a teacher, with the class locked. @throws 404, 403 as `holdAsTeacher` does, 404 if there is no such assignment, 409 or 412 if it has changed */
    const change = (request: Sender & Pick<Request, 'headers'> & { params: AssignmentParams }, revision: number | undefined, work: (trx: Database, id: string) => Promise<string>): Promise<string> => {
        const { class_id: classId, assignment: id } = request.params;
        const precondition = preconditionOf(request, revision);
        return write.together(request, async (trx) => {
            await holdAsTeacher(trx, classId, callerOf(request));
            const found = await findAssignment(trx, classId, id);
            const written = holdsRevision(precondition, found.revision) ? await work(trx, id) : null;
            return resultOrError({ allowed: true, written }, 'assignment', precondition, () => Promise.resolve({ current: new JsonText(found.json), base: null, changedBy: null }));
        });
    };

    server.route<{ Params: ClassParams; Payload: Pick<AssignmentFields, 'title' | 'text'> & Partial<AssignmentFields> }>({
        method: 'POST',
        path,
        options: { ...assignmentOperation('createAssignment'), ...common, validate: { params: ids('class_id'), payload: newAssignment } },
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
        options: { ...assignmentOperation('updateAssignment'), ...common, validate: { params, payload: assignmentChanges } },
        handler: async (request, h) => {
            const { revision, ...fields } = request.payload;
            const { id: teacher } = callerOf(request);
            return thing(h, 'updated', 'assignment', await change(request, revision, async (trx, id) => {
                if (fields.template !== undefined && fields.template !== null) {
                    await checkTemplate(trx, fields.template, teacher);
                }

                return updateAssignment(trx, id, teacher, fields);
            }));
        }
    });

    server.route<{ Params: AssignmentParams; Payload: { revision?: number } }>({
        method: 'DELETE',
        path: `${path}/{assignment}`,
        options: { ...assignmentOperation('deleteAssignment'), ...common, validate: { params, payload: revisionOnly } },
        handler: async (request, h) => thing(h, 'deleted', 'assignment', await change(request, request.payload.revision, deleteAssignment))
    });
}
