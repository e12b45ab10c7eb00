import type { Plugin } from '@hapi/hapi';

import { withSecret } from '../tokens/json';
import { currentIdentity, currentUser, maybeUser } from '../../api/request/caller';
import { deleteTokens } from '../tokens/queries';
import { presentAlone, resultOrError } from '../../rules/conditional-write';
import { lockTaughtClasses, refuseLastTeacher } from '../../rules/last-teacher';
import type { States } from '../../rules/states';
import { checkPassword, hashPassword, hashSecret, newSecret } from '../../api/auth/secrets';
import { localOnly, needs, notCached } from '../../api/auth/strategy';
import { hasScope, isManaged } from '../../api/auth/token-rights';
import { isBounded } from '../../classes/publish-levels';
import { fixedCors } from '../../api/request/cross-origin';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { reply, thing } from '../../api/request/responses';
import { conditional, tagsOfClient, preconditionOf } from '../../api/request/entity-tags';
import { ids, revisionOnly } from '../../api/request/schema';
import { requestWrite } from '../../rules/write';
import type { AuthoringServices } from '../../rules/write';
import type { Database } from '../../database/statements/connection';
import { deleteContents } from './delete-contents';
import { openedAccount } from './open-account';
import { userOperation } from './docs';
import { deleteUser, findPasswordOf, findUser, insertUser, updatePassword, updateUser } from './queries';
import type { Opened, UserChanges } from './queries';
import { newAccount, newUser, passwordChange, userChanges } from './schema';
import { checkSignUpCode, spendCode } from './sign-up';

