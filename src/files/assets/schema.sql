-- Pictures and sounds by the hash of their content. Their bytes are in a folder or a bucket (storage.ts).
create table assets (
    hash text primary key constraint assets_hash check (hash ~ '^[0-9a-f]{64}$'),
    type text not null,
    size integer not null constraint assets_size check (size > 0),
    -- in pixels; null for sounds, and where a file does not say
    width integer,
    height integer,
    created_at timestamptz(3) not null default now(),
    -- when it was last sent, or the last use of it ended
    unused_since timestamptz(3) not null default now(),
    -- by the service, as a thumbnail
    made boolean not null default false
);
create index assets_unused_since_idx on assets (unused_since);

-- Who sent which asset. The size is here too, so that a quota is read from the index.
create table sent_assets (
    -- the order in which they were sent first
    id bigint generated always as identity,
    user_id bigint not null constraint sent_assets_user_id_fkey references users on delete cascade,
    hash text not null constraint sent_assets_hash_fkey references assets on delete cascade,
    size integer not null,
    sent_at timestamptz(3) not null default now(),
    primary key (user_id, hash) include (size)
);
create index sent_assets_hash_idx on sent_assets (hash);
create index sent_assets_newest_idx on sent_assets (user_id, id);

-- New pictures that the scanner (SCAN_URL) has not let pass: only their senders see them. What passes has no row (any more).
create table asset_scans (
    id text primary key constraint asset_scans_id_fkey references assets on delete cascade,
    -- why it was refused; null while it waits
    refused text constraint asset_scans_refused_length check (char_length(refused) between 1 and 900),
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    -- until when an instance has it scanned
    leased_until timestamptz,
    -- how many pictures of its sender waited when it was sent: first come those behind the fewest, so that nobody waits for all that somebody else sends
    behind integer not null default 0
);
create index asset_scans_next_idx on asset_scans (behind, due_at, id) where refused is null;

-- Which project needs which asset: because of its pages and elements as they are, those that are deleted, or its history. Triggers add a
-- row in the statement that writes the first reference; it goes with the project, or by the maintenance, which looks after something was
-- deleted for good. No foreign keys: what refers to an asset locks it first (for key share), and whoever deletes one looks again under
-- its lock.
create table asset_uses (
    project_id bigint not null,
    hash text not null,
    primary key (project_id, hash)
);
create index asset_uses_hash_idx on asset_uses (hash);

-- Sets of assets, by the SHA-256 of the names of their assets in order. A remix uses many assets at once, which its source and other
-- remixes use together: one row says that it uses all of them.
create table asset_sets (
    id bytea primary key
);

-- The assets of a set. While there is a set, they stay.
create table asset_set_members (
    set_id bytea not null,
    hash text not null,
    primary key (set_id, hash)
);
create index asset_set_members_hash_idx on asset_set_members (hash);

-- The set that a project has had since it was made as a remix. Who uses a set locks it (for key share), and it goes with its last use:
-- whoever ends one locks it (for update) and looks again.
create table asset_set_uses (
    project_id bigint primary key,
    set_id bytea not null
);
create index asset_set_uses_set_id_idx on asset_set_uses (set_id);

-- Both: rows of their own, and sets.
create view used_assets as
    select project_id, hash from asset_uses
    union select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id;

-- Projects from which something with a reference was deleted for good.
create table asset_doubts (
    project_id bigint primary key
);

-- One row: which database a folder or bucket belongs to, so that nothing is removed that another one needs.
create table asset_owner (
    id uuid not null default gen_random_uuid(),
    -- the mark of the folder or bucket that has the bytes
    place text
);
insert into asset_owner default values;

-- The texts that a JSON text may refer to assets by: 64 characters between asset: and the end of a string. A quote after a backslash is
-- part of a string. One may be there several times, and need not be a SHA-256: to compare it with those that exist costs less than to
-- look at each character.
create function assets_in(content text) returns setof text language sql immutable as $$
    select lower(left(piece, 64) collate "C") from unnest(string_to_array(replace(content, '\"asset:', ' '), '"asset:')) as piece where substr(piece, 65, 1) = '"'
$$;

-- The assets in the addresses of a thumbnail.
create function assets_shown(thumbnail text) returns setof text language sql immutable strict as $$
    select distinct left(piece, 64)
    from (select piece, n from unnest(string_to_array(thumbnail, '/assets/')) with ordinality as pieces (piece, n)) found
    where n > 1 and left(piece, 64) ~ '^[0-9a-f]{64}$'
$$;

-- Locks what is referred to, so that it stays, and returns what there is of it.
create function present_assets(wanted text[], must_exist boolean) returns text[] language plpgsql as $$
declare
    present text[] := array(select a.hash from assets a where a.hash = any(wanted) order by a.hash for key share);
    absent text;
