import type { Knex } from 'knex';

import { NOTHING_TO_FILL } from './cluster';
import { functions, mechanism } from './shard-functions';

/** Distributed by the id of the project. */
const ofProjects = [
    'pages', 'elements', 'featured_projects', 'project_tags', 'project_stats', 'project_views', 'project_changes', 'history_gaps', 'versions', 'trash', 'project_members', 'project_invitations',
    'project_search', 'search_queue', 'trending', 'reports', 'report_queue', 'asset_uses', 'ended_asset_uses', 'asset_set_uses', 'asset_doubts', 'made_thumbnails'
];

/** Tables of the coordinator of which every node has a copy that follows them, with their keys. */
const copied: readonly (readonly [table: string, key: readonly string[]])[] = [
    ['users', ['id']], ['tokens', ['id']], ['assets', ['hash']], ['asset_set_members', ['set_id', 'hash']], ['collections', ['id']], ['collection_projects', ['collection_id', 'project_id']], ['thumbnail_progress', []], ['sent_assets', ['user_id', 'hash']]
];

/** What cannot be on a distributed table as it is: keys without the project, foreign keys to tables that are elsewhere, triggers that write elsewhere or help older releases. */
const loosen = [
    `drop trigger featured_projects_tags on featured_projects`,
    `drop trigger projects_prepare on projects`,
    `drop trigger pages_prepare on pages`,
    `drop trigger elements_prepare on elements`,
    `drop trigger moderation_log_kept on moderation_log`,
    `alter table projects drop constraint projects_user_id_fkey`,
    `alter table pages drop constraint pages_project_id_fkey`,
    `alter table elements drop constraint elements_page_id_fkey`,
    `alter table featured_projects drop constraint featured_projects_project_id_fkey`,
    `alter table project_tags drop constraint project_tags_project_id_fkey`,
    `alter table project_stats drop constraint project_stats_project_id_fkey`,
    `alter table project_views drop constraint project_views_project_id_fkey`,
    `alter table trash drop constraint trash_user_id_fkey, drop constraint trash_pkey, drop constraint trash_thing_key`,
    `alter table project_members drop constraint project_members_project_id_fkey, drop constraint project_members_user_id_fkey`,
    `alter table project_invitations drop constraint project_invitations_project_id_fkey, drop constraint project_invitations_pkey, drop constraint project_invitations_hash_key`,
    `alter table search_queue drop constraint search_queue_pkey`,
    `alter table collection_projects drop constraint collection_projects_project_id_fkey`,
    `alter table reports drop constraint reports_project_id_fkey, drop constraint reports_user_id_fkey`,
    `alter table report_queue drop constraint report_queue_project_id_fkey`,
    `alter table moderation_log drop constraint moderation_log_pkey`,
    `alter table pages drop constraint pages_pkey, add constraint pages_pkey primary key (project_id, id)`,
    `alter table elements alter column project_id set not null, drop constraint elements_pkey, add constraint elements_pkey primary key (project_id, id)`,
    `create index pages_id_idx on pages (id)`,
    `create index elements_id_idx on elements (id)`,
    `alter table trash add constraint trash_pkey primary key (project_id, id), add constraint trash_thing_key unique (project_id, type, thing_id)`,
    `create index trash_thing_idx on trash (type, thing_id)`,
    `alter table project_invitations add constraint project_invitations_pkey primary key (project_id, id), add constraint project_invitations_hash_key unique (project_id, hash)`,
    `create index project_invitations_hash_idx on project_invitations (hash)`,
    `alter table search_queue add constraint search_queue_pkey primary key (project_id, id)`,
    `alter table moderation_log add column placed bigint not null default 0`,
    `alter table maintenance alter column filled_to set default ${NOTHING_TO_FILL}`,
    `update maintenance set filled_to = ${NOTHING_TO_FILL}`,
    // A set of assets would be in the shards of all remixes that use it, so each of them gets rows of its own, and no new set is made.
    `insert into asset_uses (project_id, hash) select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id on conflict do nothing`,
    `drop trigger asset_set_uses_delete on asset_set_uses`,
    `drop view used_assets`,
    `truncate asset_sets, asset_set_members, asset_set_uses`,
    `create or replace function use_asset_set(project bigint, wanted text[]) returns void language plpgsql as $f$
    begin
        perform use_assets(array_fill(project, array[cardinality(wanted)]), wanted, true);
    end $f$`,
    // An asset is kept for some days after its last use. A shard cannot note that at the asset, so it keeps when uses ended.
    `create table ended_asset_uses (project_id bigint not null, hash text not null, ended_at timestamptz not null default now(), primary key (project_id, hash))`,
    `create index on ended_asset_uses (hash)`,
    `create index on ended_asset_uses (ended_at)`,
    `create or replace function asset_uses_ended() returns trigger language plpgsql as $f$
    begin
        delete from ended_asset_uses where ended_at < now() - interval '8 days';
        insert into ended_asset_uses (project_id, hash) select project_id, hash from old_rows on conflict (project_id, hash) do update set ended_at = excluded.ended_at;
        return null;
    end $f$`
];

