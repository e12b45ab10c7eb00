import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { accountFor } from './account';
import { findPrograms } from './binaries';
import { ensureCluster, restoreCluster } from './cluster';
import { openFolder, readUrl, saveUrl } from './folder';
import { keepRunning } from './keep-running';
import { claim } from './owner';
import { findServer, freePort, type ServerOptions, spawnServer, stopOrphan, stopServer, untilReady } from './server';
import type { PostgresProgram } from './spawn';

export { EmbeddedInUse } from './owner';

/*
 * A PostgreSQL server from node_modules, with all of its files in one data folder:
 *   owner.<n>      which process has the folder open (owner.ts)
 *   url            how to connect, the password included; `psql "$(cat .data/url)"` works
 *   cluster/       PostgreSQL's own files
 *   postgres.log   its log
 */

export interface EmbeddedOptions {
    /** The data folder. It is created if it does not exist. */
    dir: string;
    /** Called with messages for the operator. */
    log?: (message: string) => void;
    /** Called, perhaps more than once, while a program of PostgreSQL works: what keeps this thread busy costs no time then. */
    meanwhile?: (() => unknown) | undefined;
    /** More settings for the server, such as fsync=off for temporary clusters. */
    settings?: Record<string, string>;
}

export interface Embedded {
    /** URL of the database `pagewright`, which accepts connections. */
    url: string;
    /** Whether this start created the cluster. */
    fresh: boolean;
    /** Shuts the server down, waits for its end, and releases the folder. Further calls wait for the same. */
    stop(): Promise<void>;
    /** Asks the server to shut down without waiting, for `exit` handlers. */
    stopNow(): void;
}

/**
 * Starts the server in the data folder. The first start creates the cluster. If the last owner was killed, the server recovers,
 * or is stopped first if it still runs. If the server ends by itself, it is started again.
 * @throws EmbeddedInUse if another live process has the folder open
 * @throws Error with the cause (the end of PostgreSQL's log, or the folder) and what to do if it cannot be started
 */
export const startEmbedded = async ({ dir, log = () => undefined, meanwhile = () => undefined, settings = {} }: EmbeddedOptions): Promise<Embedded> => {
    const folder = openFolder(dir);
    const release = claim(folder);
    try {
        const cluster = join(folder, 'cluster');
        const url = connection(folder, cluster);
        const account = accountFor(cluster);
        const bin = await findPrograms(account);
        await stopOrphan(cluster);
        const creating = ensureCluster({ folder, bin, password: url.password, account });
        if (!existsSync(cluster)) {
            meanwhile();
        }

        const fresh = await creating;
        const options = { folder, bin, settings, account };
        const program = await startOnFreePort(url, options, meanwhile);
        await ensureDatabase(url, program);

        const kept = keepRunning(program, { ...options, port: Number(url.port) }, log);
        let stopping: Promise<void> | undefined;
        return {
            url: url.href,
            fresh,
            stop: () => {
                stopping ??= kept.stop().then(release);
                return stopping;
            },
            stopNow: kept.stopNow
        };
    }
    catch (error) {
        release();
        throw error;
    }
};

/** The URL of the server that another process runs in the folder and that accepts connections, or null. */
export const attachEmbedded = async (dir: string): Promise<string | null> => {
    if (!existsSync(dir)) {
        return null;
    }

    const folder = openFolder(dir);
    const url = readUrl(folder);
    if (!url || !findServer(join(folder, 'cluster'))?.ready) {
        return null;
    }

    // Refused while the server starts or stops, or before the first start has created the database.
    return await withClient(url, () => url.href).catch(() => null);
};

/**
 * Creates the cluster of the data folder from a base backup in an open file. It never replaces anything.
 * @param first done when it is known that there is no cluster yet
 * @throws EmbeddedInUse if another live process has the folder open
 * @throws Error if there is a cluster already, or the backup is not of this version of PostgreSQL
 */
export const restoreEmbedded = async (dir: string, backup: number, first: () => Promise<void>): Promise<void> => {
    const folder = openFolder(dir);
    const release = claim(folder);
    try {
        const cluster = join(folder, 'cluster');
        if (existsSync(cluster)) {
            throw new Error(`${cluster} is there already, and is not replaced: move it away first (mv ${cluster} ${cluster}.before), or choose another DATA_DIR.`);
        }

        await first();
        const { password } = connection(folder, cluster);
        const account = accountFor(cluster);
        await restoreCluster({ folder, bin: await findPrograms(account), password, account }, backup);
    }
    finally {
        release();
    }
};

/**
 * The URL that the folder holds, or a new one with a new password and without a port. It has to be stored before a cluster with
 * that password is created.
 */
const connection = (folder: string, cluster: string): URL => {
    const kept = readUrl(folder);
    if (kept) {
        return kept;
    }

    if (existsSync(cluster)) {
        throw new Error(`${join(folder, 'url')} with the password of ${cluster} is missing: put it back, or start over with an empty folder.`);
    }

    const url = new URL(`postgres://pagewright:${randomBytes(24).toString('base64url')}@127.0.0.1/pagewright`);
    saveUrl(folder, url);
    return url;
};

/** Starts the server on the port in the URL. If that is in use, it takes another one and stores the new URL. */
const startOnFreePort = async (url: URL, options: Omit<ServerOptions, 'port'>, meanwhile: () => unknown): Promise<PostgresProgram> => {
    for (let i = 1; ; ++i) {
        const port = await freePort(Number(url.port));
        url.port = String(port);
        saveUrl(options.folder, url);
        try {
            const program = spawnServer({ ...options, port });
            meanwhile();
            await untilReady(program, options.folder);
            return program;
        }
        catch (error) {
            if (i >= tries(error)) {
                throw error;
            }

            await sleep(500);
        }
    }
};

/** How often a failed start is tried again: some causes pass, such as a busy port or processes left by a killed server. */
const tries = (error: unknown): number => (/already in use|still in use/.test(String(error)) ? 10 : 1);

/** Creates the database on the first start, or on the next one if that was interrupted. */
const ensureDatabase = async (url: URL, program: PostgresProgram): Promise<void> => {
    const maintenance = new URL('/postgres', url);
    try {
        await withClient(maintenance, async (client) => {
            const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', ['pagewright']);
            if (!rowCount) {
                await client.query('CREATE DATABASE pagewright');
            }
        });
    }
    catch (error) {
        await stopServer(program);
        throw error;
    }
};

const withClient = async <T>(url: URL, work: (client: Client) => T | Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 10_000 });
    // A broken connection emits a second error, which would end the process if nobody listened.
    client.on('error', Boolean);
    try {
        await client.connect();
        return await work(client);
    }
    finally {
        await client.end();
    }
};
