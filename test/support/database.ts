import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/db/connection';
import { startEmbedded } from '../../src/embedded-postgres';
import { migrate } from '../../src/db/migrate';

/** A database of a test file's own. */
export interface TestDatabase {
    db: Knex;
    url: string;
    drop(): Promise<void>;
}

const template = `pagewright_template_${process.pid}`;
let prepared: Promise<string> | undefined;

/** Clones the migrated template, so that files do not see each other. The engine is started by the first to ask. */
export const cloneDatabase = ({ pool = 10 } = {}): Promise<TestDatabase> => createDatabase(`template ${template}`, pool);

/** A database with nothing in it, for what starts from there. */
export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('', 4);

async function createDatabase(from: string, pool: number): Promise<TestDatabase> {
    const base = await engine();
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

/** TEST_DATABASE_URL's server, or an embedded one in a temporary folder that goes with this process. */
export function engine(): Promise<string> {
    prepared ??= prepare();
    return prepared;
}

async function prepare(): Promise<string> {
    const base = process.env.TEST_DATABASE_URL || await throwAway();
    await administer(base, `drop database if exists ${template}`);
    await administer(base, `create database ${template}`);
    const db = openDatabase({ url: withDatabase(base, template), pool: 1 });
    await migrate(db);
    await db.destroy();
    return base;
}

async function throwAway(): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'pagewright-test-'));
    const embedded = await startEmbedded({ dir, settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200', shared_buffers: '128MB' } });
    process.on('exit', () => {
        embedded.stopNow();
        rmSync(dir, { recursive: true, force: true });
    });
    return embedded.url;
}

async function administer(url: string, sql: string): Promise<void> {
    const db = openDatabase({ url, pool: 1 });
    try {
        await db.raw(sql);
    }
    finally {
        await db.destroy();
    }
}

function withDatabase(url: string, name: string): string {
    const changed = new URL(url);
    changed.pathname = `/${name}`;
    return changed.href;
}
