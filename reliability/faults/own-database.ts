import { isCluster } from '../../test/support/on-cluster';
import { CitusDatabase } from './citus';
import { Database } from './database';

/** Starts a database of a scenario's own: on the cluster at CITUS_DATABASE_URL if there is one, or else a PostgreSQL of the suite's own. */
export async function ownDatabase(): Promise<Database | CitusDatabase> {
    if (isCluster) {
        return await CitusDatabase.open();
    }

    const database = new Database();
    await database.up();
    return database;
}