const foreignKeys = [
    `alter table pages add constraint pages_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table featured_projects add constraint featured_projects_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table project_tags add constraint project_tags_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table project_stats add constraint project_stats_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table project_views add constraint project_views_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table project_members add constraint project_members_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table project_invitations add constraint project_invitations_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table reports add constraint reports_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table report_queue add constraint report_queue_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table elements add constraint elements_page_id_fkey foreign key (project_id, page_id) references pages on delete cascade`,
    `alter table projects add constraint projects_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`,
    `alter table project_members add constraint project_members_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`,
    `alter table reports add constraint reports_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`,
    `alter table trash add constraint trash_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`
];

/** Functions of the coordinator, which look up what its own statements need of projects. */
const lookups = [
    'set local citus.enable_ddl_propagation to off',
    `create function project_by_id(bigint) returns setof projects language plpgsql stable as $f$ begin return query select * from public.projects where projects.id = $1; end $f$`,
    `create function projects_by_ids(bigint[]) returns setof projects language plpgsql stable as $f$ begin return query select * from public.projects where projects.id = any($1); end $f$`,
    `create function members_of(bigint) returns setof project_members language plpgsql stable as $f$ begin return query select * from public.project_members where project_members.project_id = $1; end $f$`,
    `create function projects_of(bigint) returns setof projects language plpgsql stable as $f$ begin return query select * from public.projects where projects.user_id = $1; end $f$`,
    // Also those that ended in the last 7 days.
    `create function uses_of(text) returns table (project_id bigint) language plpgsql stable as $f$ begin
        return query select u.project_id from public.asset_uses u where u.hash = $1
            union all select e.project_id from public.ended_asset_uses e where e.hash = $1 and e.ended_at > now() - interval '7 days'; end $f$`,
    // A shard that adds a use locks its copy of the asset, so the deletion waits for it, and looks once more when the copies are gone. It is tried again as after a serialization failure.
    `create function asset_is_unused() returns trigger language plpgsql as $f$
    begin
        if exists (select from uses_of(old.hash)) then
            raise exception 'The asset % came to be used', old.hash using errcode = 'serialization_failure';
        end if;
        return null;
    end $f$`,
    // Citus commits what one worker and tables of the coordinator alone have written in one phase, so a kill between the two commits would keep a project without its key.
    // A write to a table that Citus knows, which is always empty, makes it commit in two.
    `create function commit_in_two_phases() returns trigger language plpgsql as $f$ begin delete from public.two_phases; return null; end $f$`,
    `create function any_queued() returns boolean language plpgsql stable as $f$ begin return (select count(*) > 0 from (select 1 from public.search_queue limit 1) q); end $f$`,
    `create function projects_using(text, bigint) returns table (id bigint) language plpgsql stable as $f$ begin
        return query select p.id from public.asset_uses w join public.projects p on p.id = w.project_id where w.hash = $1 and p.user_id = $2; end $f$`,
    `create sequence if not exists thing_ids increment 16 minvalue 1 start 16`,
    `create function stats_of(bigint) returns setof project_stats language plpgsql stable as $f$ begin return query select * from public.project_stats where project_stats.project_id = $1; end $f$`
];

