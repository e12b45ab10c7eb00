import type { Api, CallOptions } from './api.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { Delivery, NewWebhook, Webhook } from './things.js';

type Named = Pick<Webhook, 'id'>;

/** Addresses to which the service tells what happens to your projects. */
export interface Webhooks {
    /** newest first */
    list(options?: CallOptions): Promise<Webhook[]>;
    /** Makes one. The secret that signs what is sent is shown only this once. @throws PagewrightError 409 `webhook_limit` */
    create(webhook: NewWebhook, options?: CallOptions): Promise<{ webhook: Webhook; secret: string }>;
    update(webhook: Named, changes: Partial<NewWebhook> & { enabled?: boolean }, options?: CallOptions): Promise<Webhook>;
    /** Makes a new secret, which is shown only this once. For a day the one before signs too. */
    replaceSecret(webhook: Named, options?: CallOptions): Promise<string>;
    delete(webhook: Named, options?: CallOptions): Promise<void>;
    /** Sends a test. @throws PagewrightError 409 `webhook_off` */
    test(webhook: Named, options?: CallOptions): Promise<Delivery>;
    /** what it was sent, newest first */
    deliveries(webhook: Named, options?: ListOptions): List<Delivery>;
    /** Sends a delivery again, with the same `webhook-id`. @throws PagewrightError 409 `webhook_off` */
    sendAgain(webhook: Named, delivery: Pick<Delivery, 'id'>, options?: CallOptions): Promise<Delivery>;
}

export function webhooksOf(api: Api): Webhooks {
    const own = ({ id }: Named): { path: { user: 'me'; webhook: string } } => ({ path: { user: 'me', webhook: id } });
    return {
        list: async (options) => (await api.GET('/users/{user}/webhooks', { params: { path: { user: 'me' } }, ...options })).data.webhooks,

        create: async (body, options) => {
            const { webhook, secret } = (await api.POST('/users/{user}/webhooks', { params: { path: { user: 'me' } }, body, ...options })).data;
            return { webhook, secret };
        },

        update: async (webhook, body, options) => (await api.PATCH('/users/{user}/webhooks/{webhook}', { params: own(webhook), body, ...options })).data.webhook,

        replaceSecret: async (webhook, options) => String((await api.PATCH('/users/{user}/webhooks/{webhook}', { params: own(webhook), body: { secret: true }, ...options })).data.secret),

        delete: async (webhook, options) => {
            await api.DELETE('/users/{user}/webhooks/{webhook}', { params: own(webhook), ...options });
        },

        test: async (webhook, options) => (await api.POST('/users/{user}/webhooks/{webhook}/test', { params: own(webhook), ...options })).data.delivery,

        deliveries: (webhook, options) => each(options, async (query, call) => {
            const { deliveries, next } = (await api.GET('/users/{user}/webhooks/{webhook}/deliveries', { params: { ...own(webhook), query }, ...call })).data;
            return { items: deliveries, next };
        }),

        sendAgain: async (webhook, { id }, options) => {
            return (await api.POST('/users/{user}/webhooks/{webhook}/deliveries/{delivery}', { params: { path: { ...own(webhook).path, delivery: id } }, ...options })).data.delivery;
        }
    };
}
