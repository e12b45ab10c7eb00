import type { Knex } from 'knex';

/**
 * Tables and indexes for the lists: one index for each list, a table of tags, and the counters of `stats`, which are
 * separate from the projects so that a view never waits for an edit.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create index projects_newest_idx on projects (created_at desc, id desc) where deleted_at is null;
        create index projects_user_newest_idx on projects (user_id, created_at, id);
        create index projects_remixes_newest_idx on projects (remixed_from, created_at, id)
            where deleted_at is null and remixed_from is not null;

        -- The author's language, copied for featured projects only: each language is then one ordered index
        -- range, and /discover/{language} combines the ranges of its three ranks.
        create table featured_projects (
            project_id bigint primary key constraint featured_projects_project_id_fkey references projects on delete cascade,
            user_id bigint not null,
            tags text[] not null default '{}',
            language text not null,
            created_at timestamptz(3) not null
        );
        create index featured_newest_idx on featured_projects (created_at desc, project_id desc);
        create index featured_language_idx on featured_projects (language, created_at, project_id);
        create index featured_user_id_idx on featured_projects (user_id);

        -- How many featured projects have each tag, because counting them each time would be slow. Keyed and
        -- ordered by a part that fits into an index entry, since a whole tag may not.
        create table featured_tags (
            tag text not null,
            projects bigint not null constraint featured_tags_projects check (projects >= 0)
        );
        create unique index featured_tags_tag_key on featured_tags (md5(tag));
        create index featured_tags_most_used_idx on featured_tags (projects desc, left(tag, 100));

        -- Keyed by a hash of the tag, since a tag may be longer than an index entry; queries must also
        -- compare the tag itself.
        create table project_tags (
            tag text not null,
            created_at timestamptz(3) not null,
            project_id bigint not null constraint project_tags_project_id_fkey references projects on delete cascade
        );
        create index project_tags_newest_idx
            on project_tags (hashtextextended(tag, 0), created_at, project_id);
        create index project_tags_project_id_idx on project_tags (project_id);

        create table project_stats (
            project_id bigint primary key constraint project_stats_project_id_fkey references projects on delete cascade,
            views bigint not null default 0,
            remixes bigint not null default 0,
            constraint project_stats_counts check (views >= 0 and remixes >= 0)
        ) with (fillfactor = 50);

        create table view_salts (
            day date primary key,
            salt bytea not null constraint view_salts_length check (octet_length(salt) = 32)
        );
        create table project_views (
            day date not null,
            project_id bigint not null constraint project_views_project_id_fkey references projects on delete cascade,
            -- a SHA-256, so that nothing about a viewer is stored in clear
            viewer bytea not null constraint project_views_viewer_length check (octet_length(viewer) = 32),
            primary key (project_id, viewer, day)
        );
        create index project_views_day_idx on project_views (day);
    `);
    await db.raw(`
        -- These triggers update the tables of discovery after every write to a project. Their WHEN
        -- conditions skip plain edits.
        create function projects_tagged() returns trigger language plpgsql as $$
        begin
            if tg_op = 'UPDATE' then
                delete from project_tags where project_id = new.id;
                update featured_projects set tags = new.tags where project_id = new.id;
            end if;
            if new.deleted_at is null then
                insert into project_tags (tag, created_at, project_id)
                    select tag, new.created_at, new.id from unnest(new.tags) as tag;
            end if;
            return null;
        end $$;
        create trigger projects_tags_insert after insert on projects for each row
            when (cardinality(new.tags) > 0)
            execute function projects_tagged();
        create trigger projects_tags_update after update of tags, deleted_at on projects for each row
            when (old.tags is distinct from new.tags or (old.deleted_at is null) is distinct from (new.deleted_at is null))
            execute function projects_tagged();

        create function featured_tags_counted() returns trigger language plpgsql as $$
        begin
            -- Locked in one order, so that two who feature at once do not wait for each other in a circle.
            if tg_op <> 'INSERT' then
                perform from featured_tags where md5(tag) in (select md5(t) from unnest(old.tags) as t) order by md5(tag) for update;
                update featured_tags f set projects = f.projects - 1 from unnest(old.tags) as t where md5(f.tag) = md5(t);
                delete from featured_tags f using unnest(old.tags) as t where md5(f.tag) = md5(t) and f.projects = 0;
            end if;
            if tg_op <> 'DELETE' then
                insert into featured_tags as f (tag, projects) select t, 1 from unnest(new.tags) as t order by md5(t)
                    on conflict (md5(tag)) do update set projects = f.projects + 1;
            end if;
            return null;
        end $$;
        create trigger featured_projects_tags after insert or delete or update of tags on featured_projects for each row
            execute function featured_tags_counted();

        create function projects_featured() returns trigger language plpgsql as $$
        begin
            delete from featured_projects where project_id = new.id;
            if new.deleted_at is null and new.featured then
                insert into featured_projects (project_id, user_id, tags, language, created_at)
                    select new.id, new.user_id, new.tags, lower(u.language), new.created_at from users u where u.id = new.user_id;
            end if;
            return null;
        end $$;
        create trigger projects_featured_insert after insert on projects for each row
            when (new.featured)
            execute function projects_featured();
        create trigger projects_featured_update after update of featured, deleted_at on projects for each row
            when (old.featured is distinct from new.featured or (old.deleted_at is null) is distinct from (new.deleted_at is null))
            execute function projects_featured();

        create function projects_remixed() returns trigger language plpgsql as $$
        begin
            if new.deleted_at is null then
                insert into project_stats as s (project_id, remixes)
                    select id, 1 from projects where id = new.remixed_from
                    on conflict (project_id) do update set remixes = s.remixes + 1;
            else
                update project_stats set remixes = remixes - 1 where project_id = new.remixed_from;
            end if;
            return null;
        end $$;
        create trigger projects_remix_insert after insert on projects for each row
            when (new.remixed_from is not null and new.deleted_at is null)
            execute function projects_remixed();
        create trigger projects_remix_update after update of deleted_at on projects for each row
            when (new.remixed_from is not null and (old.deleted_at is null) is distinct from (new.deleted_at is null))
            execute function projects_remixed();

        create function users_language_changed() returns trigger language plpgsql as $$
        begin
            update featured_projects set language = lower(new.language) where user_id = new.id;
            return null;
        end $$;
        create trigger users_language_update after update of language on users for each row
            when (old.language is distinct from new.language)
            execute function users_language_changed();
    `);
    await db.raw(`
        -- Fills the tables from existing projects, as the triggers would have done.
        insert into project_tags (tag, created_at, project_id)
            select tag, p.created_at, p.id from projects p, unnest(p.tags) as tag where p.deleted_at is null;
        insert into featured_projects (project_id, user_id, tags, language, created_at)
            select p.id, p.user_id, p.tags, lower(u.language), p.created_at
            from projects p join users u on u.id = p.user_id where p.featured and p.deleted_at is null;
        insert into project_stats (project_id, remixes)
            select source.id, count(*) from projects source join projects p on p.remixed_from = source.id and p.deleted_at is null group by source.id;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger users_language_update on users;
        drop trigger projects_remix_update on projects;
        drop trigger projects_remix_insert on projects;
        drop trigger projects_featured_update on projects;
        drop trigger projects_featured_insert on projects;
        drop trigger projects_tags_update on projects;
        drop trigger projects_tags_insert on projects;
        drop table project_views, view_salts, project_stats, project_tags, featured_tags, featured_projects;
        drop function users_language_changed(), projects_remixed(), projects_featured(), featured_tags_counted(), projects_tagged();
        drop index projects_remixes_newest_idx, projects_user_newest_idx, projects_newest_idx;
    `);
}
