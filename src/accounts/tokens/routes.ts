import type { Plugin, Request } from '@hapi/hapi';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import Joi from 'joi';

import { fault, notFound } from '../../api/errors/errors';
import type { ListQuery } from '../../api/request/list-url';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { replyShort, shortQuery } from '../../api/request/short-lists';
import type { AuthoringServices, Sender } from '../../rules/write';
import { currentUser, ownId } from '../../api/request/caller';
import { fullScope } from '../../config/scopes';
import type { Scope } from '../../config/scopes';
import { tokenOperation } from './docs';
import { entered } from './entered';
import { withSecret } from './json';
import { deleteOwnTokens, deleteToken, findPassword, insertToken, listTokens, mayHaveMore, mayReadAll } from './queries';
import type { NewToken } from './queries';
import { newPersonalToken, signIn } from './schema';
import { usernameKey } from '../../api/representations/username';
import { checkSignIn } from '../passkeys/ceremony';
import { takeRecoveryCode } from '../passkeys/queries';
import { siteOf } from '../passkeys/routes';
import { devices } from '../../api/auth/devices';
import { checkPassword, hashCode, hashSecret, newSecret } from '../../api/auth/secrets';
import { localOnly, needs, notCached } from '../../api/auth/strategy';

/** One of three ways to sign in. */
type SignIn = {
    username?: string;
    password?: string;
    passkey?: AuthenticationResponseJSON;
    recovery_code?: string;
    scope?: Scope[];
    label?: string;
    expires_in?: number;
};

type NewPersonalToken = {
    label: string;
    scope: Scope[];
    projects?: string[];
    expires_in?: number;
};

type Made = NonNullable<Awaited<ReturnType<typeof insertToken>>>;

/** @throws 401 if nothing was made */
function madeOrRefused(made: Made | undefined, ...why: [] | [string]): Made {
    if (made === undefined) {
        throw fault('wrong_credentials', ...why);
    }

    return made;
}

export const tokens: Plugin<AuthoringServices> = {
    name: 'tokens',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const ext = localOnly(config.auth);
        const known = devices(db);

        /** The token of whoever signs in. @throws 401 if they may not */
        const signedIn = async (request: Pick<Request, 'inQueue' | 'url'> & Sender, { username = '', password = '', passkey, recovery_code: code }: SignIn, token: Omit<NewToken, 'userId' | 'passwordHash' | 'origin'>): Promise<Made> => {
            // What was answered or used stays so, also if nobody is signed in.
            if (passkey !== undefined) {
                return madeOrRefused(await write.together(request, async (trx) => {
                    const found = await checkSignIn(trx, siteOf(request, config), passkey);
                    return found && insertToken(trx, { ...token, ...found, passwordHash: null, origin: 'passkey' });
                }), 'This passkey is not known here, or its answer is no longer valid. Begin to sign in again.');
            }

            if (code !== undefined) {
                return madeOrRefused(await write.together(request, async (trx) => {
                    const userId = await takeRecoveryCode(trx, usernameKey(username), hashCode(code));
                    return userId === undefined ? undefined : insertToken(trx, { ...token, userId, passwordHash: null, origin: 'sign_in' });
                }), 'The username or the recovery code is wrong, or the code was used before.');
            }

            const user = await findPassword(db, username);
            const right = await checkPassword(user?.password_hash, password, (work) => request.inQueue(work));
            return madeOrRefused(right && user !== undefined ? await insertToken(db, { ...token, userId: user.id, passwordHash: user.password_hash, origin: 'sign_in' }) : undefined);
        };

        server.route<{ Payload: SignIn }>({
            method: 'POST',
            path: '/tokens',
            options: { ext, ...tokenOperation('createToken'), ...notCached, app: { cost: 'password', limit: 'passwords' }, validate: { payload: signIn } },
            handler: async (request, h) => {
                const { payload } = request;
                const { scope = fullScope, label = null, expires_in: expiresIn = config.tokenTtl } = payload;
                const secret = newSecret();
                const given = { hash: hashSecret(secret), scope, label, projects: null, expiresIn };
                const token = await signedIn(request, payload, given);
                return entered(h, { ...token, secret }, known, config);
            }
        });

        server.route<{ Params: { user: string }; Payload: NewPersonalToken }>({
            method: 'POST',
            path: '/users/{user}/tokens',
            options: {
                ext, ...tokenOperation('createPersonalToken'), ...notCached, auth: needs('user'), app: { cost: 'cheap', signedIn: true, notManaged: true },
                validate: { params: ids('user'), payload: newPersonalToken }
            },
            handler: (request, h) => {
                const { payload: { label, scope, projects = null, expires_in: expiresIn = config.tokenTtl } } = request;
                const user = ownId(request, 'Only the user can make tokens of their own.');
                return write.idempotentTransaction(request, h, async (trx) => {
                    if (!await mayHaveMore(trx, user)) {
                        throw fault('token_limit');
                    }

                    if (projects !== null && !await mayReadAll(trx, projects, currentUser(request))) {
                        throw notFound('project');
                    }

                    const secret = newSecret();
                    const made = await insertToken(trx, { userId: user, passwordHash: null, hash: hashSecret(secret), scope, label, origin: 'personal', projects, expiresIn });
                    if (made === undefined) {
                        throw notFound('user');
                    }

                    return reply(h, `{"status":"created","token":${withSecret(made.token, secret)}}`).code(201);
                });
            }
        });

        server.route<{ Query: ListQuery }>({
            method: 'GET',
            path: '/tokens',
            options: { ext, ...tokenOperation('listTokens'), app: { cost: 'cheap', signedIn: true }, auth: needs('user'), validate: { query: shortQuery } },
            handler: (request, h) => replyShort(h, request, 'tokens', (place) => listTokens(db, currentUser(request).id, place))
        });

        server.route({
            method: 'DELETE',
            path: '/tokens',
            options: { ext, ...tokenOperation('deleteTokens'), auth: needs('user'), app: { cost: 'cheap', whileSuspended: true, signedIn: true }, validate: { payload: Joi.object({}) } },
            handler: async (request, h) => reply(h, `{"status":"deleted","tokens":[${await deleteOwnTokens(db, currentUser(request).id)}]}`)
        });

        server.route<{ Params: { token: string } }>({
            method: 'DELETE',
            path: '/tokens/{token}',
            options: { ext, ...tokenOperation('deleteToken'), auth: needs('user'), app: { cost: 'cheap', signedIn: true, whileSuspended: true }, validate: { params: ids('token'), payload: Joi.object({}) } },
            handler: async (request, h) => {
                const token = await deleteToken(db, currentUser(request).id, request.params.token);
                if (token === undefined) {
                    throw notFound('token');
                }

                return thing(h, 'deleted', 'token', token);
            }
        });
    }
};