begin
    if must_exist then
        select w.hash into absent from unnest(wanted) with ordinality as w (hash, n)
            where not exists (select from unnest(present) p where p = w.hash) and w.hash ~ '^[0-9a-f]{64}$' order by n limit 1;
        if absent is not null then
            raise exception 'There is no asset %', absent using errcode = 'integrity_constraint_violation', constraint = 'assets_exist', detail = absent;
        end if;
    end if;
    return present;
end $$;

-- Notes that projects use assets, one for each. Those that are noted already exist, as they are not deleted before the note is.
create function use_assets(projects bigint[], wanted text[], must_exist boolean) returns void language plpgsql as $$
declare
    present text[] := present_assets(wanted, must_exist);
    crowded boolean;
begin
    insert into asset_uses (project_id, hash)
        select distinct w.project_id, w.hash from unnest(projects, wanted) as w (project_id, hash) join unnest(present) as p (hash) on p.hash = w.hash
        order by w.project_id, w.hash
        on conflict do nothing;
    select true into crowded where exists (
        select from (
            select u.project_id, u.hash from asset_uses u where u.project_id = any(projects)
            union select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id where u.project_id = any(projects)
        ) u group by u.project_id having count(*) > 5000);
    if crowded then
        raise exception 'A project uses at most 5000 assets' using errcode = 'check_violation', constraint = 'projects_asset_limit';
    end if;
end $$;

-- Notes that a new remix uses these assets, which are in order, each once. They are some of those that its source uses, so they are not
-- too many.
create function use_asset_set(project bigint, wanted text[]) returns void language plpgsql as $$
declare
    wanted_set bytea := sha256(convert_to(array_to_string(wanted, ''), 'UTF8'));
    present text[];
begin
    loop
        perform from asset_sets s where s.id = wanted_set for key share;
        exit when found;
        present := present_assets(wanted, true);
        insert into asset_sets (id) values (wanted_set) on conflict do nothing;
        if found then
            insert into asset_set_members (set_id, hash) select wanted_set, p from unnest(present) as p;
        end if;
    end loop;
    insert into asset_set_uses (project_id, set_id) values (project, wanted_set);
end $$;

-- Elements and pages. New ones come in numbers, so they are looked at together; for those that change, a condition is cheaper.
create function elements_use_assets() returns trigger language plpgsql as $$
declare
    remix bigint;
    projects bigint[];
    wanted text[];
begin
    if not exists (select from new_rows n where position('"asset:' in n.attributes::text) > 0 or position('"asset:' in n.styles::text) > 0) then
        return null;
    end if;
    remix := (select n.project_id from new_rows n limit 1);
    if not exists (select from new_rows n where n.copied_from is null or n.created_revision > 1 or n.project_id <> remix) then
        wanted := array(
            select a.hash from new_rows n, assets_in(n.attributes::text) as a (hash) where position('"asset:' in n.attributes::text) > 0
            union select a.hash from new_rows n, assets_in(n.styles::text) as a (hash) where position('"asset:' in n.styles::text) > 0
            order by hash);
        -- For a few, rows of their own cost less.
        if cardinality(wanted) > 4 then
            perform use_asset_set(remix, wanted);
            return null;
        end if;
    end if;
    -- A plan is made for the first statement of a connection, and kept: with "offset 0" it never reads all uses.
    select array_agg(s.project_id), array_agg(s.hash) into projects, wanted from (
        select n.project_id, a.hash from new_rows n, assets_in(n.attributes::text) as a (hash) where position('"asset:' in n.attributes::text) > 0
        union select n.project_id, a.hash from new_rows n, assets_in(n.styles::text) as a (hash) where position('"asset:' in n.styles::text) > 0
        except select n.project_id, u.hash from (select distinct project_id from new_rows) n, lateral (select hash from asset_uses where project_id = n.project_id offset 0) u) s;
    if projects is not null then
        perform use_assets(projects, wanted, true);
    end if;
    return null;
end $$;
create trigger elements_assets_insert after insert on elements
    referencing new table as new_rows for each statement
    execute function elements_use_assets();

create function element_uses_assets() returns trigger language plpgsql as $$
declare
    wanted text[];
begin
    wanted := array(select a from (select assets_in(new.attributes::text) as a union select assets_in(new.styles::text)) s
        where not exists (select from asset_uses u where u.project_id = new.project_id and u.hash = a));
    if cardinality(wanted) > 0 then
        perform use_assets(array_fill(new.project_id, array[cardinality(wanted)]), wanted, true);
    end if;
    return null;
