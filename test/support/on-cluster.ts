/** Whether the tests run on a cluster of Citus. */
export const isCluster = Boolean(process.env.CITUS_DATABASE_URL);

/** SQL for the id of a new project, given that of another one. On a cluster it is in the same shard, as remixes are. */
export const idBeside = (project: string): string => (isCluster ? `project_ids_beside(${project})` : `nextval('projects_id_seq')`);

/** Options of a test of what a cluster cannot do, or does in another way (docs/citus.md). It is skipped there, and the test runner says why. */
export const notOnCluster = (reason: string): { skip: boolean; reason: string } => ({ skip: isCluster, reason });
