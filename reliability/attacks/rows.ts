import type { Knex } from 'knex';

/** Columns of a table: its identity, or all others that can be set. */
async function columnsOf(trx: Knex.Transaction, table: string, isIdentity: boolean): Promise<string[]> {
    const { rows } = await trx.raw<{ rows: { name: string }[] }>(
        `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = ? and is_generated = 'NEVER' and is_identity = ? order by ordinal_position`, [table, isIdentity ? 'YES' : 'NO']);
    return rows.map(({ name }) => name);
}

export interface Copying {
    /** SQL for the rows `r` to copy */
    where: string;
    /** SQL for more tables, whose rows multiply the copies, such as `generate_series(1, 1000) as n`; one copy of each if left out */
    times?: string;
    /** SQL for columns that differ from the row that is copied; `id` is a new one if left out */
    set?: Readonly<Record<string, string>>;
}

/** Copies rows of a table, whatever columns it has. */
export async function copyRows(trx: Knex.Transaction, table: string, { where, times = '(values (1)) as one', set = {} }: Copying): Promise<void> {
    const identity = (await columnsOf(trx, table, true)).filter((column) => set[column] !== undefined);
    const columns = [...identity, ...await columnsOf(trx, table, false)];
    await trx.raw(`insert into ${table} (${columns.join(', ')}) select ${columns.map((column) => set[column] ?? `r.${column}`).join(', ')} from ${table} r, ${times} where ${where}`);
}

/** Works without triggers and foreign keys: a million rows in seconds. Sums and counts are for the caller to set. */
export const withoutTriggers = (db: Knex, work: (trx: Knex.Transaction) => Promise<void>): Promise<void> => db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await work(trx);
});
