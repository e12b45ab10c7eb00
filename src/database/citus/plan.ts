import type { Knex } from 'knex';

import { clusterOf, onCluster } from './cluster';

/** The steps that `distribute` would take. */
export interface Plan {
    workers: string[];
    shards: number;
    projects: number;
    /** of the whole database */
    bytes: number;
}

/**
 * Checks that a database can be distributed.
 * @throws Error with a message for an operator if it cannot: Citus is missing, no worker was added, or it is distributed already
 */
export async function planDistribution(db: Knex): Promise<Plan> {
    const { rows: [found] } = await db.raw<{ rows: { cluster: boolean }[] }>(`select ${onCluster}`);
    if (!found?.cluster) {
        throw new Error('The extension citus is not in this database. docs/citus.md says how to set up a cluster.');
    }

    const cluster = await clusterOf(db);
    if (cluster !== undefined) {
        throw new Error(`The database is distributed already: ${cluster.shards} shards on ${cluster.nodes.join(', ')}.`);
    }

    const { rows } = await db.raw<{ rows: Plan[] }>(`
        select array(select nodename || ':' || nodeport from pg_dist_node where groupid <> 0 and isactive and noderole = 'primary' order by 1) as workers,
            current_setting('citus.shard_count')::int as shards, (select count(*)::int from projects) as projects, pg_database_size(current_database())::float8 as bytes`);
    const plan = rows.find(({ workers }) => workers.length > 0);
    if (plan === undefined) {
        throw new Error('The cluster has no worker. Add one first: select citus_add_node(…)');
    }

    // Without them, a transaction that writes on two nodes could be committed on one of them alone.
    const { rows: settings } = await db.raw<{ rows: { node: string; most: number }[] }>(`
        select nodename || ':' || nodeport as node, result::int as most from run_command_on_workers('show max_prepared_transactions')`);
    const unprepared = settings.filter(({ most }) => most === 0).map(({ node }) => node);
    if (unprepared.length > 0) {
        throw new Error(`max_prepared_transactions is 0 on ${unprepared.join(', ')}. Set it to max_connections at least, on all nodes.`);
    }

    return plan;
}
