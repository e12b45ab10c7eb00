import type { Knex } from 'knex';

import { copyTables } from './copies';
import { coordinatorObjects, clusterOverrides } from './differences';
import { noteRelease } from './schema-change';
import { functions, mechanism } from './shard-functions';
import { placeTables } from './shard-tables';
import { asOne, runAll } from './steps';

/** Constraints that a distributed table cannot have as they are: keys without the project, and foreign keys to tables that are elsewhere. */
const loosen = [
    `alter table projects drop constraint projects_user_id_fkey`,
    `alter table pages drop constraint pages_project_id_fkey`,
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
    `alter table guest_reports drop constraint guest_reports_project_id_fkey`,
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
    // A set of assets would be in the shards of all remixes that use it, so each of them gets rows of its own, and no new set is made.
    `insert into asset_uses (project_id, hash) select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id on conflict do nothing`,
    `truncate asset_sets, asset_set_members, asset_set_uses`,
    // An asset is kept for some days after its last use. A shard cannot note that at the asset, so it keeps when uses ended.
    `create table ended_asset_uses (project_id bigint not null, hash text not null, ended_at timestamptz not null default now(), primary key (project_id, hash))`,
    `create index on ended_asset_uses (hash)`,
    `create index on ended_asset_uses (ended_at)`
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
    `alter table guest_reports add constraint guest_reports_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table report_queue add constraint report_queue_project_id_fkey foreign key (project_id) references projects on delete cascade`,
    `alter table elements add constraint elements_page_id_fkey foreign key (project_id, page_id) references pages on delete cascade`,
    `alter table projects add constraint projects_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`,
    `alter table project_members add constraint project_members_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`,
    `alter table reports add constraint reports_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`,
    `alter table trash add constraint trash_user_id_fkey foreign key (user_id) references mirror.users on delete cascade`
];

/** Moves a database to the nodes of its cluster: all of it or nothing. Nobody else may use it meanwhile. @throws what PostgreSQL says */
export async function distribute(db: Knex): Promise<void> {
    await db.transaction(async (trx) => {
        await runAll(trx, [...clusterOverrides, ...loosen]);
        // They are made once more, so that the workers have them also if the extension was added after them.
        const { rows: ownFunctions } = await trx.raw<{ rows: { text: string }[] }>(`
            select pg_get_functiondef(p.oid) as text from pg_proc p
            where pronamespace = 'public'::regnamespace and prokind = 'f'
                and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`);
        await runAll(trx, [...asOne, 'create schema mirror']);
        await copyTables(trx);
        await runAll(trx, ['create table two_phases (id bigint)', `select citus_add_local_table_to_metadata('two_phases')`, 'create index on mirror.tokens (hash)', 'alter table mirror.tokens add foreign key (user_id) references mirror.users on delete cascade']);
        await placeTables(trx, () => runAll(trx, [...foreignKeys, ...ownFunctions.map(({ text }) => text), ...functions, ...mechanism]));
        await runAll(trx, [...coordinatorObjects, noteRelease]);
    });
}
