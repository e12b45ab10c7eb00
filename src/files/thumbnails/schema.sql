-- Of which revision the service made a thumbnail of the first page, or that there was nothing to show.
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
