import { randomBytes } from 'node:crypto';

import type { Plugin, Request } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { needs, notCached } from '../../api/auth/strategy';
import { fault, invalid, notFound } from '../../api/errors/errors';
import { addressRule } from '../../api/outgoing/addresses';
import { mayBeAllowed } from '../../api/outgoing/post';
import type { WebhookFields } from './json';
import { ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { replyShort, shortQuery } from '../../api/request/short-lists';
import type { AuthoringServices, Sender } from '../../rules/write';
import { webhookOperation } from './docs';
import { deleteWebhook, findWebhook, holdWebhook, insertWebhook, listDeliveries, listWebhooks, markProjectsInBatches, othersAmong, sendAgain, sendTest, updateWebhook } from './queries';
import type { WebhookChanges } from './queries';
import { newWebhook, webhookChanges } from './schema';
import { SECRET_BYTES, secretText } from './signature';

type Chain = {
    user: string;
    webhook: string;
};

/** Addresses to which the service tells what happens to projects. Only with a token of a sign-in: a webhook outlives tokens, and tells of what is private. */
export const webhooks: Plugin<AuthoringServices> = {
    name: 'webhooks',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const path = '/users/{user}/webhooks';
        const own = { auth: needs('user'), app: { cost: 'cheap', signedIn: true } as const };
        // It is noted at all projects that the webhook watches.
        const marking = { ...own.app, cost: 'heavy' } as const;
        const rule = addressRule(config.webhooksTo);

        const checkOwn = (request: Pick<Request, 'auth'> & { params: { user: string } }): string =>
            ownId(request, 'This is for the user of the account alone.');

        /** @throws 400 for an address that can never be sent to, or a project that is not the user's to watch */
        const check = async (userId: string, { url, projects }: Partial<WebhookFields>): Promise<void> => {
            if (url !== undefined && !mayBeAllowed(url, rule)) {
                throw invalid([{ path: 'url', message: '"url" must be an https address on the public internet' }]);
            }

            const others = await othersAmong(db, userId, projects ?? []);
            if (others.length > 0) {
                throw invalid(others.map((project) => ({ path: 'projects', message: `"projects" has ${project}, which is no project of yours, and none that you are a member of` })));
            }
        };

        /** Does something with a webhook of the caller in a transaction. @throws 404 if the caller has none with this id */
        const withOwn = (request: Sender & { params: Chain }, work: (trx: Knex.Transaction, userId: string, id: string) => Promise<string | undefined>): Promise<string> => {
            const userId = checkOwn(request);
            return write.together(request, async (trx) => {
                const json = await work(trx, userId, request.params.webhook);
                if (json === undefined) {
                    throw notFound('webhook');
                }

                return json;
            });
        };

        /** Locks a webhook of the caller that can get one more delivery. @throws 404 if the caller has none with this id, 409 if it gets none */
        const checkReady = async (trx: Knex.Transaction, userId: string, id: string): Promise<void> => {
            const state = await holdWebhook(trx, userId, id);
            if (state !== 'ready') {
                throw state === undefined ? notFound('webhook') : fault(`webhook_${state}`);
            }
        };

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...own, ...webhookOperation('listWebhooks'), validate: { params: ids('user'), query: shortQuery } },
            handler: (request, h) => replyShort(h, request, 'webhooks', (place) => listWebhooks(db, checkOwn(request), place))
        });

        server.route<{ Params: { user: string }; Payload: WebhookFields }>({
            method: 'POST',
            path,
            options: { ...own, ...webhookOperation('createWebhook'), ...notCached, app: { ...marking, notManaged: true }, validate: { params: ids('user'), payload: newWebhook } },
            handler: async (request, h) => {
                const userId = checkOwn(request);
                await check(userId, request.payload);
                if (request.payload.projects === null) {
                    await markProjectsInBatches(db, userId);
                }

                return await write.idempotentTransaction(request, h, async (trx) => {
                    const secret = randomBytes(SECRET_BYTES);
                    const made = await insertWebhook(trx, userId, request.payload, secret);
                    if (made === undefined) {
                        throw fault('webhook_limit');
                    }

                    return reply(h, `{"status":"created","webhook":${made.webhook},"secret":"${secretText(secret)}"}`).code(201).location(`/users/${userId}/webhooks/${made.id}/deliveries`);
                });
            }
        });

        server.route<{ Params: Chain; Payload: WebhookChanges & { secret?: true } }>({
            method: 'PATCH',
            path: `${path}/{webhook}`,
            options: { ...own, ...webhookOperation('updateWebhook'), ...notCached, app: marking, validate: { params: ids('user', 'webhook'), payload: webhookChanges } },
            handler: async (request, h) => {
                const { projects, enabled } = request.payload;
                const owner = checkOwn(request);
                await check(owner, request.payload);
                const secret = request.payload.secret === true ? randomBytes(SECRET_BYTES) : null;
                if (projects === null || (projects === undefined && enabled === true)) {
                    await markProjectsInBatches(db, owner);
                }

                const webhook = await withOwn(request, (trx, userId, id) => updateWebhook(trx, userId, id, request.payload, secret));
                return reply(h, `{"status":"updated","webhook":${webhook}${secret === null ? '' : `,"secret":"${secretText(secret)}"`}}`);
            }
        });

        server.route<{ Params: Chain }>({
            method: 'DELETE',
            path: `${path}/{webhook}`,
            options: { ...own, ...webhookOperation('deleteWebhook'), app: { ...marking, whileSuspended: true }, validate: { params: ids('user', 'webhook'), payload: Joi.object({}) } },
            handler: async (request, h) => thing(h, 'deleted', 'webhook', await withOwn(request, deleteWebhook))
        });

        server.route<{ Params: Chain }>({
            method: 'POST',
            path: `${path}/{webhook}/test`,
            options: { ...own, ...webhookOperation('testWebhook'), validate: { params: ids('user', 'webhook'), payload: Joi.object({}) } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const { webhook } = request.params;
                await checkReady(trx, checkOwn(request), webhook);
                return thing(h, 'created', 'delivery', await sendTest(trx, webhook)).code(201);
            })
        });

        server.route<{ Params: Chain; Query: ListQuery }>({
            method: 'GET',
            path: `${path}/{webhook}/deliveries`,
            options: { ...own, ...webhookOperation('listDeliveries'), validate: { params: ids('user', 'webhook'), query: feedQuery } },
            handler: async (request, h) => {
                const { webhook } = request.params;
                if (await findWebhook(db, checkOwn(request), webhook) === undefined) {
                    throw notFound('webhook');
                }

                return replyBounded(h, request, 'deliveries', await listDeliveries(db, webhook, placeOf(request.query)));
            }
        });

        server.route<{ Params: Chain & { delivery: string } }>({
            method: 'POST',
            path: `${path}/{webhook}/deliveries/{delivery}`,
            options: { ...own, ...webhookOperation('sendDeliveryAgain'), validate: { params: ids('user', 'webhook', 'delivery'), payload: Joi.object({}) } },
            handler: async (request, h) => thing(h, 'updated', 'delivery', await withOwn(request, async (trx, userId, id) => {
                await checkReady(trx, userId, id);
                const delivery = await sendAgain(trx, id, request.params.delivery);
                if (delivery === undefined) {
                    throw notFound('delivery');
                }

                return delivery;
            }))
        });
    }
};
