/*
 * SQL of what runs a statement in the shard of a project. A shard's tables have the names that statements use in a schema of the shard, as
 * views; a statement is run there by the trigger of `at_project`, a distributed table whose rows are statements, or, if it only reads, by
 * `read_in_shard`. Citus then sees nothing but an INSERT or a function call for one project, so that it refuses none of them, locks the
 * shard against being moved, and commits as usual.
 */

/** Functions, on all nodes. */
export const functions: readonly string[] = [
    `
        create or replace function next_thing_id() returns bigint language plpgsql as $f$
        declare
            floor bigint := (extract(epoch from clock_timestamp()) * 1000 - 1767225600000)::bigint * 1024;
            id bigint := nextval('public.thing_ids');
        begin
            -- Ids begin with the time, so that they are in the order of creation whichever node makes them.
            if id < floor then
                perform pg_advisory_lock(7243392019);
                if (select last_value from public.thing_ids) < floor then
                    perform setval('public.thing_ids', floor + id % 16);
                end if;
                perform pg_advisory_unlock(7243392019);
                id := nextval('public.thing_ids');
            end if;
            return id;
        end $f$;
    `,
    `
        create or replace function shard_copy_kept() returns trigger language plpgsql as $f$
        begin
            raise exception 'A shard cannot write to the copy of %', tg_table_name;
        end $f$;
    `,
    `
        create or replace function shard_schema(shard bigint) returns text language plpgsql set citus.enable_ddl_propagation = off set client_min_messages = warning set search_path = public as $f$
        declare
            name text := 'shard_' || shard;
            t record; c record;
            columns text;
        begin
            -- The views go with the tables when the shard moves, and come back if it does.
            if to_regclass(name || '.projects') is not null then return name; end if;
            perform pg_advisory_xact_lock(shard);
            begin
                if to_regclass('public.thing_ids') is null then
                    execute format('create sequence public.thing_ids increment 16 minvalue 1 start %s', (select groupid from pg_dist_local_group) % 16 + 16);
                end if;
                if to_regclass(name || '.projects') is not null then return name; end if;
                execute format('create schema if not exists %I', name);
                for t in select o.logicalrelid::text as rel, o.shardid, p.partmethod = 'n' as is_reference
                    from pg_dist_shard s join pg_dist_partition sp on sp.logicalrelid = s.logicalrelid
                    join pg_dist_partition p on p.colocationid = sp.colocationid or p.partmethod = 'n'
                    join pg_dist_shard o on o.logicalrelid = p.logicalrelid and (p.partmethod = 'n' or o.shardminvalue = s.shardminvalue)
                    where s.shardid = shard and (p.partmethod <> 'n' or p.logicalrelid::text like 'mirror.%') and to_regclass(p.logicalrelid || '_' || o.shardid) is not null
                loop
                    select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute where attrelid = t.rel::regclass and attnum > 0 and not attisdropped;
                    execute format('create or replace view %I.%I as select %s%s from %s', name, replace(t.rel, 'mirror.', ''), columns, case when t.rel = 'project_views' then ', ctid' end,
                        case when t.is_reference then t.rel else 'public.' || t.rel end || '_' || t.shardid);
                    if t.is_reference then
                        execute format('create or replace trigger kept instead of insert or update or delete on %I.%I for each row execute function public.shard_copy_kept()', name, replace(t.rel, 'mirror.', ''));
                    else
                        for c in select a.attname from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                            where a.attrelid = ('public.' || t.rel)::regclass and pg_get_expr(d.adbin, d.adrelid) in ('now()', 'CURRENT_TIMESTAMP')
                        loop
                            execute format('alter view %I.%I alter column %I set default coalesce(nullif(current_setting(''pagewright.now'', true), '''')::timestamptz, now())', name, t.rel, c.attname);
                        end loop;
                        if t.rel = 'moderation_log' then
                            execute format('alter view %I.moderation_log alter column placed set default current_setting(''pagewright.project'')::bigint', name);
                        end if;
                        for c in select a.attname, pg_get_serial_sequence('public.' || t.rel, a.attname) as seq from pg_attribute a
                            where a.attrelid = ('public.' || t.rel)::regclass and a.attnum > 0 and not a.attisdropped and pg_get_serial_sequence('public.' || t.rel, a.attname) is not null
                        loop
                            execute format('alter view %I.%I alter column %I set default %s', name, t.rel, c.attname,
                                case when t.rel = 'projects' then 'current_setting(''pagewright.project'')::bigint' else 'public.next_thing_id()' end);
                        end loop;
                    end if;
                end loop;
                if to_regclass(name || '.projects') is null then
                    raise exception 'This node does not have the shard %', shard using errcode = 'connection_exception';
                end if;
            exception when unique_violation or duplicate_table or duplicate_schema then
                -- Another session has made it before this one had the lock, and this one cannot know yet. It is tried again.
                raise exception 'The shard % has just come to this node', shard using errcode = 'serialization_failure';
            end;
            return name;
        end $f$;
    `,
    // A call of a statement that this connection has planned for a shard; null if it is not to be planned.
    `
        create or replace function call_in_shard(shard bigint, sql text, params text[]) returns text language plpgsql as $f$
        declare
            name text := 'in_' || shard || '_' || md5(sql);
            known integer := coalesce(nullif(current_setting('pagewright.plans', true), '')::integer, 0);
        begin
            -- The parameters are part of the call.
            if left(sql, 3) = 'do ' or pg_column_size(params) > 100000 then return null; end if;
            if coalesce(current_setting('pagewright.' || name, true), '') = '' then
                -- One needs up to half a megabyte. Citus ends a connection after some minutes.
                if known >= 100 then return null; end if;
                begin
                    execute format('prepare %I (text[]) as %s', name, sql);
                exception when duplicate_prepared_statement then
                    null; -- by a transaction that was rolled back, and the note of it too
                end;
                perform set_config('pagewright.' || name, 'planned', false), set_config('pagewright.plans', (known + 1)::text, false);
            end if;
            return format('execute %I (%L)', name, params);
        end $f$;
    `,
    `
        create or replace function rows_in_shard(shard bigint, sql text, params text[]) returns text[] language plpgsql set plan_cache_mode = force_generic_plan as $f$
        declare
            path text := current_setting('search_path');
            r record;
            later boolean;
            silent boolean;
            found text[] := '{}';
        begin
            perform set_config('search_path', shard_schema(shard) || ', public', true);
            -- Instances of an older release say when constraints are checked.
            if left(sql, 1) = '>' then
                set constraints all deferred;
            end if;
            later := left(sql, 1) = '<';
            sql := ltrim(sql, '<>');
            silent := left(sql, 1) = '!';
            sql := ltrim(sql, '!');
            sql := coalesce(call_in_shard(shard, sql, params), sql);
            if silent then
                execute sql using params;
            else
                for r in execute sql using params loop
                    found := found || to_json(r)::text;
                end loop;
            end if;
            if later then
                set constraints all immediate;
            end if;
            perform set_config('search_path', path, true);
            return found;
        end $f$;
    `,
    `
        create or replace function at_project_run() returns trigger language plpgsql as $f$
        declare
            name text; message text; state text; detail text;
        begin
            perform set_config('pagewright.project', new.project_id::text, true), set_config('pagewright.now', new.at::text, true);
            if new.reason is not null then perform set_config('pagewright.reason', new.reason, true); end if;
            begin
                new.found := rows_in_shard(get_shard_id_for_distribution_column('public.at_project', new.project_id), new.sql, new.params);
            exception when integrity_constraint_violation then
                get stacked diagnostics name = constraint_name, message = message_text, state = returned_sqlstate, detail = pg_exception_detail;
                -- A coordinator that was killed may draw ids again. As after a serialization failure, the next one is tried.
                raise exception using message = message, errcode = case when name ~ '^projects_pkey' then '40001' else state end, detail = detail, hint = coalesce('constraint ' || nullif(regexp_replace(name, '_[0-9]{6,}$', ''), ''), '');
            end;
            perform set_config('pagewright.project', '', true);
            new.sql := null;
            new.params := null;
            return new;
        end $f$;
    `,
    `
        create or replace function at_project_forget() returns trigger language plpgsql as $f$
        begin
            execute format('delete from public.%I where project_id = $1 and id = $2', tg_table_name) using new.project_id, new.id;
            return null;
        end $f$;
    `,
    `
        create or replace function enter_shard() returns trigger language plpgsql as $f$
        begin
            if coalesce(current_setting('pagewright.project', true), '') = '' and tg_table_name ~ '_[0-9]+$' then
                perform set_config('search_path', shard_schema((
                    select a.shardid from pg_dist_shard s
                        join pg_dist_shard a on a.shardminvalue = s.shardminvalue and a.logicalrelid = 'public.at_project'::regclass
                    where s.shardid = substring(tg_table_name from '[0-9]+$')::bigint)) || ', public', true);
            end if;
            return null;
        end $f$;
    `,
    `
        create or replace function read_in_shard(project bigint, sql text, params text[]) returns text[] language plpgsql as $f$
        begin
            return rows_in_shard(get_shard_id_for_distribution_column('public.at_project', project), sql, params);
        end $f$
    `,
    `
        create or replace function read_everywhere(project bigint, sql text, params text[]) returns text[] language plpgsql as $f$
        begin
            return rows_in_shard(get_shard_id_for_distribution_column('public.at_project', project), sql, params);
        end $f$
    `
];

