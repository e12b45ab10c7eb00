/** Whether the tests run on a cluster of Citus. */
export const isCluster = Boolean(process.env.CITUS_DATABASE_URL);

/** Whether the tests run on a cluster, or on what stands in for one. */
export const hasShards = isCluster || Boolean(process.env.SHARDS);

/** SQL for the id of a new project, given that of another one. On a cluster it is in the same shard, as remixes are. */
export const idBeside = (project: string): string => (isCluster ? `project_ids_beside(${project})` : `nextval('projects_id_seq')`);

/** Options of a test of what a cluster cannot do, or does in another way (docs/citus.md). It is skipped there, and the test runner says why. */
export const notOnCluster = (reason: string): { skip: boolean; reason: string } => ({ skip: isCluster, reason });

/** The same, also for what stands in for a cluster. */
export const notInShards = (reason: string): { skip: boolean; reason: string } => ({ skip: hasShards, reason });
