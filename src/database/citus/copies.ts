import type { Knex } from 'knex';

import { runAll } from './steps';

/** Tables of the coordinator of which every node has a copy that follows them, with their keys. */
const copied: readonly (readonly [table: string, key: readonly string[]])[] = [
    ['users', ['id']], ['tokens', ['id']], ['apps', ['id']], ['assets', ['hash']], ['asset_set_members', ['set_id', 'hash']], ['collections', ['id']], ['collection_projects', ['collection_id', 'project_id']], ['thumbnail_progress', []], ['sent_assets', ['user_id', 'hash']], ['class_people', ['class_id', 'user_id']], ['works', ['id']],
    ['webhook_watches', ['watched', 'webhook_id']], ['blocks', ['user_id', 'blocked_id']], ['filter_settings', []]
];

interface Column {
    name: string;
    type: string;
}

/** The columns of a table, in order; none if there is no such table. */
async function columnsOf(trx: Knex, table: string): Promise<Column[]> {
    const { rows } = await trx.raw<{ rows: Column[] }>(`
        select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = to_regclass(?) and attnum > 0 and not attisdropped order by attnum`, [table]);
    return rows;
}

const listed = (columns: readonly Column[], text: (name: string) => string, between = ', '): string => columns.map(({ name }) => text(name)).join(between);

/** Makes the copies that there are not yet, gives the others the columns that their tables have got, and drops those of tables that a rollback has dropped. */
export async function copyTables(trx: Knex): Promise<void> {
    for (const [table, key] of copied) {
        const columns = await columnsOf(trx, `public.${table}`);
        if (columns.length === 0) {
            await runAll(trx, [`drop table if exists mirror.${table}`, `drop function if exists mirror_${table}()`]);
            continue;
        }

        const present = await columnsOf(trx, `mirror.${table}`);
        const missing = (all: readonly Column[], from: readonly Column[]): Column[] => from.filter(({ name, type }) => !all.some((one) => one.name === name && one.type === type));
        const own = columns.filter(({ name }) => !key.includes(name));
        const same = key.map((name) => `${name} = old.${name}`).join(' and ') || 'true';
        const added = missing(present, columns);
        const all = listed(columns, (name) => name);
        await runAll(trx, present.length === 0 ? [
            `create table mirror.${table} (like public.${table} including defaults)`, ...key.length === 0 ? [] : [`alter table mirror.${table} add primary key (${key.join(', ')})`],
            `select create_reference_table('mirror.${table}')`, `insert into mirror.${table} (${all}) select ${all} from public.${table}`
        ] : [
            ...missing(columns, present).map(({ name }) => `alter table mirror.${table} drop column ${name}`), ...added.map(({ name, type }) => `alter table mirror.${table} add column ${name} ${type}`),
            ...added.length === 0 ? [] : key.length === 0 ? [`delete from mirror.${table}`, `insert into mirror.${table} (${all}) select ${all} from public.${table}`] : [
                `insert into mirror.${table} (${all}) select ${all} from public.${table} on conflict (${key.join(', ')}) do update set ${listed(added, (name) => `${name} = excluded.${name}`)}`]
        ]);
        await runAll(trx, ['set local citus.enable_ddl_propagation to off', `create or replace function mirror_${table}() returns trigger language plpgsql as $f$
            begin
                if tg_op = 'DELETE' then
                    delete from mirror.${table} where ${same};
                elsif tg_op = 'INSERT' then
                    insert into mirror.${table} (${all}) values (${listed(columns, (name) => `new.${name}`)});
                else
                    ${own.length === 0 ? 'null' : `update mirror.${table} set ${listed(own, (name) => `${name} = new.${name}`)} where ${same}`};
                end if;
                return null;
            end $f$`, `create or replace trigger mirror_${table} after insert or update or delete on public.${table} for each row execute function mirror_${table}()`, 'set local citus.enable_ddl_propagation to on']);
    }
}
