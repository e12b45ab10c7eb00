import type { Knex } from 'knex';

import { migrationSource, migrations } from '../../migrations';

const settings: Knex.MigratorConfig = { migrationSource, tableName: 'migrations' };

/** Any number, as long as nothing else in the database takes the same advisory lock. */
const LOCK = 7_243_392_018;

/**
 * Applies what is not yet applied, in one transaction: a process killed in the middle leaves nothing half done, nor
 * Knex's own lock held for ever. Of several processes that start at once, one applies and the others wait for it.
 */
export async function migrate(db: Knex): Promise<string[]> {
    return await alone(db, async (trx) => {
        const [, names] = await trx.migrate.latest(settings);
        return names;
    });
}

/** Takes the newest batch of migrations back, with all that their tables hold. */
export async function rollback(db: Knex): Promise<string[]> {
    return await alone(db, async (trx) => {
        const [, names] = await trx.migrate.rollback(settings);
        return names;
    });
}

async function alone<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    // Whoever waited for the lock has to see what was done before it was free, whatever the database's own default.
    return await db.transaction(async (trx) => {
        await trx.raw('select pg_advisory_xact_lock(?)', [LOCK]);
        return await work(trx);
    }, { isolationLevel: 'read committed' });
}

/** How many migrations of ours the database lacks. */
export async function pendingMigrations(db: Knex): Promise<number> {
    const { rows: [{ there } = { there: false }] } = await db.raw<{ rows: { there: boolean }[] }>(`select to_regclass('migrations') is not null as there`);
    if (!there) {
        return migrations.length;
    }

    const { rows } = await db.raw<{ rows: { name: string }[] }>('select name from migrations');
    const done = new Set(rows.map(({ name }) => name));
    return migrations.filter(({ name }) => !done.has(name)).length;
}
