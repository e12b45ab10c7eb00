import type { Knex } from 'knex';

/** The key that signs the cookies of browsers which have signed in before (src/api/auth/devices.ts), and whether the receiver of a webhook is slow. Milliseconds. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table device_key (key bytea not null constraint device_key_length check (octet_length(key) = 32));
        insert into device_key (key) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
        alter table webhooks add column slow boolean not null default false;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        alter table webhooks drop column slow;
        drop table device_key;
    `);
}
