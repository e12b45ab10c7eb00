import type { Knex } from 'knex';

/** The counters of the abuse limits, in the format of rate-limiter-flexible. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table rate_limits (
            key varchar(255) primary key,
            points integer not null default 0,
            expire bigint
        );
        create index rate_limits_expire_idx on rate_limits (expire);
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop table rate_limits');
}
