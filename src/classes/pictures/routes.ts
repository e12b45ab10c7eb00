import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { entered } from '../../accounts/tokens/entered';
import { devices } from '../../api/auth/devices';
import { checkPassword, hashSecret, newSecret } from '../../api/auth/secrets';
import { localOnly, needs, notCached } from '../../api/auth/strategy';
import { fault } from '../../api/errors/errors';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { checkTeacher, holdAsTeacher } from '../access';
import type { ClassServices } from '../access';
import { pictureOperation } from './docs';
import type { PictureName } from './names';
import { inOrder } from './pictures';
import { deleteDevice, enterByPictures, findPictures, insertDevice, listDevices, listNames, prepareDevice } from './queries';
import { onDevice, pictureSignIn, preparing } from './schema';

type ClassParams = { class_id: string };

interface PictureSignIn {
    device: string;
    pupil: string;
    pictures: PictureName[];
    label?: string;
    expires_in?: number;
}

const notPrepared = (): Error => fault('not_found', 'This device is not prepared for a class any more. Ask your teacher to prepare it.');

/** The routes of signing in with pictures: teachers prepare devices, and on these pupils find their names and sign in. */
export function pictureRoutes(server: Server, { config, db, write, callerOf }: ClassServices): void {
    const byTeacher = { auth: needs('projects'), app: { cost: 'cheap', signedIn: true } } as const;
    const ext = localOnly(config.auth);
    const onThisDevice = { ext, ...notCached, app: { cost: 'cheap', limit: 'links' } } as const;
    const known = devices(db);

    server.route<{ Params: ClassParams }>({
        method: 'POST',
        path: '/classes/{class_id}/devices',
        options: {
            ext, ...notCached, ...pictureOperation('createClassDevice'), ...byTeacher, validate: { params: ids('class_id'), payload: Joi.object({}) }
        },
        handler: async (request, h) => {
            const code = newSecret();
            const device = await write.together(request, async (trx) => {
                const { class_id: id } = request.params;
                if (!(await holdAsTeacher(trx, id, callerOf(request))).picture_sign_in) {
                    throw fault('pictures_off');
                }

                return insertDevice(trx, id, hashSecret(code));
            });
            return reply(h, `{"status":"created","device":${device},"code":"${code}"}`).code(201);
        }
    });

    server.route<{ Params: ClassParams }>({
        method: 'GET',
        path: '/classes/{class_id}/devices',
        options: { ...pictureOperation('listClassDevices'), ...byTeacher, validate: { params: ids('class_id') } },
        handler: async (request, h) => {
            await checkTeacher(db, request.params.class_id, callerOf(request));
            return reply(h, `{"status":"success","devices":[${await listDevices(db, request.params.class_id)}]}`);
        }
    });

    server.route<{ Params: ClassParams & { device: string } }>({
        method: 'DELETE',
        path: '/classes/{class_id}/devices/{device}',
        options: {
            ...pictureOperation('deleteClassDevice'), ...byTeacher, validate: { params: ids('class_id', 'device'), payload: Joi.object({}) }
        },
        handler: async (request, h) => thing(h, 'deleted', 'device', await write.together(request, async (trx) => {
            const { class_id: id, device } = request.params;
            await holdAsTeacher(trx, id, callerOf(request));
            return deleteDevice(trx, id, device);
        }))
    });

    server.route<{ Payload: { code: string; label?: string } }>({
        method: 'POST',
        path: '/class-devices',
        options: { ...onThisDevice, ...pictureOperation('prepareDevice'), app: { ...onThisDevice.app, texts: ['label'] }, validate: { payload: preparing } },
        handler: async (request, h) => {
            const { code, label = null } = request.payload;
            const secret = newSecret();
            const made = await prepareDevice(db, hashSecret(code), hashSecret(secret), label);
            if (made === undefined) {
                throw fault('not_found', 'This code was used before, or is over. Ask your teacher for another one.');
            }

            return reply(h, `{"status":"created","device":${made.device},"class":${made.class},"secret":"${secret}"}`).code(201);
        }
    });

    server.route<{ Payload: { device: string } }>({
        method: 'POST',
        path: '/class-devices/pupils',
        options: { ...onThisDevice, ...pictureOperation('listNamesOnDevice'), validate: { payload: onDevice } },
        handler: async (request, h) => {
            const found = await listNames(db, hashSecret(request.payload.device));
            if (found === undefined) {
                throw notPrepared();
            }

            return reply(h, `{"status":"success","class":${found.class},"pupils":[${found.pupils}]}`);
        }
    });

    server.route<{ Payload: PictureSignIn }>({
        method: 'POST',
        path: '/class-devices/tokens',
        options: {
            ...onThisDevice, ...pictureOperation('createTokenByPictures'), app: { cost: 'password', limit: 'passwords' },
            validate: { payload: pictureSignIn }
        },
        handler: async (request, h) => {
            const { device, pupil, pictures, label = null, expires_in: expiresIn = config.tokenTtl } = request.payload;
            const found = await findPictures(db, hashSecret(device), pupil);
            // Only whoever has a device of their class can use up the tries of a pupil.
            await (typeof found?.hash === 'string' && request.countGuess(`pictures ${pupil}`));
            const hash = found?.hash ?? null;
            const isRight = found !== undefined && await checkPassword(hash, inOrder(pictures), (work) => request.inQueue(work));
            const secret = newSecret();
            const made = isRight && hash !== null ? await write.together(request, (trx) => enterByPictures(trx, hash, {
                userId: pupil, classDeviceId: found.device, hash: hashSecret(secret), label, expiresIn
            })) : undefined;
            if (made === undefined) {
                throw fault('wrong_credentials', 'These are not the pictures of this pupil, or the device is not prepared any more.');
            }

            return entered(h, { ...made, secret }, known, config);
        }
    });
}
