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
    for (const [table, name] of constraints) {
        const { rows: [found] } = await db.raw<{ rows: { text: string }[] }>('select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = ?::regclass and conname = ?', [table, name]);
        await db.raw(`alter table ${table} drop constraint ${name}; alter table ${table} add constraint ${name} ${found?.text} not valid;`);
    }
}
