import { isCluster } from '../../test/support/on-cluster';
import { CitusDatabase } from './citus';
import { Database } from './database';
import type { Context, Outcome } from './scenario';
import { startServices } from './service';
import type { Service } from './service';

/** Starts a database of a scenario's own: on the cluster at CITUS_DATABASE_URL if there is one, or else a PostgreSQL of the suite's own. */
export async function ownDatabase(): Promise<Database | CitusDatabase> {
    if (isCluster) {
        return await CitusDatabase.open();
    }

    const database = new Database();
    await database.up();
    return database;
}

/** A database on the cluster, and services that use it, until the scenario ends; undefined, as the notes then say, if there is no cluster. */
export async function servedCluster({ defer }: Pick<Context, 'defer'>, outcome: Outcome, count = 2): Promise<{ database: CitusDatabase; services: Service[] } | undefined> {
    if (!isCluster) {
        outcome.notes.push('skipped: CITUS_DATABASE_URL is not set');
        return undefined;
    }

    const database = await CitusDatabase.open();
    defer(() => database.end());
    return { database, services: await startServices(count, (name) => database.url(name), defer) };
}
