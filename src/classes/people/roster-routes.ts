import type { Server } from '@hapi/hapi';

import { localOnly, needs, notCached } from '../../api/auth/strategy';
import { fault } from '../../api/errors/errors';
import { signalOf } from '../../api/request/client-gone';
import { reply } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { checkTeacher, holdAsTeacher } from '../access';
import type { ClassServices } from '../access';
import { newPictures } from '../pictures/pictures';
import { deletePictures, putPictures } from '../pictures/queries';
import { updatePupil } from './queries';
import { rosterOperation } from './roster-docs';
import { languageOf } from '../../accounts/users/managed-accounts';
import { changePassphrase, enrol, withPassphrases } from './roster';
import { newPupils, pupilChanges } from '../schema';

type ClassParams = { class_id: string };

/** The routes that make pass-phrases and pictures. They are hashed one by one before anything is locked, in the queue of all passwords, until the client leaves, and hold up nobody; so the routes count as cheap. */
export function rosterRoutes(server: Server, { config, db, write, callerOf, isBlocked }: ClassServices): void {
    const common = { ...notCached, auth: needs('projects'), app: { cost: 'cheap', limit: 'rosters', signedIn: true } } as const;

    server.route<{ Params: ClassParams; Payload: { names: string[] } }>({
        method: 'POST',
        path: '/classes/{class_id}/pupils',
        options: { ext: localOnly(config.auth), ...common, ...rosterOperation('createPupils'), validate: { params: ids('class_id'), payload: newPupils } },
        handler: async (request, h) => {
            const { class_id: id } = request.params;
            const caller = callerOf(request);
            const { picture_sign_in: withPictures } = await checkTeacher(db, id, caller);
            const language = await languageOf(db, caller.id);
            const enrolled = await withPassphrases(request.payload.names, language, withPictures, request.turn(), signalOf(request));
            const response = await write.idempotentTransaction(request, h, async (trx) => {
                const { publish, picture_sign_in: hasPictures } = await holdAsTeacher(trx, id, caller);
                const allowed = hasPictures ? enrolled : enrolled.map((one) => ({ ...one, drawn: null }));
                const pupils = await enrol(trx, { classId: id, language, publish }, allowed, isBlocked);
                const made = reply(h, JSON.stringify({ status: 'created', pupils })).code(201);
                made.app.isKeptWhole = true;
                return made;
            });
            // Also for a response that was kept: whoever is no teacher of the class any more sees no pass-phrases.
            await checkTeacher(db, id, caller);
            return response;
        }
    });

    server.route<{ Params: ClassParams & { pupil: string }; Payload: { name?: string; passphrase?: true; pictures?: boolean } }>({
        method: 'PATCH',
        path: '/classes/{class_id}/pupils/{pupil}',
        options: { ...common, ...rosterOperation('updatePupil'), app: { cost: 'cheap', signedIn: true }, validate: { params: ids('class_id', 'pupil'), payload: pupilChanges } },
        handler: async (request, h) => {
            const { params: { class_id: id, pupil }, payload: { name, passphrase: renew, pictures } } = request;
            const caller = callerOf(request);
            await checkTeacher(db, id, caller);
            const [made] = renew ? await withPassphrases([''], await languageOf(db, caller.id), false, request.turn(), signalOf(request)) : [];
            const drawn = pictures ? await newPictures(request.turn(), signalOf(request)) : undefined;
            const json = await write.together(request, async (trx) => {
                const held = await holdAsTeacher(trx, id, caller);
                await updatePupil(trx, id, pupil, name);
                if (made !== undefined) {
                    await changePassphrase(trx, id, pupil, made.hash);
                }

                if (drawn !== undefined && !held.picture_sign_in) {
                    throw fault('pictures_off');
                }

                if (drawn !== undefined) {
                    await putPictures(trx, id, [{ id: pupil, hash: drawn.hash }]);
                }

                if (pictures === false) {
                    await deletePictures(trx, id, pupil);
                }

                // As they are after all of it.
                return updatePupil(trx, id, pupil, undefined);
            });
            const shown = [
                `"pupil":${json}`,
                ...made === undefined ? [] : [`"passphrase":"${made.passphrase}"`],
                ...drawn === undefined ? [] : [`"pictures":${JSON.stringify(drawn.pictures)}`]
            ];
            return reply(h, `{"status":"updated",${shown.join(',')}}`);
        }
    });
}
