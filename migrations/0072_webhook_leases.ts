import type { Knex } from 'knex';

/** The end of a lease says whose it is (src/database/jobs/lease.ts), so `webhooks.lease` goes. Milliseconds. */
export async function up(db: Knex): Promise<void> {
    await db.raw('alter table webhooks drop column lease');
}

export async function down(db: Knex): Promise<void> {
    await db.raw('alter table webhooks add column lease uuid');
}