/** Moves a database to the nodes of its cluster: all of it or nothing. Nobody else may use it meanwhile. @throws what PostgreSQL says */
export async function distribute(db: Knex): Promise<void> {
    await db.transaction(async (trx) => {
        const all = async (steps: readonly string[]): Promise<void> => {
            for (const step of steps) {
                await trx.raw(step.replaceAll('?', '\\?'));
            }
        };

        await all(['update elements e set project_id = g.project_id from pages g where g.id = e.page_id and e.project_id is null', ...loosen]);
        const tables = ['projects', ...ofProjects, 'moderation_log'];
        // They are made once more, so that the workers have them also if the extension was added after them.
        const { rows: ownFunctions } = await trx.raw<{ rows: { text: string }[] }>(`
            select pg_get_functiondef(p.oid) as text from pg_proc p
            where pronamespace = 'public'::regnamespace and prokind = 'f' and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`);
        // Rows that move must not look like new ones.
        const { rows: triggers } = await trx.raw<{ rows: { name: string; on: string; text: string }[] }>(`
            select tgname as name, c.relname as on, pg_get_triggerdef(t.oid) as text from pg_trigger t join pg_class c on c.oid = t.tgrelid
            where not tgisinternal and c.relnamespace = 'public'::regnamespace and c.relname = any(?) order by c.relname, tgname`, [tables]);
        await all(triggers.map(({ name, on }) => `drop trigger ${name} on ${on}`));
        await all([`set local citus.multi_shard_modify_mode to 'sequential'`, 'set local citus.enable_unsafe_triggers to on', 'create schema mirror']);
        for (const [table, key] of copied) {
            await all([
                `create table mirror.${table} (like public.${table} including defaults)`, ...key.length === 0 ? [] : [`alter table mirror.${table} add primary key (${key.join(', ')})`],
                `select create_reference_table('mirror.${table}')`, `insert into mirror.${table} select * from public.${table}`
            ]);
        }

        await all([
            'create table two_phases (id bigint)', `select citus_add_local_table_to_metadata('two_phases')`,
            'create index on mirror.tokens (hash)', 'alter table mirror.tokens add foreign key (user_id) references mirror.users on delete cascade', `select create_distributed_table('projects', 'id')`,
            ...ofProjects.map((table) => `select create_distributed_table('${table}', 'project_id', colocate_with => 'projects')`), `select create_distributed_table('moderation_log', 'placed', colocate_with => 'projects')`,
            ...foreignKeys, ...ownFunctions.map(({ text }) => text), ...functions, ...mechanism,
            ...triggers.map(({ text }) => text),
            ...tables.map((table) => `create trigger a_place before insert or update or delete on ${table} for each statement execute function enter_shard()`),
            'create trigger moderation_log_kept before update or delete on moderation_log for each statement execute function moderation_log_kept()',
            ...lookups
        ]);
        for (const [table, key] of copied) {
            const { rows } = await trx.raw<{ rows: { name: string }[] }>(`select attname as name from pg_attribute where attrelid = 'public.${table}'::regclass and attnum > 0 and not attisdropped order by attnum`);
            const columns = rows.map(({ name }) => name).filter((name) => !key.includes(name));
            const same = key.length === 0 ? 'true' : key.map((name) => `${name} = old.${name}`).join(' and ');
            await all([`create function mirror_${table}() returns trigger language plpgsql as $f$
                begin
                    if tg_op = 'DELETE' then
                        delete from mirror.${table} where ${same};
                    elsif tg_op = 'INSERT' then
                        insert into mirror.${table} select (new).*;
                    else
                        ${columns.length === 0 ? 'null' : `update mirror.${table} set ${columns.map((name) => `${name} = new.${name}`).join(', ')} where ${same}`};
                    end if;
                    return null;
                end $f$`, `create trigger mirror_${table} after insert or update or delete on ${table} for each row execute function mirror_${table}()`]);
        }

        await all([
            'create trigger unused after delete on assets for each row execute function asset_is_unused()',
            'create trigger two_phases after insert or update on idempotency_keys for each statement execute function commit_in_two_phases()'
        ]);
    });
}
