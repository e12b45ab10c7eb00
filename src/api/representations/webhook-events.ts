/** Events of webhooks. The constraint webhooks_events_known has the same, and accounts/webhooks/schema.sql the triggers; comments are told of in community/comments/writes.ts, works in classes/works/events.ts, and the texts of the site are in web/locales. */
export const webhookEvents = ['project.created', 'project.changed', 'project.deleted', 'project.remixed', 'project.featured', 'project.held', 'comment.created', 'work.handed_in'] as const;

export type WebhookEvent = typeof webhookEvents[number];

/** The event of a test, which every webhook gets when its owner asks for it. */
export const TEST_EVENT = 'webhook.test';

/** Why the service switches a webhook off. The constraint webhooks_reason_known has the same. */
export const offReasons = ['failing', 'gone', 'overfull'] as const;

export type OffReason = typeof offReasons[number];

/** The constraint webhook_deliveries_state_known has the same. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
