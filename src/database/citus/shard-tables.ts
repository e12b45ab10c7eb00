import type { Knex } from 'knex';

import { runAll } from './steps';

/** Distributed by the id of the project. */
const ofProjects = [
    'pages', 'elements', 'featured_projects', 'project_tags', 'project_stats', 'project_views', 'project_changes', 'history_gaps',
    'versions', 'trash', 'project_members', 'project_invitations', 'project_presence',
    'project_search', 'search_queue', 'trending', 'reports', 'guest_reports', 'report_queue', 'asset_uses', 'ended_asset_uses',
    'asset_set_uses', 'asset_doubts', 'made_thumbnails', 'class_projects', 'class_hidden_projects', 'webhook_events',
    'comments', 'comment_settings', 'project_likes', 'notice_events', 'filter_checks', 'first_looks', 'statements', 'moderation_counts',
    'thing_reports', 'thing_report_queue'
];

/** All distributed tables, with the column that says in which shard a row is. */
const placed: readonly (readonly [table: string, column: string])[] = [['projects', 'id'], ...ofProjects.map((table) => [table, 'project_id'] as const), ['moderation_log', 'placed']];

/**
 * Distributes those of them that are not yet.
 * @param between is called before their triggers are there again
 */
export async function placeTables(trx: Knex, between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { rows } = await trx.raw<{ rows: { name: string }[] }>(`
        select name from unnest(?::text[]) as name where to_regclass('public.' || name) is not null and not exists (select from pg_dist_partition where logicalrelid = to_regclass('public.' || name))`, [placed.map(([table]) => table)]);
    const tables = placed.filter(([table]) => rows.some(({ name }) => name === table));
    // Rows that move must not look like new ones.
    const { rows: triggers } = await trx.raw<{ rows: { name: string; on: string; text: string }[] }>(`
        select tgname as name, c.relname as on, pg_get_triggerdef(t.oid) as text from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where not tgisinternal and c.relnamespace = 'public'::regnamespace and c.relname = any(?)
            order by c.relname, tgname`, [tables.map(([table]) => table)]);
    await runAll(trx, [
        ...triggers.map(({ name, on }) => `drop trigger ${name} on ${on}`),
        ...tables.map(([table, column]) =>
            `select create_distributed_table('${table}', '${column}'${table === 'projects' ? '' : `, colocate_with => 'projects'`})`)
    ]);
    await between();
    await runAll(trx, [
        ...triggers.map(({ text }) => text),
        ...tables.map(([table]) =>
            `create trigger a_place before insert or update or delete on ${table} for each statement execute function enter_shard()`)
    ]);
}
