import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import knex from 'knex';
import type { Knex } from 'knex';

import { signingKeys } from '../../src/accounts/authorization/keys';
import { distribute } from '../../src/database/citus/distribution';
import { checkRows } from '../../src/database/declaration';
import { openDatabase } from '../../src/database/statements/connection';
import { startEmbedded } from '../../src/database/embedded';
import { migrate } from '../../src/database/statements/migrate';
import { isCluster } from './on-cluster';
import { compareRows } from './rows';
import { runInAllShards } from './own-sql';
import { standInForCitus } from './shards';
import { Shelf, look, makeUnused } from './recycled';
import type { Kept, Unused } from './recycled';
import { fromRunner } from './runner';
import type { Shared } from './runner';

checkRows(compareRows);

/** A database of a test file's own. */
export interface TestDatabase {
    db: Knex;
    url: string;
    drop(): Promise<void>;
}

let prepared: Promise<Engine> | undefined;

type Engine = Shared['engine'];

/** Databases that test files of this process no longer need, by the size of their pools. */
const shelf = new Shelf<TestDatabase>(4);

/** Whether what a test has used can be made as it was, which is not so on a cluster; and on a server that stays, only the test runner drops what is left in the end. */
export const canRecycle = !isCluster && !process.env.SHARDS && (process.env.TEST_DATABASE_URL === undefined || process.env.PAGEWRIGHT_TEST_RUNNER !== undefined);

/** What a clone of the template is like. */
let unused: Promise<Unused> | undefined;

/**
 * A database as the migrations make it, of no other test at the same time. The first call starts the engine.
 * It may be one that another file has used and that was made as it was, which takes a tenth of the time of a new one with new connections: its ids go on. With `fresh` it is a new one.
 */
export async function cloneDatabase({ pool = 10, fresh = false } = {}): Promise<TestDatabase> {
    const kept = fresh ? undefined : shelf.take(String(pool));
    if (kept !== undefined) {
        return lend(kept, pool);
    }

    const database = await newClone(pool);
    if (fresh || !canRecycle) {
        return database;
    }

    unused ??= look(database.db);
    await unused;
    return lend({ thing: database, end: database.drop }, pool);
}

/** Makes a database as it was, for who goes on with it. @returns false if that cannot be */
export const empty = async ({ db }: TestDatabase): Promise<boolean> => unused !== undefined && await makeUnused(db, await unused);

/** Gives a database to a test, which drops it once. */
function lend(kept: Kept<TestDatabase>, pool: number): TestDatabase {
    let dropped: Promise<void> | undefined;
    const drop = async (): Promise<void> => {
        await (await empty(kept.thing) ? shelf.put(String(pool), kept) : kept.end());
    };

    return { ...kept.thing, drop: () => (dropped ??= drop()) };
}

async function newClone(pool: number): Promise<TestDatabase> {
    const { template } = await engine();
    // To copy the files takes half as long as to log each page of them, but only if nothing has to be written to a disk before. PostgreSQL 14 has no choice.
    return createDatabase(`template ${template}${process.env.TEST_DATABASE_URL || isCluster ? '' : ' strategy file_copy'}`, pool);
}

/** An empty database. @param more of the SQL that creates it */
export const emptyDatabase = (more = ''): Promise<TestDatabase> => createDatabase(more, 4);

async function createDatabase(from: string, pool: number): Promise<TestDatabase> {
    const { url: base, template } = await engine();
    const name = `${template}_${randomBytes(4).toString('hex')}`;
    await everywhere(base, `create database ${name} ${from}`);
    const url = withDatabase(base, name);
    const db = openDatabase({ url, pool, name: 'pagewright-test' });
    if (isCluster) {
        runInAllShards(db);
    }

    return {
        db,
        url,
        drop: async () => {
            await db.destroy();
            await dropEverywhere(base, name);
        }
    };
}

/** The server at TEST_DATABASE_URL, or an embedded one in a temporary folder, which ends with this process; the test runner has one for all files. */
export function engine(): Promise<Engine> {
    prepared ??= fromRunner('engine') ?? prepare();
    return prepared;
}

/** Removes the template and all its clones that are left, if the server stays. */
export async function dropTemplate(): Promise<void> {
    if (prepared !== undefined && (process.env.TEST_DATABASE_URL || isCluster)) {
        const { url, template } = await prepared;
        const { rows } = await administratorOf(url).raw<{ rows: { name: string }[] }>('select datname as name from pg_database where starts_with(datname, ?)', [template]);
        for (const { name } of rows) {
            await dropEverywhere(url, name);
        }
    }
}

