import type { Knex } from 'knex';

/** People whom somebody has blocked. Instances of the previous release know nothing of it. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        -- Whom people have blocked. Those are not told.
        create table blocks (
            user_id bigint not null constraint blocks_user_id_fkey references users on delete cascade,
            blocked_id bigint not null constraint blocks_blocked_id_fkey references users on delete cascade,
            since timestamptz(3) not null default now(),
            primary key (user_id, blocked_id),
            constraint blocks_others check (user_id <> blocked_id)
        );
        create index blocks_blocked_id_idx on blocks (blocked_id);
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop table blocks;
    `);
}
