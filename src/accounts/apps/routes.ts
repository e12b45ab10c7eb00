import type { Plugin, Request } from '@hapi/hapi';
import Joi from 'joi';

import { hashSecret, newSecret } from '../../api/auth/secrets';
import { localOnly, needs, notCached } from '../../api/auth/strategy';
import { fault, notFound } from '../../api/errors/errors';
import type { AppFields } from '../../api/representations/app';
import { currentUser, ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { replyShort, shortQuery } from '../../api/request/short-lists';
import type { AuthoringServices } from '../../rules/write';
import { appOperation } from './docs';
import { endAuthorizations, listAuthorizations } from './authorizations';
import { deleteApp, findApp, hasApp, insertApp, listApps, replaceAppSecret, updateApp } from './queries';
import { appChanges, newApp } from './schema';

type Chain = {
    user: string;
    app: string;
};

/** Programs of others that sign people in. Where tokens come from another provider, that provider has its own. */
export const apps: Plugin<AuthoringServices> = {
    name: 'apps',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const path = '/users/{user}/apps';
        const own = { ext: localOnly(config.auth), auth: needs('user'), app: { cost: 'cheap', signedIn: true } as const };

        const checkOwn = (request: Pick<Request, 'auth'> & { params: { user: string } }): string => ownId(request, 'This is for the user of the account alone.');

        /** The result of an action on the caller's app. @throws 404 if the user of the path has none, 403 if that is somebody else */
        const ofOwn = async (request: Pick<Request, 'auth'> & { params: Chain }, action: (userId: string, id: string) => Promise<string | undefined>): Promise<string> => {
            const { user, app } = request.params;
            if (user !== currentUser(request).id && await hasApp(db, user, app)) {
                checkOwn(request);
            }

            const json = user === currentUser(request).id ? await action(user, app) : undefined;
            if (json === undefined) {
                throw notFound('app');
            }

            return json;
        };

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/users/{user}/authorizations',
            options: { ...own, ...appOperation('listAuthorizations'), validate: { params: ids('user'), query: shortQuery } },
            handler: (request, h) => replyShort(h, request, 'authorizations', (place) => listAuthorizations(db, checkOwn(request), place))
        });

        server.route<{ Params: Chain }>({
            method: 'DELETE',
            path: '/users/{user}/authorizations/{app}',
            options: { ...own, ...appOperation('deleteAuthorization'), app: { ...own.app, whileSuspended: true }, validate: { params: ids('user', 'app'), payload: Joi.object({}) } },
            handler: async (request, h) => {
                const ended = await endAuthorizations(db, checkOwn(request), request.params.app);
                if (ended === undefined) {
                    throw fault('not_found', 'You have not let this app in, or have ended that already.');
                }

                return thing(h, 'deleted', 'authorization', ended);
            }
        });

        server.route<{ Params: { app: string } }>({
            method: 'GET',
            path: '/apps/{app}',
            options: { ...appOperation('getApp'), app: { cost: 'cheap' }, validate: { params: ids('app') } },
            handler: async (request, h) => {
                const app = await findApp(db, request.params.app);
                if (app === undefined) {
                    throw notFound('app');
                }

                return thing(h, 'success', 'app', app);
            }
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...own, ...appOperation('listApps'), validate: { params: ids('user'), query: shortQuery } },
            handler: (request, h) => replyShort(h, request, 'apps', (place) => listApps(db, checkOwn(request), place))
        });

        server.route<{ Params: { user: string }; Payload: AppFields & { confidential: boolean } }>({
            method: 'POST',
            path,
            options: { ...own, ...appOperation('createApp'), ...notCached, app: { ...own.app, notManaged: true, texts: ['name'] }, validate: { params: ids('user'), payload: newApp } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const secret = request.payload.confidential ? newSecret() : null;
                const made = await insertApp(trx, checkOwn(request), request.payload, secret === null ? null : hashSecret(secret));
                if (made === undefined) {
                    throw fault('app_limit');
                }

                return reply(h, `{"status":"created","app":${made.app}${secret === null ? '' : `,"client_secret":"${secret}"`}}`).code(201).location(`/apps/${made.id}`);
            })
        });

        server.route<{ Params: Chain; Payload: Partial<AppFields> }>({
            method: 'PATCH',
            path: `${path}/{app}`,
            options: { ...own, ...appOperation('updateApp'), app: { ...own.app, texts: ['name'] }, validate: { params: ids('user', 'app'), payload: appChanges } },
            handler: async (request, h) => thing(h, 'updated', 'app', await ofOwn(request, (userId, id) => updateApp(db, userId, id, request.payload)))
        });

        server.route<{ Params: Chain }>({
            method: 'POST',
            path: `${path}/{app}/secret`,
            options: { ...own, ...appOperation('replaceAppSecret'), ...notCached, validate: { params: ids('user', 'app'), payload: Joi.object({}) } },
            handler: (request, h) => write.idempotent(request, h, async (given) => {
                const secret = newSecret();
                const app = await ofOwn(request, async (userId, id) => {
                    const changed = await replaceAppSecret(given, userId, id, hashSecret(secret));
                    if (changed === undefined && await hasApp(given, userId, id)) {
                        throw fault('not_found', 'This app has no secret. Only one that was registered as confidential has, because it runs on a server.');
                    }

                    return changed;
                });
                return reply(h, `{"status":"created","app":${app},"client_secret":"${secret}"}`).code(201);
            })
        });

        server.route<{ Params: Chain }>({
            method: 'DELETE',
            path: `${path}/{app}`,
            options: { ...own, ...appOperation('deleteApp'), app: { ...own.app, whileSuspended: true }, validate: { params: ids('user', 'app'), payload: Joi.object({}) } },
            handler: async (request, h) => thing(h, 'deleted', 'app', await ofOwn(request, (userId, id) => deleteApp(db, userId, id)))
        });
    }
};
