import { operations } from '../../api/description/operation';
import { guarded, onceErrors } from '../../api/errors/registry';
import { deliveryBody, deliveryList, webhookBody, webhookList, webhookSecret } from './json';
import { MAX_WAITING, MAX_WEBHOOKS, OLD_SECRET_HOURS, WEBHOOK_RETRY_DAYS, WEBHOOK_SECONDS, inWords } from '../../limits';

export const webhookOperation = operations('Webhooks', {
    listWebhooks: {
        summary: 'List one\'s own webhooks',
        notes: 'Newest first, without their secrets.',
        answers: { 200: webhookList },
        headers: ['Link'],
        errors: guarded
    },
    createWebhook: {
        summary: 'Make a webhook',
        notes: `The service sends a POST to \`url\` for each event, signed as the Standard Webhooks specification says. It tells of one's own projects, or of those in \`projects\`. An account has at most ${MAX_WEBHOOKS}.`,
        answers: { 201: webhookBody('created').keys({ secret: webhookSecret.required() }) },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'webhook_limit')
    },
    updateWebhook: {
        summary: 'Change a webhook',
        notes: `Replaces the fields in the body; at least one is needed. A new \`secret\` is shown in the response, and the one before signs too for ${OLD_SECRET_HOURS} hours. What waits is sent at once to a new \`url\`.`,
        answers: { 200: webhookBody('updated').keys({ secret: webhookSecret.optional() }) },
        errors: guarded
    },
    deleteWebhook: {
        summary: 'Delete a webhook',
        notes: 'This cannot be undone. What waits is not sent.',
        answers: { 200: webhookBody('deleted') },
        errors: guarded
    },
    testWebhook: {
        summary: 'Send a test to a webhook',
        notes: 'Sends the event `webhook.test` as soon as possible. The list of deliveries says whether it arrived.',
        answers: { 201: deliveryBody('created') },
        errors: onceErrors(...guarded, 'webhook_off', 'webhook_full')
    },
    listDeliveries: {
        summary: 'List what a webhook was sent',
        notes: `Newest first. A delivery is tried again for ${WEBHOOK_RETRY_DAYS} days if no answer with a status of 2xx comes within ${WEBHOOK_SECONDS} seconds; those of one project arrive in order. At most ${inWords(MAX_WAITING)} wait.`,
        answers: { 200: deliveryList },
        headers: ['Link'],
        errors: guarded
    },
    sendDeliveryAgain: {
        summary: 'Send a delivery again',
        notes: 'Sends it as soon as possible, with the same `webhook-id`, whether it arrived before or not.',
        answers: { 200: deliveryBody('updated') },
        errors: [...guarded, 'webhook_off', 'webhook_full']
    }
});
