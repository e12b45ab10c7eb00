import type { Knex } from 'knex';

/** Pictures that wait for a scan, or were refused. Instances of the previous release show them. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table asset_scans (
            id text primary key constraint asset_scans_id_fkey references assets on delete cascade,
            refused text constraint asset_scans_refused_length check (char_length(refused) between 1 and 900),
            attempts integer not null default 0,
            due_at timestamptz not null default now(),
            leased_until timestamptz
        );
        create index asset_scans_due_at_idx on asset_scans (due_at) where refused is null;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop table asset_scans');
}
