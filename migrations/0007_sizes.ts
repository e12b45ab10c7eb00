import type { Knex } from 'knex';

/**
 * The sizes of pages and projects in bytes, and their limits.
 *
 * `pages.page_bytes` has the bytes of a page's styles, and of the attributes and styles of its live elements, as JSON text.
 * `projects.project_bytes` is the sum over the project's live pages. Both are right only while `counted_revision` equals the
 * project's revision. A write below a project updates both; a write that does not count (by an instance of an older release that
 * still runs, or by hand) leaves `counted_revision` behind. The service then counts the project again before it writes to it.
 *
 * So this migration counts nothing: every column has a default that PostgreSQL does not write into the rows, which takes
 * milliseconds for any number of projects. An older project has `counted_revision` 0, and is counted before its next write.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table pages add column page_bytes bigint not null default 0;
        alter table projects
            add column project_bytes bigint not null default 0,
            add column counted_revision integer not null default 0;

        -- A row above the limit may stay, change and shrink, but not grow. Counting again keeps the revision, so it does not count as growth.
        create function size_limit_exceeded() returns trigger language plpgsql as $$
        begin
            raise exception 'more bytes than allowed' using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
        end $$;
        create trigger pages_size_limit after update of page_bytes on pages for each row
            when (new.page_bytes > 33554432 and new.page_bytes > old.page_bytes and new.revision <> old.revision)
            execute function size_limit_exceeded();
        create trigger pages_size_limit_new after insert on pages for each row
            when (new.page_bytes > 33554432)
            execute function size_limit_exceeded();
        create trigger projects_size_limit after update of project_bytes on projects for each row
            when (new.project_bytes > 268435456 and new.project_bytes > old.project_bytes and new.revision <> old.revision)
            execute function size_limit_exceeded();
        create trigger projects_size_limit_new after insert on projects for each row
            when (new.project_bytes > 268435456)
            execute function size_limit_exceeded();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger projects_size_limit_new on projects;
        drop trigger projects_size_limit on projects;
        drop trigger pages_size_limit_new on pages;
        drop trigger pages_size_limit on pages;
        drop function size_limit_exceeded();
        alter table projects drop column counted_revision, drop column project_bytes;
        alter table pages drop column page_bytes;
    `);
}
