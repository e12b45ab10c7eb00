import { distribute } from '../../src/database/citus/distribution';
import { openDatabase } from '../../src/database/statements/connection';
import { migrate } from '../../src/database/statements/migrate';
import { emptyDatabase } from './database';
import type { TestDatabase } from './database';
import { standInForCitus } from './shards';

/** Does something with a database by connections of its own, because a connection finds out when it is made whether a database is distributed. */
export async function apart(database: TestDatabase, work: (db: TestDatabase['db']) => Promise<unknown>): Promise<void> {
    const db = openDatabase({ url: database.url, pool: 1, name: 'pagewright-test' });
    try {
        await work(db);
    }
    finally {
        await db.destroy();
    }
}

/** A database like the coordinator of a cluster, which is not distributed yet. */
export async function clusterDatabase(shards = 4): Promise<TestDatabase> {
    const database = await emptyDatabase();
    await apart(database, async (db) => {
        await migrate(db);
        await standInForCitus(db, shards);
    });
    return database;
}

/** One that is distributed. */
export async function distributedDatabase(shards = 4): Promise<TestDatabase> {
    const database = await clusterDatabase(shards);
    await apart(database, distribute);
    return database;
}
