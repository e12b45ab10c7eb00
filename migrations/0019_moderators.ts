import type { Knex } from 'knex';

/** Whether there is a moderator at all, which the first page asks, however many users there are. It reads all users once: a second for a few million. */
export async function up(db: Knex): Promise<void> {
    await db.raw('create index users_moderators_idx on users (id) where moderator and deleted_at is null');
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop index users_moderators_idx');
}
