/** The differences of a cluster's schema: triggers that write elsewhere or help older releases, and what uses sets of assets. Each migration makes it so again. */
export const clusterOverrides = [
    `drop trigger if exists featured_projects_tags on featured_projects`,
    `drop trigger if exists projects_prepare on projects`,
    `drop trigger if exists pages_prepare on pages`,
    `drop trigger if exists elements_prepare on elements`,
    `drop trigger if exists pages_prepare_insert on pages`,
    `drop trigger if exists elements_prepare_insert on elements`,
    `drop trigger if exists projects_prepare_insert on projects`,
    `drop trigger if exists elements_find_project on elements`,
    `drop trigger if exists moderation_log_kept on moderation_log`,
    `drop trigger if exists asset_set_uses_delete on asset_set_uses`,
    // A foreign key does there what these three do.
    `drop trigger if exists elements_in_pages_insert on elements`,
    `drop trigger if exists elements_in_pages_update on elements`,
    `drop trigger if exists elements_of_pages on pages`,
    'drop view if exists used_assets',
    `create or replace function use_asset_set(project bigint, wanted text[]) returns void language plpgsql as $f$
    begin
        perform use_assets(array_fill(project, array[cardinality(wanted)]), wanted, true);
    end $f$`,
    `create or replace function asset_uses_ended() returns trigger language plpgsql as $f$
    begin
        delete from ended_asset_uses where ended_at < now() - interval '8 days';
        insert into ended_asset_uses (project_id, hash) select project_id, hash from old_rows on conflict (project_id, hash) do update set ended_at = excluded.ended_at;
        return null;
    end $f$`
];

/** The coordinator's own objects: functions that look up what its own statements need of projects, and triggers. Made anew with each migration. */
export const coordinatorObjects = [
    'create trigger moderation_log_kept before update or delete on moderation_log for each statement execute function moderation_log_kept()',
    'set local citus.enable_ddl_propagation to off',
    `create or replace function project_by_id(bigint) returns setof projects language plpgsql stable as $f$ begin return query select * from public.projects where projects.id = $1; end $f$`,
    `create or replace function projects_by_ids(bigint[]) returns setof projects language plpgsql stable as $f$ begin return query select * from public.projects where projects.id = any($1); end $f$`,
    `create or replace function members_of(bigint) returns setof project_members language plpgsql stable as $f$ begin return query select * from public.project_members where project_members.project_id = $1; end $f$`,
    `create or replace function projects_of(bigint) returns setof projects language plpgsql stable as $f$ begin return query select * from public.projects where projects.user_id = $1; end $f$`,
    // Also those that ended in the last 7 days.
    `create or replace function uses_of(text) returns table (project_id bigint) language plpgsql stable as $f$ begin
        return query select u.project_id from public.asset_uses u where u.hash = $1
            union all select e.project_id from public.ended_asset_uses e where e.hash = $1 and e.ended_at > now() - interval '7 days'; end $f$`,
    // A shard that adds a use locks its copy of the asset, so the deletion waits for it, and looks once more when the copies are gone. It is tried again as after a serialization failure.
    `create or replace function asset_is_unused() returns trigger language plpgsql as $f$
    begin
        if exists (select from uses_of(old.hash)) then
            raise exception 'The asset % came to be used', old.hash using errcode = 'serialization_failure';
        end if;
        return null;
    end $f$`,
    // Citus commits what one worker and tables of the coordinator alone have written in one phase, so a kill between the two commits would keep a project without its key.
    // A write to a table that Citus knows, which is always empty, makes it commit in two.
    `create or replace function commit_in_two_phases() returns trigger language plpgsql as $f$ begin delete from public.two_phases; return null; end $f$`,
    `create or replace function any_queued() returns boolean language plpgsql stable as $f$ begin return (select count(*) > 0 from (select 1 from public.search_queue limit 1) q); end $f$`,
    `create or replace function projects_using(text, bigint) returns table (id bigint) language plpgsql stable as $f$ begin
        return query select p.id from public.asset_uses w join public.projects p on p.id = w.project_id where w.hash = $1 and p.user_id = $2; end $f$`,
    `create sequence if not exists thing_ids increment 16 minvalue 1 start 16`,
    `create or replace function stats_of(bigint) returns setof project_stats language plpgsql stable as $f$ begin return query select * from public.project_stats where project_stats.project_id = $1; end $f$`,
    'create or replace trigger unused after delete on assets for each row execute function asset_is_unused()',
    'create or replace trigger two_phases after insert or update on idempotency_keys for each statement execute function commit_in_two_phases()',
    // What is taken out of the outbox in a shard is in the deliveries or notices, or neither is. An earlier release has no such table.
    `do $f$ begin
        if to_regclass('public.webhook_deliveries') is not null then
            create or replace trigger two_phases after insert on webhook_deliveries for each statement execute function commit_in_two_phases();
        end if;
        if to_regclass('public.notices') is not null then
            create or replace trigger two_phases after insert on notices for each statement execute function commit_in_two_phases();
        end if;
    end $f$`,
    'set local citus.enable_ddl_propagation to on'
];
