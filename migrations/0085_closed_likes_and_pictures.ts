import type { Knex } from 'knex';

/** Likes of closed accounts. Instances of the previous release count them. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        -- whether their account is: it is not counted then
        alter table project_likes add column closed boolean not null default false;
        create index project_likes_counted_idx on project_likes (project_id) where not closed;
        update project_likes set closed = true where user_id in (select id from users where deleted_at is not null);
        create function likes_closed() returns trigger language plpgsql as $$
        begin
            update project_likes set closed = new.deleted_at is not null where user_id = new.id;
            return null;
        end $$;
        create trigger users_likes_closed after update of deleted_at on users for each row
            when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function likes_closed();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger users_likes_closed on users;
        drop function likes_closed();
        drop index project_likes_counted_idx;
        alter table project_likes drop column closed;
    `);
}
