import type { Knex } from 'knex';

/**
 * Pictures and sounds by the hash of their content. Their bytes are in a folder or a bucket (src/files/assets/storage.ts).
 *
 * `asset_uses` says which project needs which asset: because of its pages and elements as they are, those that are deleted, or its history. The
 * triggers add a row in the statement that writes the first reference, so that no route can forget it, and refuse a reference to an asset that
 * does not exist. A row goes only by the maintenance, which looks at all of a project after something was deleted from it for good (`doubtful`), under the
 * project's lock, or with the project. An asset that nothing uses is deleted some days after `unused_since`.
 *
 * No foreign keys from `asset_uses`: what refers to an asset locks it first (`for key share`), and whoever deletes one looks again under its lock.
 * New tables only, and triggers, which take milliseconds. References from before this migration do not count until they are written again.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table assets (
            hash text primary key constraint assets_hash check (hash ~ '^[0-9a-f]{64}$'),
            type text not null,
            size integer not null constraint assets_size check (size > 0),
            -- in pixels; null for sounds, and where a file does not say
            width integer,
            height integer,
            created_at timestamptz(3) not null default now(),
            -- when it was last sent, or the last use of it ended
            unused_since timestamptz(3) not null default now()
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
        create table asset_uses (
            project_id bigint not null,
            hash text not null,
            primary key (project_id, hash)
        );
        create index asset_uses_hash_idx on asset_uses (hash);
        -- Projects from which something with a reference was deleted for good.
        create table asset_doubts (
            project_id bigint primary key
        );
        -- Which database a folder or bucket belongs to, so that nothing is removed that another one needs.
        create table asset_owner (
            id uuid not null default gen_random_uuid()
        );
        insert into asset_owner default values;
    `);
    await db.raw(`
        -- The assets that a JSON text refers to: its strings that are exactly asset: and 64 hex digits. A quote after a backslash is part of a string.
        create function assets_in(content text) returns setof text language sql immutable strict as $$
            select distinct lower(left(piece, 64))
            from (select piece, n, right(lag(piece) over (order by n), 1) as before from unnest(string_to_array(content, '"asset:')) with ordinality as pieces (piece, n)) found
            where n > 1 and before <> '\\' and left(piece, 65) ~ '^[0-9A-Fa-f]{64}"$'
        $$;
        -- The assets in the addresses of a thumbnail.
        create function assets_shown(thumbnail text) returns setof text language sql immutable strict as $$
            select distinct left(piece, 64)
            from (select piece, n from unnest(string_to_array(thumbnail, '/assets/')) with ordinality as pieces (piece, n)) found
            where n > 1 and left(piece, 64) ~ '^[0-9a-f]{64}$'
        $$;

        -- Notes that projects use assets, one for each. Those that are noted already exist, as they are not deleted before the note is.
        create function use_assets(projects bigint[], wanted text[], must_exist boolean) returns void language plpgsql as $$
        declare
            absent text;
            crowded boolean;
        begin
            perform from assets a where a.hash = any(wanted) order by a.hash for key share;
            if must_exist then
                select w.hash into absent from unnest(projects, wanted) with ordinality as w (project_id, hash, n)
                    where not exists (select from assets a where a.hash = w.hash) order by n limit 1;
                if absent is not null then
                    raise exception 'There is no asset %', absent using errcode = 'integrity_constraint_violation', constraint = 'assets_exist', detail = absent;
                end if;
            end if;
            insert into asset_uses (project_id, hash)
                select distinct w.project_id, w.hash from unnest(projects, wanted) as w (project_id, hash) join assets a on a.hash = w.hash
                order by w.project_id, w.hash
                on conflict do nothing;
            select true into crowded where exists (
                select from asset_uses u where u.project_id = any(projects) group by u.project_id having count(*) > 5000);
            if crowded then
                raise exception 'A project uses at most 5000 assets' using errcode = 'check_violation', constraint = 'projects_asset_limit';
            end if;
        end $$;

        -- Elements and pages. New ones come in numbers, so they are looked at together; for those that change, a condition is cheaper.
        create function elements_use_assets() returns trigger language plpgsql as $$
        declare
            projects bigint[];
            wanted text[];
        begin
            if not exists (select from new_rows n where position('asset:' in n.attributes::text) > 0 or position('asset:' in n.styles::text) > 0) then
                return null;
            end if;
            select array_agg(s.project_id), array_agg(s.hash) into projects, wanted from (
                select distinct n.project_id, a.hash from new_rows n, lateral (
                    select * from assets_in(n.attributes::text) where position('asset:' in n.attributes::text) > 0
                    union all select * from assets_in(n.styles::text) where position('asset:' in n.styles::text) > 0) as a (hash)
                except select u.project_id, u.hash from asset_uses u where u.project_id in (select project_id from new_rows)) s;
            if projects is not null then
                perform use_assets(projects, wanted, true);
            end if;
            return null;
        end $$;
        create trigger elements_assets_insert after insert on elements
            referencing new table as new_rows for each statement
            execute function elements_use_assets();
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
    `);
    await db.raw(`
        -- What is deleted for good: the maintenance looks later what the project still needs.
        create function assets_doubted() returns trigger language plpgsql as $$
        begin
            insert into asset_doubts (project_id) select project_id from asset_uses where project_id in (select distinct project_id from old_rows) group by project_id order by project_id
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
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger versions_assets_delete on versions;
        drop trigger projects_assets_insert on projects;
        drop trigger projects_assets_update on projects;
        drop trigger pages_assets_insert on pages;
        drop trigger pages_assets_update on pages;
        drop trigger pages_assets_delete on pages;
        drop trigger elements_assets_insert on elements;
        drop trigger elements_assets_update on elements;
        drop trigger elements_assets_delete on elements;
        drop table asset_owner, asset_doubts, asset_uses, sent_assets, assets;
        drop function elements_use_assets(), pages_use_assets(), element_uses_assets(), page_uses_assets(), project_shows_assets(), assets_doubted(), asset_uses_ended(),
            use_assets(bigint[], text[], boolean), assets_in(text), assets_shown(text);
    `);
}
