import type { Knex } from 'knex';

import { migrationSource, migrations } from '../../migrations';

const settings: Knex.MigratorConfig = { migrationSource, tableName: 'migrations' };

/** Any number, as long as nothing else in the database takes the same advisory lock. */
const LOCK = 7_243_392_018;

/**
 * Applies the pending migrations in one transaction, so a process that is killed meanwhile leaves nothing half done. Of
 * several processes that start at once, one applies them and the others wait for it.
 * @param fill is called in the same transaction if the database has never had a migration
 * @returns the names of the migrations that were applied
 */
export async function migrate(db: Knex, fill?: (trx: Knex.Transaction) => Promise<void>): Promise<string[]> {
    return await alone(db, async (trx) => {
        const isNew = !await wasMigrated(trx);
        const [, names] = await trx.migrate.latest(settings);
        if (isNew) {
            await fill?.(trx);
        }

        return names;
    });
}

/**
 * Takes back the newest migration, and what its tables hold with it. To be called in a transaction (`alone`).
 * @returns its name; undefined if no migration is applied
 */
export async function rollback(db: Knex): Promise<string | undefined> {
    const [, names] = await db.migrate.down(settings);
    return names[0];
}

/** Work in a transaction of its own, during which no other process migrates: one that starts waits. */
export async function alone<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    // A process that waited for the lock has to see what was done before, whatever the database's default isolation is.
    return await db.transaction(async (trx) => {
        await trx.raw('select pg_advisory_xact_lock(?)', [LOCK]);
        return await work(trx);
    }, { isolationLevel: 'read committed' });
}

/** The table stays when all migrations are taken back. */
async function wasMigrated(db: Knex): Promise<boolean> {
    const { rows } = await db.raw<{ rows: { found: boolean }[] }>(`select to_regclass('migrations') is not null as found`);
    return rows[0]?.found === true;
}

/** How many of our migrations the database lacks. */
export async function pendingMigrations(db: Knex): Promise<number> {
    if (!await wasMigrated(db)) {
        return migrations.length;
    }

    const { rows } = await db.raw<{ rows: { name: string }[] }>('select name from migrations');
    const done = new Set(rows.map(({ name }) => name));
    return migrations.filter(({ name }) => !done.has(name)).length;
}
