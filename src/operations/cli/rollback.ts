import type { Knex } from 'knex';

import { asOne, runAll } from '../../database/citus/steps';
import { alone, rollback } from '../../database/statements/migrate';
import { refuseWhileInUse } from './in-use';

/** A table, or a column of a table that stays. */
interface MigrationPlace {
    table: string;
    column: string | null;
}

/** The data that is lost with a migration that is rolled back. */
export interface Rollback {
    /** of the migration */
    name: string;
    /** `count` is of the table's rows, or of the column's values that are not null */
    lost: (MigrationPlace & { count: number })[];
}

/**
 * Rolls back the newest migration, or only finds out what would be lost.
 * @returns undefined if none can be taken back
 * @throws Error if an instance is connected to the database; NotOnCluster if the migration cannot be taken back on a cluster
 */
export async function rollBackOne(db: Knex, { keep }: { keep: boolean }): Promise<Rollback | undefined> {
    return await alone(db, async (trx) => {
        await refuseWhileInUse(trx);
        // On a cluster, nothing can be changed after something was counted in parallel.
        await runAll(trx, asOne);
        const before = await columnsOf(trx);
        // The migration runs and is rolled back, because only the migration itself knows what it drops.
        const trial = await trx.transaction();
        const name = await rollback(trial);
        const after = await columnsOf(trial);
        await trial.rollback();
        if (name === undefined) {
            return undefined;
        }

        const lost = await Promise.all(missing(before, after).map(async (place) => ({ ...place, count: await countOf(trx, place) })));
        if (keep) {
            await rollback(trx);
        }

        return { name, lost };
    });
}

type Columns = Map<string, string[]>;

async function columnsOf(db: Knex): Promise<Columns> {
    const { rows } = await db.raw<{ rows: { table: string; columns: string[] }[] }>(`
        select table_name as "table", array_agg(column_name::text order by ordinal_position) as columns
        from information_schema.columns where table_schema = current_schema() group by 1 order by 1`);
    return new Map(rows.map(({ table, columns }) => [table, columns]));
}

function missing(before: Columns, after: Columns): MigrationPlace[] {
    return [...before].flatMap(([table, columns]): MigrationPlace[] => {
        const left = after.get(table);
        return left === undefined ? [{ table, column: null }] : columns.filter((column) => !left.includes(column)).map((column) => ({ table, column }));
    });
}

async function countOf(db: Knex, { table, column }: MigrationPlace): Promise<number> {
    const counted = column === null ? db.raw('select count(*)::int as count from ??', [table]) : db.raw('select count(??)::int as count from ??', [column, table]);
    const { rows } = await counted;
    return rows[0].count;
}