/** Every server: one, or the nodes of a cluster. */
async function nodesOf(base: string): Promise<string[]> {
    if (!isCluster) {
        return [base];
    }

    const { rows } = await administratorOf(base).raw<{ rows: { host: string; port: number }[] }>('select nodename as host, nodeport as port from pg_dist_node order by groupid');
    return rows.map(({ host, port }) => {
        const url = new URL(base);
        Object.assign(url, { hostname: host, port: String(port) });
        return url.href;
    });
}

async function everywhere(base: string, sql: string): Promise<void> {
    for (const url of await nodesOf(base)) {
        await administer(url, sql);
    }
}

/** Citus connects to a database by itself, also while it is being dropped. */
const DROP_TRIES = isCluster ? 5 : 1;

async function dropEverywhere(base: string, name: string): Promise<void> {
    for (let left = DROP_TRIES; ; left--) {
        try {
            return await everywhere(base, `drop database if exists ${name} with (force)`);
        }
        catch (error) {
            if (left === 1) {
                throw error;
            }
        }
    }
}

async function distributed(base: string, template: string): Promise<void> {
    const nodes = await nodesOf(base);
    const ports = nodes.map((url) => new URL(url));
    for (const url of nodes) {
        await administer(withDatabase(url, template), 'create extension citus');
    }

    const coordinator = withDatabase(base, template);
    await administer(coordinator, `select citus_set_coordinator_host('${ports[0]?.hostname}', ${ports[0]?.port})`);
    for (const { hostname, port } of ports.slice(1)) {
        await administer(coordinator, `select citus_add_node('${hostname}', ${port})`);
    }

    await administrators.get(coordinator)?.destroy();
    const db = openDatabase({ url: coordinator, pool: 1 });
    await migrate(db);
    await distribute(db);
    await db.destroy();
    for (const url of nodes) {
        await administrators.get(withDatabase(url, template))?.destroy();
        await administer(url, `alter database ${template} allow_connections false`);
        await administer(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`);
    }

    await new Promise((resolve) => setTimeout(resolve, 1000));
}

async function prepare(): Promise<Engine> {
    const base = process.env.CITUS_DATABASE_URL || process.env.TEST_DATABASE_URL || await throwAway();
    const template = `pagewright_test_${process.pid}`;
    await everywhere(base, `drop database if exists ${template}`);
    await everywhere(base, `create database ${template}`);
    if (isCluster) {
        await distributed(base, template);
        return { url: base, template };
    }

    const db = openDatabase({ url: withDatabase(base, template), pool: 1 });
    await migrate(db);
    // One key to sign with for all clones: to make one takes half a second of a processor.
    await signingKeys(db);
    if (process.env.SHARDS) {
        await standInForCitus(db, Number(process.env.SHARDS));
        await distribute(db);
    }

    await db.destroy();
    return { url: base, template };
}

async function throwAway(): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'pagewright-test-'));
    const embedded = await startEmbedded({
        dir,
        settings: {
            fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200', shared_buffers: '128MB',
            // It would collect statistics of some databases and not of others, whenever it gets to them, and so change the plans of statements.
            autovacuum: 'off',
            // A transaction that a failed test has left open would stop all tests after it.
            idle_in_transaction_session_timeout: '300s'
        }
    });
    process.on('exit', () => {
        embedded.stopNow();
        rmSync(dir, { recursive: true, force: true });
    });
    return embedded.url;
}

/** Connections to create and drop databases with, by the server's URL. They stay open, because connecting takes longer than most of that. */
const administrators = new Map<string, Knex>();

/** Not as the service does, which does not connect to the workers of a cluster. */
const connectTo = (url: string): Knex => knex({ client: 'pg', connection: { connectionString: url, application_name: 'pagewright-test-administrator' }, pool: { min: 0, max: 1 } });

function administratorOf(url: string): Knex {
    const db = administrators.get(url) ?? connectTo(url);
    administrators.set(url, db);
    return db;
}

/** Asks the server about a database, not on a connection of its pool: a lookup gives its own back before it is answered, so what comes after it may wait behind it. */
export async function askServer<Row>({ url }: Pick<TestDatabase, 'url'>, sql: string): Promise<Row[]> {
    const { rows } = await administratorOf(withDatabase(url, 'postgres')).raw<{ rows: Row[] }>(sql, [new URL(url).pathname.slice(1)]);
    return rows;
}

async function administer(url: string, sql: string): Promise<void> {
    await administratorOf(url).raw(sql);
}

function withDatabase(url: string, name: string): string {
    const changed = new URL(url);
    changed.pathname = `/${name}`;
    return changed.href;
}
