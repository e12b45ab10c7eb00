import type { Knex } from 'knex';

import { up as restoreFunctions } from './0018_asset_uses';

/**
 * Sets of assets. A remix uses many assets at once, which its source and other remixes use together as well. Such a set is kept once, under the SHA-256 of what it
 * consists of, and a remix has one row that says it uses all of it. So a remix takes hardly longer with pictures than with texts.
 *
 * A project has at most one set, from when it was made as a remix; whatever is written later gets rows in `asset_uses` as before, and `used_assets` has both. Who
 * uses a set locks it (`for key share`), and it goes with its last use: whoever ends one locks it (`for update`) and looks again with a second statement. While
 * there is a set, its assets stay.
 *
 * References are found faster too: whether a text is a SHA-256 is looked at only where there is no such asset.
 *
 * New tables, and functions, which take milliseconds. Nothing is filled.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        -- the SHA-256 of the names of its assets, in order
        create table asset_sets (
            id bytea primary key
        );
        create table asset_set_members (
            set_id bytea not null,
            hash text not null,
            primary key (set_id, hash)
        );
        create index asset_set_members_hash_idx on asset_set_members (hash);
        create table asset_set_uses (
            project_id bigint primary key,
            set_id bytea not null
        );
        create index asset_set_uses_set_id_idx on asset_set_uses (set_id);
        create view used_assets as
            select project_id, hash from asset_uses
            union select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id;

        -- The texts that a JSON text may refer to assets by: 64 characters between asset: and the end of a string. A quote after a backslash is part of a string. One may be
        -- there several times, and need not be a SHA-256: to compare it with those that exist costs less than to look at each character.
        create or replace function assets_in(content text) returns setof text language sql immutable called on null input as $$
            select lower(left(piece, 64) collate "C") from unnest(string_to_array(replace(content, '\\"asset:', ' '), '"asset:')) as piece where substr(piece, 65, 1) = '"'
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

        create or replace function use_assets(projects bigint[], wanted text[], must_exist boolean) returns void language plpgsql as $$
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

        -- Notes that a new remix uses these assets, which are in order, each once. They are some of those that its source uses, so they are not too many.
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

        create or replace function elements_use_assets() returns trigger language plpgsql as $$
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

        create or replace function assets_doubted() returns trigger language plpgsql as $$
        begin
            insert into asset_doubts (project_id)
                select u.project_id from asset_uses u where u.project_id in (select project_id from old_rows)
                union select u.project_id from asset_set_uses u where u.project_id in (select project_id from old_rows)
                order by project_id
                on conflict do nothing;
            return null;
        end $$;

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
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        insert into asset_uses (project_id, hash) select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id on conflict do nothing;
        drop trigger asset_set_uses_delete on asset_set_uses;
        drop view used_assets;
        drop table asset_set_uses, asset_set_members, asset_sets;
        drop function asset_set_uses_ended(), use_asset_set(bigint, text[]), present_assets(text[], boolean);
    `);
    await restoreFunctions(db);
    await db.raw(`
        create or replace function elements_use_assets() returns trigger language plpgsql as $$
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
        create or replace function assets_doubted() returns trigger language plpgsql as $$
        begin
            insert into asset_doubts (project_id) select project_id from asset_uses where project_id in (select distinct project_id from old_rows) group by project_id order by project_id
                on conflict do nothing;
            return null;
        end $$;
    `);
}
