import type { Knex } from 'knex';

/** Likes of projects. Instances of the previous release know nothing of it. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        -- Who likes which project. Only its author reads how many. No foreign keys, as in comments.
        create table project_likes (
            project_id bigint not null,
            user_id bigint not null,
            since timestamptz(3) not null default now(),
            primary key (project_id, user_id)
        );
        create index project_likes_user_id_idx on project_likes (user_id);

        create function likes_forgotten() returns trigger language plpgsql as $$
        begin
            delete from project_likes where user_id = old.id;
            return null;
        end $$;
        create trigger users_likes_forgotten after delete on users for each row execute function likes_forgotten();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger users_likes_forgotten on users;
        drop function likes_forgotten();
        drop table project_likes;
    `);
}
