/** Whether the tests run on a cluster of Citus. */
export const isCluster = Boolean(process.env.CITUS_DATABASE_URL);

/** Options of a test of what a cluster cannot do, or does in another way (docs/citus.md). It is skipped there, and the test runner says why. */
export const notOnCluster = (reason: string): { skip: boolean; reason: string } => ({ skip: isCluster, reason });
