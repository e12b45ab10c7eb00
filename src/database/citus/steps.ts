import type { Knex } from 'knex';

/** Settings of a transaction that changes tables on all nodes: one shard after the other, and with the triggers of the schema, which only touch the shard that they are in. */
export const asOne: readonly string[] = [`set local citus.multi_shard_modify_mode to 'sequential'`, 'set local citus.enable_unsafe_triggers to on'];

/** Runs SQL that has no parameters, one statement after the other: Citus passes on to the nodes what is sent alone. */
export async function runAll(trx: Knex, steps: readonly string[]): Promise<void> {
    for (const step of steps) {
        await trx.raw(step.replaceAll('?', '\\?'));
    }
}
