import type { Knex } from 'knex';

/**
 * The mark of the folder or bucket that has the bytes of the database's assets. One with another mark, or none, is another place, such as that of a second
 * instance. A database from before gets its place at the next start.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw('alter table asset_owner add column place text');
}

export async function down(db: Knex): Promise<void> {
    await db.raw('alter table asset_owner drop column place');
}
