import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { isManaged } from '../../api/auth/token-rights';
import { fault, forbidden } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Database } from '../../database/statements/connection';
import type { Sender } from '../../rules/write';
import { holdAsPerson, holdAsTeacher } from '../access';
import type { ClassServices } from '../access';
import { endSharing } from '../bounds';
import { classOperation } from '../docs';
import { deleteTeacher, putTeacher } from './queries';
import { removePupil } from './roster';
import { deletedPupil, teacherPath } from '../schema';

type PupilParams = { class_id: string; pupil: string };
type TeacherParams = { class_id: string; username: string };

/** The routes of the pupils and teachers of a class. */
export function peopleRoutes(server: Server, { write, callerOf }: ClassServices): void {
    const common = { auth: needs('projects'), app: { cost: 'cheap', signedIn: true } } as const;

    /** Does something in a class that is locked for one of its teachers. */
    const asTeacher = <Result>(request: Sender & { params: { class_id: string } }, work: (trx: Database, id: string) => Promise<Result>): Promise<Result> => {
        const { class_id: id } = request.params;
        return write.together(request, async (trx) => {
            await holdAsTeacher(trx, id, callerOf(request));
            return work(trx, id);
        });
    };

    server.route<{ Params: PupilParams; Query: { account?: 'remove' } }>({
        method: 'DELETE',
        path: '/classes/{class_id}/pupils/{pupil}',
        options: { ...classOperation('deletePupil'), ...common, app: { ...common.app, cost: 'heavy', whilePaused: true }, validate: { params: ids('class_id', 'pupil'), payload: Joi.object({}), query: deletedPupil } },
        handler: async (request, h) => {
            const { class_id: id, pupil } = request.params;
            const json = await write.together(request, async (trx) => {
                const { role } = await holdAsPerson(trx, id, callerOf(request));
                if (role !== 'teacher' && pupil !== callerOf(request).id) {
                    throw forbidden('Only the teachers of this class can take others out.');
                }

                if (role !== 'teacher' && isManaged(currentUser(request))) {
                    throw fault('managed_account');
                }

                return removePupil(trx, id, pupil, request.query.account === 'remove');
            });
            return thing(h, 'deleted', 'pupil', json);
        }
    });

    server.route<{ Params: TeacherParams }>({
        method: 'PUT',
        path: '/classes/{class_id}/teachers/{username}',
        options: { ...classOperation('putTeacher'), ...common, validate: { params: teacherPath, payload: Joi.object({}) } },
        handler: async (request, h) => {
            const { json, isNew } = await asTeacher(request, (trx, id) => putTeacher(trx, id, request.params.username, callerOf(request)));
            return isNew ? thing(h, 'created', 'teacher', json).code(201) : thing(h, 'updated', 'teacher', json);
        }
    });

    server.route<{ Params: TeacherParams }>({
        method: 'DELETE',
        path: '/classes/{class_id}/teachers/{username}',
        options: { ...classOperation('deleteTeacher'), ...common, validate: { params: teacherPath, payload: Joi.object({}) } },
        handler: async (request, h) => {
            return thing(h, 'deleted', 'teacher', await asTeacher(request, async (trx, id) => {
                const json = await deleteTeacher(trx, id, request.params.username, callerOf(request).everybody);
                await endSharing(trx, id);
                return json;
            }));
        }
    });
}
