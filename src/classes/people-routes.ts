import type { Request, Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { needs } from '../api/auth/strategy';
import { forbidden, notFound } from '../api/errors/errors';
import { currentUser } from '../api/request/caller';
import { thing } from '../api/request/responses';
import { ids } from '../api/request/schema';
import type { Database } from '../database/statements/connection';
import { transaction } from '../database/statements/transaction';
import { holdAsPerson, holdAsTeacher } from './access';
import type { ClassCaller } from './access';
import { classOperation } from './docs';
import { deletePupil, deleteTeacher, putTeacher, updatePupil } from './people';
import { pupilChanges, teacherPath } from './schema';

type PupilParams = { class: string; pupil: string };
type TeacherParams = { class: string; username: string };

interface PeopleServices {
    db: Knex;
    /** `TEACHERS=open` */
    everybody: boolean;
}

/** The routes of the pupils and teachers of a class. */
export function peopleRoutes(server: Server, { db, everybody }: PeopleServices): void {
    const common = { auth: needs('projects'), app: { cost: 'cheap' } } as const;
    const callerOf = (request: Pick<Request, 'auth'>): ClassCaller => ({ id: currentUser(request).id, everybody });

    /** Does something in a class that is locked for one of its teachers. */
    const asTeacher = <Result>(request: Pick<Request, 'app' | 'auth'> & { params: { class: string } }, work: (trx: Database, id: string) => Promise<Result>): Promise<Result> => {
        const { class: id } = request.params;
        return transaction(db, request.app.traceId, async (trx) => {
            await holdAsTeacher(trx, id, callerOf(request));
            return work(trx, id);
        });
    };

    server.route<{ Params: PupilParams; Payload: { name: string } }>({
        method: 'PATCH',
        path: '/classes/{class}/pupils/{pupil}',
        options: { ...classOperation('updatePupil'), ...common, validate: { params: ids('class', 'pupil'), payload: pupilChanges } },
        handler: async (request, h) => {
            const { params: { pupil }, payload: { name } } = request;
            return thing(h, 'updated', 'pupil', await asTeacher(request, (trx, id) => updatePupil(trx, id, pupil, name)));
        }
    });

    server.route<{ Params: PupilParams }>({
        method: 'DELETE',
        path: '/classes/{class}/pupils/{pupil}',
        options: { ...classOperation('deletePupil'), ...common, validate: { params: ids('class', 'pupil'), payload: Joi.object({}) } },
        handler: async (request, h) => {
            const { class: id, pupil } = request.params;
            const json = await transaction(db, request.app.traceId, async (trx) => {
                const { role } = await holdAsPerson(trx, id, callerOf(request));
                if (role !== 'teacher' && pupil !== callerOf(request).id) {
                    throw forbidden('Only the teachers of this class can take others out.');
                }

                return deletePupil(trx, id, pupil);
            });
            if (json === undefined) {
                throw notFound('pupil');
            }

            return thing(h, 'deleted', 'pupil', json);
        }
    });

    server.route<{ Params: TeacherParams }>({
        method: 'PUT',
        path: '/classes/{class}/teachers/{username}',
        options: { ...classOperation('putTeacher'), ...common, validate: { params: teacherPath, payload: Joi.object({}) } },
        handler: async (request, h) => {
            const { json, isNew } = await asTeacher(request, (trx, id) => putTeacher(trx, id, request.params.username, everybody));
            return isNew ? thing(h, 'created', 'teacher', json).code(201) : thing(h, 'updated', 'teacher', json);
        }
    });

    server.route<{ Params: TeacherParams }>({
        method: 'DELETE',
        path: '/classes/{class}/teachers/{username}',
        options: { ...classOperation('deleteTeacher'), ...common, validate: { params: teacherPath, payload: Joi.object({}) } },
        handler: async (request, h) => {
            return thing(h, 'deleted', 'teacher', await asTeacher(request, (trx, id) => deleteTeacher(trx, id, request.params.username, everybody)));
        }
    });
}
