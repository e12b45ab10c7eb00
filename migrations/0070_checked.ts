import type { Knex } from 'knex';

/** Constraints that new rows had to keep from the beginning, so that nobody waited while the old ones were looked at. That is done now, and nobody waits for it. */
const constraints: readonly (readonly [table: string, name: string])[] = [
    ['users', 'users_suspension_whole'], ['users', 'users_about_length'], ['users', 'users_publish_known'], ['tokens', 'tokens_app_id_fkey'], ['tokens', 'tokens_authorization_id_fkey'],
    ['tokens', 'tokens_scope_known'], ['tokens', 'tokens_origin_known'], ['tokens', 'tokens_projects_count']
];

export async function up(db: Knex): Promise<void> {
    await db.raw(constraints.map(([table, name]) => `alter table ${table} validate constraint ${name};`).join('\n'));
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        do $$
        declare
            found record;
        begin
            for found in select conrelid::regclass as of, conname as name, pg_get_constraintdef(oid) as text from pg_constraint
                where conrelid in ('users'::regclass, 'tokens'::regclass) and conname in (${constraints.map(([, name]) => `'${name}'`).join(', ')})
            loop
                execute format('alter table %s drop constraint %I', found.of, found.name);
                execute format('alter table %s add constraint %I %s not valid', found.of, found.name, found.text);
            end loop;
        end $$`);
}