/** Tables, and functions that need them, after the tables are distributed. */
export const mechanism: readonly string[] = [
    `
        create unlogged table at_project (project_id bigint not null, id uuid not null default gen_random_uuid(), sql text, params text[], reason text default nullif(current_setting('pagewright.reason', true), ''), at timestamptz not null default now(), found text[], primary key (project_id, id))
    `,
    `
        alter table at_project alter column found set storage external
    `,
    `
        select create_distributed_table('at_project', 'project_id', colocate_with => 'projects')
    `,
    `
        create trigger at_project_run before insert on at_project for each row execute function at_project_run()
    `,
    `
        create trigger at_project_forget after insert on at_project for each row execute function at_project_forget()
    `,
    `
        select create_distributed_function('read_in_shard(bigint, text, text[])', 'project', colocate_with => 'projects', force_delegation => true)
    `,
    `
        create or replace function project_ids_beside(project bigint) returns bigint language sql as $f$
            select id from (select nextval('public.projects_id_seq') as id from generate_series(1, 10000)) drawn
            where get_shard_id_for_distribution_column('public.at_project', id) = get_shard_id_for_distribution_column('public.at_project', project) limit 1
        $f$
    `,
    `
        drop table featured_tags
    `,
    `
        create view featured_tags as select tag, count(*) as projects from featured_projects, unnest(tags) as tag group by tag;

        create table shards (project_id bigint primary key)
    `,
    `
        select create_distributed_table('shards', 'project_id', colocate_with => 'projects')
    `,
    `
        insert into shards select distinct on (shard) id from (select -n as id, get_shard_id_for_distribution_column('at_project', -n) as shard from generate_series(1, 20000) n) s order by shard, id desc
    `,
    `
        select read_everywhere(project_id, 'select 1', '{}') from shards
    `
];
