-- Featured projects with their author's language: each language is one ordered index range, and /discover/{language} combines the ranges
-- of its three ranks.
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

-- How many featured projects have each tag, because counting them each time would be slow. Keyed and ordered by a part that fits into an
-- index entry, since a whole tag may not.
create table featured_tags (
    tag text not null,
    projects bigint not null constraint featured_tags_projects check (projects >= 0)
);
create unique index featured_tags_tag_key on featured_tags (md5(tag));
create index featured_tags_most_used_idx on featured_tags (projects desc, left(tag, 100));

-- Keyed by a hash of the tag, since a tag may be longer than an index entry; queries must also compare the tag itself.
create table project_tags (
    tag text not null,
    created_at timestamptz(3) not null,
    project_id bigint not null constraint project_tags_project_id_fkey references projects on delete cascade
);
create index project_tags_newest_idx on project_tags (hashtextextended(tag, 0), created_at, project_id);
create index project_tags_project_id_idx on project_tags (project_id);

-- Counters, apart from the projects so that a view never waits for an edit.
create table project_stats (
    project_id bigint primary key constraint project_stats_project_id_fkey references projects on delete cascade,
    views bigint not null default 0,
    remixes bigint not null default 0,
    constraint project_stats_counts check (views >= 0 and remixes >= 0)
) with (fillfactor = 50);

-- The salt of a day, with which viewers are hashed.
create table view_salts (
    day date primary key,
    salt bytea not null constraint view_salts_length check (octet_length(salt) = 32)
);

-- Who has viewed a project on a day.
create table project_views (
    day date not null,
    project_id bigint not null constraint project_views_project_id_fkey references projects on delete cascade,
    -- a SHA-256, so that nothing about a viewer is stored in clear
    viewer bytea not null constraint project_views_viewer_length check (octet_length(viewer) = 32),
    weight smallint not null default 1,
    primary key (project_id, viewer, day)
);
create index project_views_day_idx on project_views (day);

-- Projects that somebody looked at lately, with the time at which a single viewer would have been worth as much as all its viewers are
-- together, if each is worth half as much a day later. All get older alike, so their order never changes by itself, and the list is one
-- range of an index.
create table trending (
    project_id bigint primary key,
    at timestamptz(3) not null
);
create index trending_newest_idx on trending (at, project_id);

-- These follow every write to a project. What public lists show is `isListed` of rules/visibility.ts.
create function projects_tagged() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        delete from project_tags where project_id = new.id;
        update featured_projects set tags = new.tags where project_id = new.id;
    end if;
    if new.deleted_at is null and new.visibility = 'public' and new.held_at is null then
        insert into project_tags (tag, created_at, project_id)
            select tag, new.created_at, new.id from unnest(new.tags) as tag;
    end if;
    return null;
end $$;
create trigger projects_tags_insert after insert on projects for each row
    when (cardinality(new.tags) > 0)
    execute function projects_tagged();
create trigger projects_tags_update after update of tags, deleted_at, visibility, held_at on projects for each row
    when (old.tags is distinct from new.tags or (
        (old.deleted_at is null and old.visibility = 'public' and old.held_at is null)
        is distinct from (new.deleted_at is null and new.visibility = 'public' and new.held_at is null)))
    execute function projects_tagged();

create function projects_featured() returns trigger language plpgsql as $$
begin
    delete from featured_projects where project_id = new.id;
    if new.deleted_at is null and new.visibility = 'public' and new.held_at is null and new.featured then
        insert into featured_projects (project_id, user_id, tags, language, created_at)
            select new.id, new.user_id, new.tags, lower(u.language), new.created_at from users u where u.id = new.user_id;
    end if;
    return null;
end $$;
create trigger projects_featured_insert after insert on projects for each row
    when (new.featured)
    execute function projects_featured();
create trigger projects_featured_update after update of featured, deleted_at, visibility, held_at on projects for each row
    when (old.featured is distinct from new.featured or (
        (old.deleted_at is null and old.visibility = 'public' and old.held_at is null)
        is distinct from (new.deleted_at is null and new.visibility = 'public' and new.held_at is null)))
    execute function projects_featured();

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

create function users_language_changed() returns trigger language plpgsql as $$
begin
    update featured_projects set language = lower(new.language) where user_id = new.id;
    return null;
end $$;
create trigger users_language_update after update of language on users for each row
    when (old.language is distinct from new.language)
    execute function users_language_changed();

create function projects_remixed() returns trigger language plpgsql as $$
begin
    if new.deleted_at is null and new.visibility = 'public' and new.held_at is null then
        insert into project_stats as s (project_id, remixes)
            select id, 1 from projects where id = new.remixed_from
            on conflict (project_id) do update set remixes = s.remixes + 1;
    else
        update project_stats set remixes = remixes - 1 where project_id = new.remixed_from;
    end if;
    return null;
end $$;
create trigger projects_remix_insert after insert on projects for each row
    when (new.remixed_from is not null and new.deleted_at is null and new.visibility = 'public' and new.held_at is null)
    execute function projects_remixed();
create trigger projects_remix_update after update of deleted_at, visibility, held_at on projects for each row
    when (new.remixed_from is not null and (
        (old.deleted_at is null and old.visibility = 'public' and old.held_at is null)
        is distinct from (new.deleted_at is null and new.visibility = 'public' and new.held_at is null)))
    execute function projects_remixed();

create function projects_viewed() returns trigger language plpgsql as $$
begin
    -- Two of them together, at a and b, are worth as much as one at the later time and as many days later as the logarithm of their sum says.
    insert into trending as t (project_id, at)
        select project_id, now() + interval '24 hours' * (ln(sum(weight)) / ln(2.0)) from new_rows group by project_id order by project_id
        on conflict (project_id) do update set at = greatest(t.at, excluded.at) + interval '24 hours' * (
            ln(1 + power(2::float8, -least(60, abs(extract(epoch from t.at - excluded.at)::float8) / 86400))) / ln(2::float8));
    return null;
end $$;
create trigger project_views_trend after insert on project_views
    referencing new table as new_rows for each statement
    execute function projects_viewed();

-- Who remixes a project counts as four who look at it, once a day.
create function project_remix_viewed() returns trigger language plpgsql as $$
begin
    insert into project_views (day, project_id, viewer, weight)
        select (now() at time zone 'UTC')::date, id, sha256(convert_to('remix ' || new.user_id, 'UTF8')), 4
        from projects where id = new.remixed_from and user_id <> new.user_id
        on conflict do nothing;
    return null;
end $$;
create trigger projects_view_insert after insert on projects for each row
    when (new.remixed_from is not null)
    execute function project_remix_viewed();
