import type { Knex } from 'knex';

const before = `'project.created', 'project.changed', 'project.deleted', 'project.remixed', 'project.featured', 'project.held'`;

/** SQL that says which events a webhook can be told. */
const known = (events: string): string => `
    alter table webhooks drop constraint webhooks_events_known;
    alter table webhooks add constraint webhooks_events_known check (cardinality(events) > 0 and events <@ array[${events}]);
`;

/** The event that somebody has commented. Milliseconds: the constraint is checked in a small table. */
export async function up(db: Knex): Promise<void> {
    await db.raw(known(`${before}, 'comment.created', 'work.handed_in'`));
}

/** What has been commented and was not told yet goes. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        delete from webhook_events where event = 'comment.created';
        delete from webhook_deliveries where event = 'comment.created';
        delete from webhooks where events = array['comment.created'];
        update webhooks set events = array_remove(events, 'comment.created');
    `);
    await db.raw(known(`${before}, 'work.handed_in'`));
}
