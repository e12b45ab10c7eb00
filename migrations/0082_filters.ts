import type { Knex } from 'knex';

/** What is filtered before it does harm. Instances of the previous release know nothing of it. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        -- Which state of a project that others see was looked at for blocked words.
        create table filter_checks (
            project_id bigint primary key,
            revision integer not null,
            version text not null,
            found text[] not null default '{}',
            held boolean not null default false
        );
        -- One row: how far the changes were looked at.
        create table filter_progress (
            done_until timestamptz not null default now(),
            version text not null default '',
            filled_to bigint not null default 0,
            claimed_until timestamptz not null default now()
        );
        insert into filter_progress default values;
        -- Pictures that a moderator has blocked.
        create table blocked_pictures (
            hash text primary key constraint blocked_pictures_hash check (hash ~ '^[0-9a-f]{64}$'),
            looks bit(64),
            reason text not null constraint blocked_pictures_reason_length check (char_length(reason) between 1 and 1000),
            moderator_id bigint,
            at timestamptz(3) not null default now()
        );
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop table blocked_pictures;
        drop table filter_progress;
        drop table filter_checks;
    `);
}
