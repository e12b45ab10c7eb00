import type { Knex } from 'knex';

/**
 * Thumbnails that the service makes of first pages, where authors have sent none. `projects.made_thumbnail` is the SHA-256 of an asset, which nobody has
 * sent; it is no change of the project. `made_thumbnails` says of which revision one was made, or that there was nothing to show.
 *
 * New tables, and columns without a default that is computed: milliseconds. Nothing is filled: the thumbnails of older projects are made one after the other.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table projects add column made_thumbnail text;
        alter table assets add column made boolean not null default false;
        create table made_thumbnails (
            project_id bigint primary key,
            revision integer not null,
            -- is in the file, so that its SHA-256 cannot be told from what it shows
            mark uuid not null,
            private boolean not null,
            made_at timestamptz not null default now()
        );
        -- One row: which instance makes thumbnails, and what is done.
        create table thumbnail_progress (
            -- the address of the service, for the addresses of thumbnails
            origin text not null default '',
            claimed_until timestamptz not null default now(),
            -- all changes that are older were looked at
            done_until timestamptz not null default now(),
            -- projects up to this id that were there before were looked at
            filled_to bigint not null default 0
        );
        insert into thumbnail_progress default values;

        -- Editors that send back all that they were shown do not mean the thumbnail that the service made.
        create function project_thumbnail_authored() returns trigger language plpgsql as $$
        begin
            if (select count(*) > 0 and bool_and(coalesce(a.made, false)) from assets_shown(new.thumbnail::text) as h (hash) left join assets a on a.hash = h.hash) then
                new.thumbnail := '{}';
            end if;
            return new;
        end $$;
        create trigger projects_thumbnail_insert before insert on projects for each row
            when (position('/assets/' in new.thumbnail::text) > 0)
            execute function project_thumbnail_authored();
        create trigger projects_thumbnail_update before update on projects for each row
            when (position('/assets/' in new.thumbnail::text) > 0 and new.thumbnail::text <> old.thumbnail::text)
            execute function project_thumbnail_authored();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger projects_thumbnail_insert on projects;
        drop trigger projects_thumbnail_update on projects;
        drop function project_thumbnail_authored();
        drop table thumbnail_progress, made_thumbnails;
        alter table assets drop column made;
        alter table projects drop column made_thumbnail;
    `);
}
