import type { Knex } from 'knex';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { byCitus } from '../../database/declaration';
import { runAlways, statement } from '../../database/statements/statement';

const sizes = statement({ row: { bytes: 'double precision', maintained: 'double precision', trashed: 'double precision' }, place: byCitus }, `
    select (pg_total_relation_size('versions') + pg_total_relation_size('project_changes'))::float8 as bytes,
        coalesce(extract(epoch from now() - (select nullif(done_until, '-infinity') from maintenance)), 0)::float8 as maintained,
        coalesce(extract(epoch from now() - (select min(deleted_at) from trash)), 0)::float8 as trashed`);

/**
 * Gauges for the size of the history, the age of the oldest entry of the trash, and the time since the last maintenance.
 * @returns a function that measures them. It runs by itself, so that a scrape never waits for the database
 */
export function keepingGauges(registry: Registry, db: Knex): () => Promise<void> {
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry], aggregator: 'max' });
    const history = gauge('history_bytes', 'Size of all histories in the database, with indexes.');
    const maintained = gauge('maintenance_age_seconds', 'Since the last maintenance by any instance; 0 before the first.');
    const trashed = gauge('trash_age_seconds', 'Since the removal of the oldest thing in the trash; 0 if it is empty.');
    return async () => {
        const row = await runAlways(db, sizes, []);
        history.set(row.bytes);
        maintained.set(row.maintained);
        trashed.set(row.trashed);
    };
}
