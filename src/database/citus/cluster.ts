import type { Knex } from 'knex';

/** SQL for whether a database is one of the nodes of a cluster of Citus (`cluster`), and whether it was distributed there (`distributed`). */
export const onCluster = `to_regclass('pg_dist_local_group') is not null as cluster, to_regclass('public.at_project') is not null as distributed`;

/** Where a distributed database is. */
export interface Cluster {
    /** names and ports of the workers, and of the coordinator if it has shards too */
    nodes: string[];
    shards: number;
    /** shards that the service reaches: fewer if one was split */
    reached: number;
}

/** The cluster of a database that is distributed; undefined for any other. */
export async function clusterOf(db: Knex): Promise<Cluster | undefined> {
    const { rows: [found] } = await db.raw<{ rows: { distributed: boolean }[] }>(`select ${onCluster}`);
    if (!found?.distributed) {
        return undefined;
    }

    const { rows: [cluster] } = await db.raw<{ rows: Cluster[] }>(`
        select array(select nodename || ':' || nodeport from pg_dist_node
            where shouldhaveshards and noderole = 'primary' order by 1) as nodes,
            (select count(*)::int from pg_dist_shard where logicalrelid = 'at_project'::regclass) as shards,
            (select count(distinct get_shard_id_for_distribution_column('at_project', id))::int
                from unnest(array(select project_id from shards)) as id) as reached`);
    return cluster;
}

/** Thrown for what is not possible on a cluster: docs/citus.md lists it. */
export class NotOnCluster extends Error {
    constructor(message = 'This is not possible on a cluster (docs/citus.md says what is not).') {
        super(message);
        this.name = 'NotOnCluster';
    }
}
