import type { Plugin, Request } from '@hapi/hapi';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import Joi from 'joi';

import { hashCode, newCode } from '../../api/auth/secrets';
import { accountHolder } from '../../api/auth/token-rights';
import { localOnly, needs, notCached, optionalToken } from '../../api/auth/strategy';
import { fault, notFound } from '../../api/errors/errors';
import { ownId } from '../../api/request/caller';
import { originFor } from '../../api/request/path';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Services } from '../../api/services';
import type { AuthoringServices } from '../../rules/write';
import { RECOVERY_CODES } from '../../limits';
import { checkAdded, optionsToAdd, optionsToSignIn } from './ceremony';
import type { Site } from './ceremony';
import { keepWayIn } from '../ways-in';
import { operation } from './docs';
import { deletePasskey, findOwner, insertPasskey, keepChallenge, listPasskeys, lockUser, mayHaveMore, replaceCodes } from './queries';
import { newPasskey, optionsFor } from './schema';

const ownerId = (request: Pick<Request, 'auth'> & { params: { user: string } }): string =>
    ownId(request, 'Only their owner can see and change passkeys.');

/** Where passkeys of this service are used. */
export const siteOf = (request: Pick<Request, 'url'>, config: Services['config']): Site => ({ origin: new URL(originFor(request, config)).origin, name: config.site?.name ?? 'Pagewright' });

/** Signing in by a device, without a password. Where tokens come from another provider, that provider has its own. */
export const passkeys: Plugin<AuthoringServices> = {
    name: 'passkeys',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const ext = localOnly(config.auth);
        const path = '/users/{user}/passkeys';
        const own = { ext, auth: needs('user') };

        server.route<{ Payload: { to: 'sign_in' | 'add' } }>({
            method: 'POST',
            path: '/passkeys/options',
            options: { ext, ...operation('getPasskeyOptions'), ...notCached, auth: optionalToken, app: { cost: 'cheap', limit: 'passkeyOptions' }, validate: { payload: optionsFor } },
            handler: async (request, h) => {
                const site = siteOf(request, config);
                if (request.payload.to === 'sign_in') {
                    const options = await optionsToSignIn(site);
                    await keepChallenge(db, options.challenge, null);
                    return reply(h, JSON.stringify({ status: 'success', options }));
                }

                const { id } = accountHolder(request);
                const options = await optionsToAdd(site, { id, ...await findOwner(db, id) });
                await keepChallenge(db, options.challenge, id);
                return reply(h, JSON.stringify({ status: 'success', options }));
            }
        });

        server.route<{ Params: { user: string } }>({
            method: 'GET',
            path,
            options: { ...own, ...operation('listPasskeys'), app: { cost: 'cheap', signedIn: true }, validate: { params: ids('user') } },
            handler: async (request, h) => {
                const { passkeys: all, codes, has_password: hasPassword } = await listPasskeys(db, ownerId(request));
                return reply(h, `{"status":"success","passkeys":[${all}],"recovery_codes":${codes},"has_password":${hasPassword}}`);
            }
        });

        server.route<{ Params: { user: string }; Payload: { label: string; passkey: RegistrationResponseJSON } }>({
            method: 'POST',
            path,
            options: { ...own, ...operation('addPasskey'), app: { cost: 'cheap', signedIn: true, notManaged: true }, validate: { params: ids('user'), payload: newPasskey } },
            handler: async (request, h) => {
                const { label, passkey } = request.payload;
                const userId = ownerId(request);
                const added = await checkAdded(db, siteOf(request, config), userId, passkey);
                if (added === undefined) {
                    throw fault('passkey_invalid');
                }

                const json = await write.together(request, async (trx) => {
                    if (!await mayHaveMore(trx, userId)) {
                        throw fault('passkey_limit');
                    }

                    return insertPasskey(trx, { userId, ...added, transports: passkey.response.transports ?? [], label });
                });
                if (json === undefined) {
                    throw fault('passkey_invalid', 'This passkey is of an account already.');
                }

                return thing(h, 'created', 'passkey', json).code(201);
            }
        });

        server.route<{ Params: { user: string; passkey: string } }>({
            method: 'DELETE',
            path: `${path}/{passkey}`,
            options: { ...own, ...operation('deletePasskey'), app: { cost: 'cheap', signedIn: true, whileSuspended: true }, validate: { params: ids('user', 'passkey'), payload: Joi.object({}) } },
            handler: async (request, h) => {
                const { passkey } = request.params;
                const userId = ownerId(request);
                const json = await write.together(request, async (trx) => {
                    await lockUser(trx, userId);
                    const removed = await deletePasskey(trx, userId, passkey);
                    if (removed === undefined) {
                        throw notFound('passkey');
                    }

                    await keepWayIn(trx, userId, config.signIn);
                    return removed;
                });

                return thing(h, 'deleted', 'passkey', json);
            }
        });

        server.route<{ Params: { user: string } }>({
            method: 'POST',
            path: '/users/{user}/recovery-codes',
            options: { ...own, ...operation('createRecoveryCodes'), ...notCached, app: { cost: 'cheap', signedIn: true, whileSuspended: true, notManaged: true }, validate: { params: ids('user'), payload: Joi.object({}) } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const codes = Array.from({ length: RECOVERY_CODES }, newCode);
                await replaceCodes(trx, ownerId(request), codes.map(hashCode));
                return reply(h, JSON.stringify({ status: 'created', codes })).code(201);
            })
        });
    }
};
