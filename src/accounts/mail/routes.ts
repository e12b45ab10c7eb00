import type { Plugin, Request, RouteOptions } from '@hapi/hapi';
import Joi from 'joi';

import { checkPassword, hashPassword, hashSecret } from '../../api/auth/secrets';
import { localOnly, needs, notCached } from '../../api/auth/strategy';
import { fault, notFound } from '../../api/errors/errors';
import { usernameKey } from '../../api/representations/username';
import { ownId } from '../../api/request/caller';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import type { Config } from '../../config';
import { findPasswordOf } from '../users/queries';
import { mailOperation } from './docs';
import { addressKey } from './keys';
import { askForPassword } from './outbox';
import { confirmAddress, findAddress, findOwner, proposeAddress, removeAddress, replacePassword } from './queries';
import { confirmation, newAddress, newPassword, passwordRequest } from './schema';

/** Route option: without a mail server this route is always an error, which is sent before any other check. */
function mailOnly({ auth, mail }: Pick<Config, 'auth' | 'mail'>): RouteOptions['ext'] {
    if (mail !== null || auth.provider !== 'local') {
        return localOnly(auth);
    }

    const method = (): never => {
        throw fault('mail_off');
    };

    return { onPreAuth: { method } };
}

/** Addresses of people, and new passwords by mail. No request waits for the mail server: what is to be sent goes through the outbox. */
export const mail: Plugin<AuthoringServices> = {
    name: 'mail',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const path = '/users/{user}/address';
        const ext = mailOnly(config);
        const own = { ext, auth: needs('user') };
        const ownerId = (request: Pick<Request, 'auth'> & { params: { user: string } }): string =>
            ownId(request, 'Only its own user can see and change an address.');

        server.route<{ Params: { user: string } }>({
            method: 'GET',
            path,
            options: { ...own, ...mailOperation('getAddress'), app: { cost: 'cheap', signedIn: true }, validate: { params: ids('user') } },
            handler: async (request, h) => thing(h, 'success', 'address', await findAddress(db, ownerId(request)))
        });

        server.route<{ Params: { user: string }; Payload: { address: string; current_password: string } }>({
            method: 'PUT',
            path,
            options: { ...own, ...mailOperation('changeAddress'), app: { cost: 'password', limit: 'passwords', signedIn: true, notManaged: true }, validate: { params: ids('user'), payload: newAddress } },
            handler: async (request, h) => {
                const { address, current_password: password } = request.payload;
                const userId = ownerId(request);
                const hash = (await findPasswordOf(db, userId))?.password_hash ?? null;
                if (!await checkPassword(hash, password, (work) => request.inQueue(work))) {
                    throw fault('wrong_password');
                }

                const outcome = await write.together(request, (trx) => proposeAddress(trx, userId, hash, address));
                if (outcome !== 'done') {
                    // The password may have been changed by another request meanwhile.
                    throw outcome === 'changed' ? fault('wrong_password') : outcome === 'full' ? fault('mail_full') : fault('mail_limit');
                }

                return thing(h, 'updated', 'address', await findAddress(db, userId));
            }
        });

        server.route<{ Params: { user: string }; Payload: { key: string } }>({
            method: 'POST',
            path: `${path}/confirmations`,
            options: { ...own, ...mailOperation('confirmAddress'), app: { cost: 'cheap', limit: 'links', signedIn: true, notManaged: true }, validate: { params: ids('user'), payload: confirmation } },
            handler: async (request, h) => {
                const { key } = request.payload;
                const userId = ownerId(request);
                await write.together(request, async (trx) => {
                    const outcome = await confirmAddress(trx, userId, hashSecret(key));
                    if (outcome !== 'done') {
                        throw outcome === 'limit' ? fault('address_limit') : fault('link_invalid');
                    }
                });
                return thing(h, 'updated', 'address', await findAddress(db, userId));
            }
        });

        server.route<{ Params: { user: string } }>({
            method: 'DELETE',
            path,
            options: { ...own, ...mailOperation('deleteAddress'), app: { cost: 'cheap', signedIn: true, whileSuspended: true }, validate: { params: ids('user'), payload: Joi.object({}) } },
            handler: async (request, h) => {
                const userId = ownerId(request);
                const address = await write.together(request, (trx) => removeAddress(trx, userId));
                if (address === undefined) {
                    throw notFound('address');
                }

                return thing(h, 'deleted', 'address', address);
            }
        });

        server.route<{ Payload: { account: string } }>({
            method: 'POST',
            path: '/new-passwords/mails',
            options: { ext, ...mailOperation('askForPassword'), ...notCached, app: { cost: 'cheap', limit: 'mails' }, validate: { payload: passwordRequest } },
            handler: async ({ payload: { account } }, h) => {
                const given = account.trim();
                if (!await askForPassword(db, given.includes('@') ? addressKey(given) : usernameKey(given))) {
                    throw fault('mail_full');
                }

                return reply(h, '{"status":"success"}');
            }
        });

        server.route<{ Payload: { key: string; password: string } }>({
            method: 'POST',
            path: '/new-passwords',
            options: { ext, ...mailOperation('makePassword'), ...notCached, app: { cost: 'password', limit: 'links' }, validate: { payload: newPassword } },
            handler: async (request, h) => {
                const { key, password } = request.payload;
                const link = hashSecret(key);
                const userId = await findOwner(db, link);
                if (userId === undefined) {
                    throw fault('link_invalid');
                }

                const hash = await hashPassword(password, (work) => request.inQueue(work));
                const user = await write.together(request, (trx) => replacePassword(trx, userId, link, hash));
                if (user === undefined) {
                    // It was used by another request meanwhile.
                    throw fault('link_invalid');
                }

                return thing(h, 'updated', 'user', user);
            }
        });
    }
};