end $$;
-- PostgreSQL reads a condition again for each statement, but not if none of the columns is set.
create trigger elements_assets_update after update of attributes, styles on elements for each row
    when ((position('attributes' in new.written) > 0 and position('asset:' in new.attributes::text) > 0)
    or (position('styles' in new.written) > 0 and position('asset:' in new.styles::text) > 0))
    execute function element_uses_assets();

create function pages_use_assets() returns trigger language plpgsql as $$
declare
    projects bigint[];
    wanted text[];
begin
    if not exists (select from new_rows n where position('asset:' in n.styles::text) > 0) then
        return null;
    end if;
    select array_agg(s.project_id), array_agg(s.hash) into projects, wanted from (
        select distinct n.project_id, a.hash from new_rows n, lateral assets_in(n.styles::text) as a (hash) where position('asset:' in n.styles::text) > 0
        except select u.project_id, u.hash from asset_uses u where u.project_id in (select project_id from new_rows)) s;
    if projects is not null then
        perform use_assets(projects, wanted, true);
    end if;
    return null;
end $$;
create trigger pages_assets_insert after insert on pages
    referencing new table as new_rows for each statement
    execute function pages_use_assets();

create function page_uses_assets() returns trigger language plpgsql as $$
declare
    wanted text[];
begin
    wanted := array(select a from assets_in(new.styles::text) as a
        where not exists (select from asset_uses u where u.project_id = new.project_id and u.hash = a));
    if cardinality(wanted) > 0 then
        perform use_assets(array_fill(new.project_id, array[cardinality(wanted)]), wanted, true);
    end if;
    return null;
end $$;
create trigger pages_assets_update after update of styles on pages for each row
    when (position('styles' in new.written) > 0 and position('asset:' in new.styles::text) > 0)
    execute function page_uses_assets();

-- A thumbnail names assets by their address, which may as well be one of another service, so it is no error if there are none.
create function project_shows_assets() returns trigger language plpgsql as $$
declare
    wanted text[];
begin
    wanted := array(select a from assets_shown(new.thumbnail::text) as a
        where not exists (select from asset_uses u where u.project_id = new.id and u.hash = a));
    if cardinality(wanted) > 0 then
        perform use_assets(array_fill(new.id, array[cardinality(wanted)]), wanted, false);
    end if;
    return null;
end $$;
create trigger projects_assets_insert after insert on projects for each row
    when (position('/assets/' in new.thumbnail::text) > 0)
    execute function project_shows_assets();
create trigger projects_assets_update after update of thumbnail on projects for each row
    when (position('thumbnail' in new.written) > 0 and position('/assets/' in new.thumbnail::text) > 0)
    execute function project_shows_assets();

-- What is deleted for good: the maintenance looks later what the project still needs.
create function assets_doubted() returns trigger language plpgsql as $$
begin
    insert into asset_doubts (project_id)
        select u.project_id from asset_uses u where u.project_id in (select project_id from old_rows)
        union select u.project_id from asset_set_uses u where u.project_id in (select project_id from old_rows)
        order by project_id
        on conflict do nothing;
    return null;
end $$;
create trigger versions_assets_delete after delete on versions
    referencing old table as old_rows for each statement
    execute function assets_doubted();
create trigger pages_assets_delete after delete on pages
    referencing old table as old_rows for each statement
    execute function assets_doubted();
create trigger elements_assets_delete after delete on elements
    referencing old table as old_rows for each statement
    execute function assets_doubted();

-- An asset whose use has ended is kept for some days from then on.
create function asset_uses_ended() returns trigger language plpgsql as $$
begin
    perform from assets a where a.hash in (select hash from old_rows) order by a.hash for no key update;
    update assets a set unused_since = now() where a.hash in (select hash from old_rows);
    return null;
end $$;
create trigger asset_uses_delete after delete on asset_uses
    referencing old table as old_rows for each statement
    execute function asset_uses_ended();

create function asset_set_uses_ended() returns trigger language plpgsql as $$
begin
    perform from assets a where a.hash in (select m.hash from asset_set_members m where m.set_id in (select set_id from old_rows)) order by a.hash for no key update;
    update assets a set unused_since = now() where a.hash in (select m.hash from asset_set_members m where m.set_id in (select set_id from old_rows));
    perform from asset_sets s where s.id in (select set_id from old_rows) order by s.id for update;
    with gone as (
        delete from asset_sets s where s.id in (select set_id from old_rows) and not exists (select from asset_set_uses u where u.set_id = s.id) returning s.id)
    delete from asset_set_members m using gone where m.set_id = gone.id;
    return null;
end $$;
create trigger asset_set_uses_delete after delete on asset_set_uses
    referencing old table as old_rows for each statement
    execute function asset_set_uses_ended();
