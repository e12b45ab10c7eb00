import type { Knex } from 'knex';

/** The line that people write about themselves. Instances of the previous release neither show nor change it. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table users add column about text not null default '';
        -- Not checked for the rows that exist, as that would keep everybody waiting: theirs are empty.
        alter table users add constraint users_about_length check (char_length(about) <= 200) not valid;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('alter table users drop column about');
}
