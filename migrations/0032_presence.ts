import type { Knex } from 'knex';

/**
 * Who has which project open in an editor, and where in it they are. A row counts for seconds, and is written every second or so: an unlogged table writes
 * nothing to the log of PostgreSQL, and is empty after a crash, as it should be then.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create unlogged table project_presence (
            project_id bigint not null,
            user_id bigint not null,
            at timestamptz not null,
            page_id bigint,
            cursor_left integer,
            cursor_top integer,
            selected bigint[] not null,
            constraint project_presence_pkey primary key (project_id, user_id)
        ) with (fillfactor = 50)
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop table project_presence');
}
