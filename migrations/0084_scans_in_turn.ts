import type { Knex } from 'knex';

/** How many pictures of its sender waited for a scan when a picture was sent. Instances of the previous release scan in the order in which pictures came. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table asset_scans add column behind integer not null default 0;
        create index asset_scans_next_idx on asset_scans (behind, due_at, id) where refused is null;
        drop index asset_scans_due_at_idx;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        create index asset_scans_due_at_idx on asset_scans (due_at) where refused is null;
        drop index asset_scans_next_idx;
        alter table asset_scans drop column behind;
    `);
}
