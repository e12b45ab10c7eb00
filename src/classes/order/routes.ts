import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Sender } from '../../rules/write';
import { holdAsTeacher } from '../access';
import type { ClassServices } from '../access';
import { orderOperation } from './docs';
import { pausePupil, showInClass } from './queries';
import { pause, showing } from '../schema';

type PlaceParams = { class_id: string; project: string };
type PupilParams = { class_id: string; pupil: string };

/** The routes by which teachers keep a class in order. */
export function orderRoutes(server: Server, { write, callerOf }: ClassServices): void {
    const common = { auth: needs('projects'), app: { cost: 'cheap', signedIn: true } } as const;

    server.route<{ Params: PlaceParams; Payload: { state: 'shown' | 'hidden'; reason?: string } }>({
        method: 'PATCH',
        path: '/classes/{class_id}/projects/{project}',
        options: { ...orderOperation('showClassProject'), ...common, app: { ...common.app, texts: ['reason'] }, validate: { params: ids('class_id', 'project'), payload: showing } },
        handler: async (request, h) => {
            const { params: { class_id: id, project }, payload: { reason = null } } = request;
            return thing(h, 'updated', 'class', await write.together(request, async (trx) => {
                await holdAsTeacher(trx, id, callerOf(request));
                return showInClass(trx, id, project, reason);
            }));
        }
    });

    const pupilPath = '/classes/{class_id}/pupils/{pupil}/pause';
    const pauseUntil = (request: Sender & { params: PupilParams }, until: string | null): Promise<string> => {
        const { class_id: id, pupil } = request.params;
        return write.together(request, async (trx) => {
            await holdAsTeacher(trx, id, callerOf(request));
            return pausePupil(trx, id, pupil, until);
        });
    };

    server.route<{ Params: PupilParams; Payload: { until: string } }>({
        method: 'PUT',
        path: pupilPath,
        options: { ...orderOperation('pausePupil'), ...common, validate: { params: ids('class_id', 'pupil'), payload: pause } },
        handler: async (request, h) => thing(h, 'updated', 'pupil', await pauseUntil(request, request.payload.until))
    });

    server.route<{ Params: PupilParams }>({
        method: 'DELETE',
        path: pupilPath,
        options: { ...orderOperation('unpausePupil'), ...common, validate: { params: ids('class_id', 'pupil'), payload: Joi.object({}) } },
        handler: async (request, h) => thing(h, 'deleted', 'pupil', await pauseUntil(request, null))
    });
}
