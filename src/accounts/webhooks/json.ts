import Joi from 'joi';

import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { KEPT_DELIVERIES, KEPT_DELIVERY_DAYS, MAX_LISTED, MAX_WAITING, MAX_WEBHOOKS, MAX_WEBHOOK_PROJECTS, WEBHOOK_RETRY_DAYS, inWords } from '../../limits';
import { id, idOf, shownId, text } from '../../api/request/schema';
import { bodyOf, next, record, shownRevision, time } from '../../api/representations/shapes';
import { TEST_EVENT, deliveryStates, offReasons, webhookEvents } from '../../api/representations/webhook-events';
import type { WebhookEvent } from '../../api/representations/webhook-events';

/** SQL for the JSON text of a webhook in the row `h`, without its secret. */
export const webhookJson = jsonObject({
    id: plainQuoted('h.id'),
    url: quoted('h.url'),
    events: 'to_json(h.events)::text',
    projects: orNull('to_json(h.projects::text[])::text'),
    enabled: bool('h.enabled'),
    reason: orNull(plainQuoted('h.reason')),
    switched_off_at: timeOrNull('h.off_at'),
    failing_since: timeOrNull('h.failing_since'),
    waiting: `(select count(*) from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting')::text`,
    previous_secret_until: timeOrNull('case when h.previous_until > now() then h.previous_until end'),
    created_at: plainQuoted(isoTime('h.created_at'))
});

/** SQL for the JSON text of a delivery in the row `d`, without what it says. */
export const deliveryJson = jsonObject({
    id: plainQuoted('d.id'),
    message: plainQuoted(`'msg_' || d.message`),
    event: plainQuoted('d.event'),
    project_id: orNull(plainQuoted('d.project_id')),
    revision: orNull('d.revision::text'),
    state: plainQuoted('d.state'),
    attempts: 'd.attempts',
    at: plainQuoted(isoTime('d.at')),
    last_attempt_at: timeOrNull('d.last_attempt_at'),
    next_attempt_at: timeOrNull(`case when d.state = 'waiting' then d.due_at end`),
    response_status: orNull('d.response_status::text'),
    duration_ms: orNull('d.duration_ms::text'),
    error: orNull(quoted('d.error'))
});

const anyEvent = Joi.string().valid(...webhookEvents);

/** The fields of a webhook that its owner writes. */
export interface WebhookFields {
    url: string;
    events: WebhookEvent[];
    projects: string[] | null;
}

export const webhookFields = {
    url: text(1, 512).pattern(/^https?:[/]{2}[^\s/?#@]+(?:[/?][^\s#]*)?$/, 'an https:// address without credentials and without a fragment')
        .description('Where the program listens: an `https` address on the public internet.').example('https://hooks.example/pagewright'),
    events: Joi.array().items(anyEvent).min(1).max(webhookEvents.length).custom((value: WebhookEvent[]) => [...new Set(value)])
        .description('What it is told of.').example(['project.created', 'project.changed']),
    projects: Joi.array().items(id).min(1).max(MAX_WEBHOOK_PROJECTS).custom((value: string[]) => [...new Set(value)]).allow(null)
        .description('Ids of the only projects that it tells of: one\'s own, and those that one is a member of. Null, or left out: all of one\'s own.').example(['12'])
};

const webhook = record({
    id: idOf('webhook'),
    url: webhookFields.url,
    events: webhookFields.events,
    projects: Joi.array().items(shownId).max(MAX_WEBHOOK_PROJECTS).allow(null).description('Ids of the only projects that it tells of; null for all of one\'s own.').example(['12']),
    enabled: Joi.boolean().description('Whether it is told anything at the moment.').example(true),
    reason: Joi.alternatives(Joi.valid(...offReasons), Joi.valid(null)).description(
        `Why the service has switched it off: \`failing\`, nothing could be delivered for ${WEBHOOK_RETRY_DAYS} days; \`gone\`, it answered 410; \`overfull\`, more than ${inWords(MAX_WAITING)} deliveries waited. Null if the service has not.`).example(null),
    switched_off_at: time.allow(null).description('Since when it is switched off, by its owner or by the service, in UTC; null if it is on. Nothing else tells of it.').example(null),
    failing_since: time.allow(null).description('Since when every attempt has failed, in UTC; null if the last one did not.').example(null),
    waiting: Joi.number().integer().min(0).description('How many deliveries wait.').example(0),
    previous_secret_until: time.allow(null).description('Until when the secret before the present one signs too, in UTC; null if it does not.').example(null),
    created_at: time.description('When it was made, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id('Webhook').description('An address to which the service tells what happens to projects.');

const delivery = record({
    id: idOf('delivery'),
    message: Joi.string().pattern(/^msg_[0-9a-f-]{36}$/).description('The `webhook-id` that each attempt has.').example('msg_6f1c2f0e-9a3b-4c55-8e0d-1f2a3b4c5d6e'),
    event: Joi.valid(...webhookEvents, TEST_EVENT).description('What it tells of.').example('project.changed'),
    project_id: shownId.allow(null).description('Id of the project; null for a test.').example('12'),
    revision: shownRevision.allow(null).description('The revision of the project that it tells of; null for a test.').example(3),
    state: Joi.valid(...deliveryStates).description(`\`waiting\`: it is sent as soon as possible, or tried again; \`delivered\`: the answer was 2xx; \`failed\`: it is not tried again by itself. The newest ${KEPT_DELIVERIES} that do not wait are kept, for ${KEPT_DELIVERY_DAYS} days.`).example('delivered'),
    attempts: Joi.number().integer().min(0).description('How often it was sent.').example(1),
    at: time.description('When it happened, in UTC.').example('2026-03-01T18:30:00.000Z'),
    last_attempt_at: time.allow(null).description('When it was sent last, in UTC.').example('2026-03-01T18:30:01.000Z'),
    next_attempt_at: time.allow(null).description('When it is sent next at the earliest, in UTC; null if it does not wait.').example(null),
    response_status: Joi.number().integer().min(100).max(999).allow(null).description('The status of the last answer; null if there was none.').example(204),
    duration_ms: Joi.number().integer().min(0).allow(null).description('How many milliseconds the last attempt took.').example(120),
    error: text(0, 200).allow(null).description('What went wrong the last time, in words; null if nothing did.').example(null)
}).id('Delivery').description('One event for one webhook.');

export const webhookSecret = Joi.string().pattern(/^whsec_[A-Za-z0-9+/]{43}=$/).description('The secret that signs what is sent: `whsec_`, and 256 random bits in base64. It is shown only in this response.')
    .example('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDVZK6J5dVkXQ=');

export const webhookBody = (status: 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { webhook });

export const webhookList = bodyOf('success', { webhooks: Joi.array().items(webhook).max(MAX_WEBHOOKS).description('Newest first.'), next });

export const deliveryBody = (status: 'created' | 'updated'): Joi.ObjectSchema => bodyOf(status, { delivery });

export const deliveryList = bodyOf('success', { deliveries: Joi.array().items(delivery).max(MAX_LISTED).description('Newest first.'), next });