export const users: Plugin<AuthoringServices> = {
    name: 'users',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, isBlocked }) {
        const current = async (user: string): Promise<States | undefined> => presentAlone(await findUser(db, user, user, []));

        const checkName = (username: string): void => {
            if (isBlocked(username)) {
                throw fault('username_blocked');
            }
        };

        if (config.auth.provider === 'local') {
            server.route<{ Payload: { username: string; password: string; language?: string; code?: string } }>({
                method: 'POST',
                path: '/users',
                options: { ext: localOnly(config.auth), ...userOperation('createUser'), ...notCached, app: { cost: 'password', limit: 'signUps' }, validate: { payload: newUser } },
                handler: async (request, h) => {
                    const { username, password, language = 'en', code } = request.payload;
                    const needed = checkSignUpCode(config.signUp, code);
                    checkName(username);
                    // No database connection is held while the password is hashed.
                    const passwordHash = await hashPassword(password, (work) => request.inQueue(work));
                    // The use of a code counts only if the account is opened.
                    const once = needed === null ? write.idempotent : write.idempotentTransaction;
                    return once(request, h, async (trx) => {
                        await spendCode(trx, needed);
                        const secret = newSecret();
                        const { id, user, token } = await insertUser(trx, { username, language, passwordHash, tokenHash: hashSecret(secret), expiresIn: config.tokenTtl });
                        return reply(h, `{"status":"created","user":${user},"token":${withSecret(token, secret)}}`).code(201).location(`/users/${id}`);
                    });
                }
            });
        }
        else {
            // The token has the identity and the name.
            const limit = config.signUp === 'invite' ? 'signUps' : 'writes';
            server.route<{ Payload: { code?: string } }>({
                method: 'POST',
                path: '/users',
                options: { ...userOperation('openAccount'), auth: needs('user'), app: { cost: 'cheap', limit, signedIn: true, whileSuspended: true }, validate: { payload: newAccount } },
                handler: async (request, h) => {
                    const needed = maybeUser(request) === undefined ? checkSignUpCode(config.signUp, request.payload?.code) : null;
                    const open = async (trx: Database): Promise<Opened> => {
                        const account = await openedAccount(trx, currentIdentity(request));
                        await spendCode(trx, account.opened ? needed : null);
                        return account;
                    };

                    const { id, user, opened } = await (needed === null ? open(db) : write.together(request, open));
                    return thing(h, opened ? 'created' : 'success', 'user', user).code(opened ? 201 : 200).location(`/users/${id}`);
                }
            });
        }

        server.route<{ Params: { user: string } }>({
            method: 'GET',
            path: '/users/{user}',
            options: { ...userOperation('getUser'), app: { cost: 'cheap' }, auth: needs('user', 'projects'), cors: fixedCors, validate: { params: ids('user') } },
            handler: async (request, h) => {
                const found = await findUser(db, request.params.user, currentUser(request).id, tagsOfClient(request), hasScope(request, 'user'));
                if (found === undefined) {
                    throw notFound('user');
                }

                if (!found.allowed) {
                    throw forbidden('Only its own user can read an account.');
                }

                return conditional(h, found.tag, found.json === null ? null : `{"status":"success","user":${found.json}}`);
            }
        });

        server.route<{ Params: { user: string }; Payload: UserChanges & { revision?: number } }>({
            method: 'PATCH',
            path: '/users/{user}',
            // Only the name needs a token of a sign-in.
            options: { ...userOperation('updateUser'), auth: needs('user'), cors: fixedCors, app: { cost: 'cheap', signedIn: false, texts: ['about'] }, validate: { params: ids('user'), payload: userChanges } },
            handler: async (request, h) => {
                if (request.payload.username !== undefined && currentUser(request).signedIn === false) {
                    throw fault('sign_in_needed');
                }

                const { username, about } = request.payload;
                const caller = currentUser(request);
                if ((username !== undefined && isManaged(caller)) || (about !== undefined && isBounded(caller.publish))) {
                    throw fault('managed_account');
                }

                checkName(username ?? '');
                const precondition = preconditionOf(request, request.payload.revision);
                const outcome = await updateUser(db, request.params.user, caller, request.payload, precondition);
                if (outcome?.allowed === false) {
                    await request.checkStillAllowed(db);
                }

                return thing(h, 'updated', 'user', await resultOrError(outcome, 'user', precondition, () => current(request.params.user)));
            }
        });

        server.route<{ Params: { user: string }; Payload: { current_password: string; password: string } }>({
            method: 'PUT',
            path: '/users/{user}/password',
            options: {
                ext: localOnly(config.auth), ...userOperation('changePassword'), auth: needs('user'),
                app: { cost: 'password', limit: 'passwords', whileSuspended: true, signedIn: true },
                validate: { params: ids('user'), payload: passwordChange }
            },
            handler: async (request, h) => {
                const { params: { user }, payload, app } = request;
                const found = await findPasswordOf(db, user);
                if (found === undefined) {
                    throw notFound('user');
                }

                if (user !== currentUser(request).id) {
                    throw forbidden('Only its own user can change a password.');
                }

                const wrong = fault('wrong_password');
                if (!await checkPassword(found.password_hash, payload.current_password, (work) => request.inQueue(work))) {
                    throw wrong;
                }

                const hash = await hashPassword(payload.password, (work) => request.inQueue(work));
                const json = await write.together(request, async (trx) => {
                    const changed = await updatePassword(trx, user, found.password_hash, hash);
                    // The password may have been changed by another request meanwhile.
                    if (changed === undefined) {
                        throw wrong;
                    }

                    await deleteTokens(trx, [user], app.tokenHash);
                    return changed;
                });
                return thing(h, 'updated', 'user', json);
            }
        });

        server.route<{ Params: { user: string }; Payload: { revision?: number } }>({
            method: 'DELETE',
            path: '/users/{user}',
            options: { ...userOperation('deleteUser'), auth: needs('user'), cors: fixedCors, app: { cost: 'heavy', signedIn: true, whileSuspended: true, notManaged: true }, validate: { params: ids('user'), payload: revisionOnly } },
            handler: async (request, h) => {
                const { user } = request.params;
                const precondition = preconditionOf(request, request.payload.revision);
                const json = await requestWrite(db, request, async (trx) => {
                    if (user === currentUser(request).id) {
                        await refuseLastTeacher(await lockTaughtClasses(trx, user), config.teachers === 'open');
                        await request.checkStillAllowed(trx);
                    }

                    const outcome = await deleteUser(trx, user, currentUser(request).id, precondition);
                    const deleted = await resultOrError(outcome, 'user', precondition, () => current(user));
                    await deleteContents(trx, [user]);
                    return deleted;
                });
                return thing(h, 'deleted', 'user', json);
            }
        });
    }
};
