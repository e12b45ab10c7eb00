import { randomInt } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Account } from './account';
import { inspect } from './processes';
import { type PostgresProgram, spawnProgram } from './spawn';

/** Milliseconds that a fast shutdown may take. After that the server is told to stop at once, and recovers at its next start. */
const PATIENCE = 30_000;

/** A server that runs on a cluster, whoever started it. */
export interface Running {
    pid: number;
    port: number;
    ready: boolean;
}

export interface ServerOptions {
    folder: string;
    bin: string;
    port: number;
    settings: Record<string, string>;
    account?: Account;
}

const pidPath = (cluster: string): string => join(cluster, 'postmaster.pid');

/** The lines of the cluster's postmaster.pid, as PostgreSQL's pidfile.h defines them; none if there is no such file. */
const pidFile = (cluster: string): string[] => {
    try {
        return readFileSync(pidPath(cluster), 'utf8').split('\n');
    }
    catch {
        return [];
    }
};

const isUnwritten = (cluster: string): boolean => pidFile(cluster)[0] === '';

/** A setting that names the cluster in the server's command line, whatever path it was started with. */
const nameOf = (cluster: string): string => {
    return `cluster_name=pagewright-${statSync(cluster).ino}`;
};

/** The live server of the cluster, or null. A pid file of a dead server may contain the pid of another process. */
export const findServer = (cluster: string): Running | null => {
    const lines = pidFile(cluster);
    const pid = Number(lines[0]);
    const command = inspect(pid)?.command;
    return command !== undefined && `${command} `.includes(`${nameOf(cluster)} `)
        ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
        : null;
};

/** Maximum of `shared_buffers` in MiB. */
const MAX_BUFFERS = 4096;

/**
 * `shared_buffers` in MiB: a quarter of the memory (of the container's limit, if there is one), as PostgreSQL's manual suggests,
 * and at most 4 GiB. With PostgreSQL's default of 128 MiB, reads of a large community take twice as long.
 */
const sharedBuffers = (): string => {
    // 0 if there is no limit.
    const bytes = Math.min(...[totalmem(), process.constrainedMemory()].filter((known) => known > 0));
    return `${Math.max(16, Math.min(MAX_BUFFERS, Math.floor(bytes / 4 / 2 ** 20)))}MB`;
};

/** Starts the server on a cluster. It does not accept connections yet. */
export const spawnServer = ({ folder, bin, port, settings, account }: ServerOptions): PostgresProgram => {
    const cluster = join(folder, 'cluster');
    const all = { shared_buffers: sharedBuffers(), ...settings, listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
    const [stale] = pidFile(cluster);
    return spawnProgram({
        file: join(bin, 'postgres'),
        folder,
        workplace: cluster,
        account,
        args: (path) => ['-D', path, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]), '-c', nameOf(cluster)],
        // PostgreSQL refuses to start if the pid in its file exists. We know that it is not a server of this cluster, but a zombie or
        // another program. PostgreSQL still looks for processes that use the shared memory.
        env: stale === undefined ? {} : { PG_GRANDPARENT_PID: stale }
    });
};

/**
 * Waits until a started server accepts connections, however long its recovery takes.
 * @throws Error with the end of the server's log if it ends before that
 */
export const untilReady = async (program: PostgresProgram, folder: string): Promise<void> => {
    while (!findServer(join(folder, 'cluster'))?.ready) {
        const ending = await Promise.race([program.ended, sleep(20)]);
        if (ending !== undefined) {
            throw new Error(`The embedded PostgreSQL did not start (${ending}):\n${program.output()}`);
        }
    }
};

/** Shuts down a server that we started. Acknowledged writes are safe also if it has to be stopped at once. */
export const stopServer = async ({ child, ended }: PostgresProgram): Promise<void> => {
    child.kill('SIGINT');
    const impatience = setTimeout(child.kill.bind(child), PATIENCE, 'SIGQUIT');
    await ended;
    clearTimeout(impatience);
};

/** Milliseconds in which a server surely writes the pid file that it has made: it does both at once. */
const WRITING = 500;

/**
 * Stops the server that a killed owner left running. The caller must be the folder's owner now.
 * A server that was killed before it wrote its pid file left an empty one, with which PostgreSQL would never start again: it is removed.
 */
export const stopOrphan = async (cluster: string, patience = PATIENCE): Promise<void> => {
    if (isUnwritten(cluster)) {
        await sleep(WRITING);
        if (isUnwritten(cluster)) {
            rmSync(pidPath(cluster));
        }
    }

    const deadline = Date.now() + patience;
    let server = findServer(cluster);
    while (server) {
        process.kill(server.pid, Date.now() < deadline ? 'SIGINT' : 'SIGQUIT');
        await sleep(100);
        server = findServer(cluster);
    }
};

/** The wanted port if it is free on the loopback, else a random one below the range that systems use for outgoing connections. */
export const freePort = async (wanted: number): Promise<number> => {
    let port = wanted;
    while (!port || !await isFree(port)) {
        port = randomInt(20_000, 32_768);
    }

    return port;
};

const isFree = (port: number): Promise<boolean> => {
    return new Promise((resolve) => {
        const probe = createServer();
        probe.once('error', () => resolve(false));
        probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
};
