/*
 * What the statements of others say of webhooks (docs/decisions/fragments-of-owners.md). The row of a webhook is called `h`.
 */

/** SQL that reads the webhooks for which a condition holds; further ones may follow. */
export const fromWebhooks = (condition: string): string => `from webhooks h where ${condition}`;

/** SQL that reads the deliveries that wait for a webhook. */
export const fromWaiting = (webhook: string): string => `from webhook_deliveries d where d.webhook_id = ${webhook} and d.state = 'waiting'`;

/** SQL that reads who watches; a condition on `v.watched` says what. */
export const fromWatches = (condition: string): string => `from webhook_watches v where ${condition}`;

/** SQL that notes events: of which project and user, what happened, at which revision, whom it is told, and what it says. */
export const insertEvents = 'insert into webhook_events (project_id, user_id, event, revision, told, data)';
