import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/db/connection';
import { startEmbedded } from '../../src/embedded-postgres';
import { migrate } from '../../src/db/migrate';
import { fromRunner } from './runner';
import type { Shared } from './runner';

/** A database of a test file's own. */
export interface TestDatabase {
    db: Knex;
    url: string;
    drop(): Promise<void>;
}

let prepared: Promise<Engine> | undefined;

type Engine = Shared['engine'];

/** Clones the migrated template, so that test files are independent. The first call starts the engine. */
export const cloneDatabase = async ({ pool = 10 } = {}): Promise<TestDatabase> => createDatabase(`template ${(await engine()).template}`, pool);

/** An empty database. */
export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('', 4);

async function createDatabase(from: string, pool: number): Promise<TestDatabase> {
    const { url: base } = await engine();
    const name = `pagewright_test_${process.pid}_${randomBytes(4).toString('hex')}`;
    await administer(base, `create database ${name} ${from}`);
    const url = withDatabase(base, name);
    const db = openDatabase({ url, pool, name: 'pagewright-test' });
    return {
        db,
        url,
        drop: async () => {
            await db.destroy();
            await administer(base, `drop database ${name} with (force)`);
        }
    };
}

/** The server at TEST_DATABASE_URL, or an embedded one in a temporary folder, which ends with this process; the test runner has one for all files. */
export function engine(): Promise<Engine> {
    prepared ??= fromRunner('engine') ?? prepare();
    return prepared;
}

/** Removes the template, if the server stays. */
export async function dropTemplate(): Promise<void> {
    if (prepared !== undefined && process.env.TEST_DATABASE_URL) {
        const { url, template } = await prepared;
        await administer(url, `drop database if exists ${template} with (force)`);
    }
}

async function prepare(): Promise<Engine> {
    const base = process.env.TEST_DATABASE_URL || await throwAway();
    const template = `pagewright_template_${process.pid}`;
    await administer(base, `drop database if exists ${template}`);
    await administer(base, `create database ${template}`);
    const db = openDatabase({ url: withDatabase(base, template), pool: 1 });
    await migrate(db);
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
            autovacuum: 'off'
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

async function administer(url: string, sql: string): Promise<void> {
    const db = administrators.get(url) ?? openDatabase({ url, pool: 1, name: 'pagewright-test-administrator' });
    administrators.set(url, db);
    await db.raw(sql);
}

function withDatabase(url: string, name: string): string {
    const changed = new URL(url);
    changed.pathname = `/${name}`;
    return changed.href;
}
