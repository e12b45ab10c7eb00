import type { Knex } from 'knex';

import { migrationSource, migrations } from '../../migrations';

const settings: Knex.MigratorConfig = { migrationSource, tableName: 'migrations' };

/** Applies what is not yet applied, one migration a transaction. Safe beside another process that does the same. */
export async function migrate(db: Knex): Promise<string[]> {
    const [, names] = await db.migrate.latest(settings);
    return names;
}

/** Takes the newest batch of migrations back. */
export async function rollback(db: Knex): Promise<string[]> {
    const [, names] = await db.migrate.rollback(settings);
    return names;
}

/** How many migrations of ours the database lacks. */
export async function pendingMigrations(db: Knex): Promise<number> {
    const { rows } = await db.raw<{ rows: { name: string }[] }>('select name from migrations');
    const done = new Set(rows.map(({ name }) => name));
    return migrations.filter(({ name }) => !done.has(name)).length;
}
