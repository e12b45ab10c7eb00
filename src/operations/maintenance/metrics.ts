import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { keepFormerName } from '../../api/request/former-metrics';
import { byCitus } from '../../database/declaration';
import { startPolling } from '../../database/jobs/poll';
import { runAlways, statement } from '../../database/statements/statement';

const count = (of: string): string => `(select count(*) from (select from ${of} limit 100000) counted)::float8`;
const late = (since: string): string => `coalesce(extract(epoch from now() - (${since})), 0)::float8`;

const measured = statement({
    row: {
        bytes: 'double precision', maintained: 'double precision', trashed: 'double precision', backed_up: 'double precision',
        deliveries: 'double precision', deliveries_late: 'double precision', mails: 'double precision', mails_late: 'double precision',
        unindexed: 'double precision', notices: 'double precision'
    }, place: byCitus
}, `
    select (pg_total_relation_size('versions') + pg_total_relation_size('project_changes'))::float8 as bytes,
        ${late(`select nullif(done_until, '-infinity') from maintenance where name = 'hourly'`)} as maintained,
        ${late('select min(deleted_at) from trash')} as trashed,
        coalesce(extract(epoch from (select done_until from maintenance where name = 'backup')), 0)::float8 as backed_up,
        ${count(`webhook_deliveries where state = 'waiting'`)} as deliveries,
        ${late('select min(due_at) from webhooks where enabled and due_at < now()')} as deliveries_late,
        ${count(`mails where state = 'waiting'`)} as mails,
        ${late(`select min(due_at) from mails where state = 'waiting' and due_at < now()`)} as mails_late,
        ${count('search_queue')} as unindexed,
        ${count('notice_events')} as notices`);

/** Milliseconds between two measurements. */
const EVERY = 60_000;

/**
 * Keeps gauges for what is kept and what waits in the database, and for the times of the last maintenance and the last backup. They are
 * measured in the background, so that a scrape never waits for the database.
 * @returns a function that ends it
 */
export function keepGauges(registry: Registry, db: Knex, logger: Pick<Logger, 'warn'>, every = EVERY): () => Promise<void> {
    const gauge = (name: string, help: string): Gauge =>
        new Gauge({ name: `pagewright_${name}`, help, registers: [registry], aggregator: 'max' });
    const history = gauge('history_bytes', 'Size of all histories in the database, with indexes.');
    const maintained = gauge('maintenance_age_seconds', 'Since the last maintenance by any instance; 0 before the first.');
    const trashed = gauge('trash_age_seconds', 'Since the removal of the oldest thing in the trash; 0 if it is empty.');
    Object.entries({ history_bytes: history, maintenance_age_seconds: maintained, trash_age_seconds: trashed }).forEach(([former, metric]) => keepFormerName(former, metric, registry));
    const backup = gauge('backup_timestamp_seconds', 'When the last backup by `admin backup` was complete, in seconds since 1970; 0 before the first.');
    const deliveries = gauge('webhook_deliveries_waiting', 'Messages that wait to be sent to webhooks, also those whose receivers fail; at most 100,000.');
    const deliveriesLate = gauge('webhooks_late_seconds', 'For how long the webhook that is due longest has not been sent to; 0 if none waits.');
    const mails = gauge('mails_waiting', 'Mails that wait to be sent; at most 100,000.');
    const mailsLate = gauge('mails_late_seconds', 'For how long the mail that is due longest has not been sent; 0 if none waits.');
    const unindexed = gauge('search_queue_length', 'Changed projects that the search does not know yet; at most 100,000.');
    const notices = gauge('notice_queue_length', 'What people are to be told and are not yet; at most 100,000.');
    const measure = async (): Promise<void> => {
        const row = await runAlways(db, measured, []);
        history.set(row.bytes);
        maintained.set(row.maintained);
        trashed.set(row.trashed);
        backup.set(row.backed_up);
        deliveries.set(row.deliveries);
        deliveriesLate.set(row.deliveries_late);
        mails.set(row.mails);
        mailsLate.set(row.mails_late);
        unindexed.set(row.unindexed);
        notices.set(row.notices);
    };

    return startPolling(measure, { every, first: every, logger, failure: 'the database could not be measured, and is measured again' }).end;
}
