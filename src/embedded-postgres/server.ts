import { randomInt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Account } from './account';
import { inspect } from './processes';
import { type Program, spawnProgram } from './spawn';

/** How long a fast shutdown may take, in milliseconds, before the server is told to drop everything and recover later. */
const PATIENCE = 30_000;

/** A server found running on a cluster, whoever started it. */
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

/** The lines of the cluster's postmaster.pid, none when there is no such file. They are laid out in PostgreSQL's pidfile.h. */
const pidFile = (cluster: string): string[] => {
    try {
        return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    }
    catch {
        return [];
    }
};

/** A setting that shows in the server's command line which cluster it serves, whatever path leads there. */
const nameOf = (cluster: string): string => {
    return `cluster_name=pagewright-${statSync(cluster).ino}`;
};

/** The live server of the cluster, or null: a pid file left by a dead one may name a process that has its pid by now. */
export const findServer = (cluster: string): Running | null => {
    const lines = pidFile(cluster);
    const pid = Number(lines[0]);
    const command = inspect(pid)?.command;
    return command !== undefined && `${command} `.includes(`${nameOf(cluster)} `)
        ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
        : null;
};

/** Most MiB that the server keeps of its tables. */
const MOST_BUFFERS = 4096;

/**
 * A quarter of the memory there is, a container's limit considered, as PostgreSQL's manual suggests, and no more than
 * 4 GiB. By its own default of 128 MiB most of a large community is read from outside, at twice the time.
 */
const sharedBuffers = (): string => {
    // 0 where no limit is known.
    const bytes = Math.min(...[totalmem(), process.constrainedMemory()].filter((known) => known > 0));
    return `${Math.max(16, Math.min(MOST_BUFFERS, Math.floor(bytes / 4 / 2 ** 20)))}MB`;
};

/** Starts the server on a cluster; it does not take connections yet. */
export const spawnServer = ({ folder, bin, port, settings, account }: ServerOptions): Program => {
    const cluster = join(folder, 'cluster');
    const all = { shared_buffers: sharedBuffers(), ...settings, listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
    const [stale] = pidFile(cluster);
    return spawnProgram({
        file: join(bin, 'postgres'),
        folder,
        workplace: cluster,
        account,
        args: (path) => ['-D', path, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]), '-c', nameOf(cluster)],
        // We know that the pid in the file is no server of this cluster, where PostgreSQL would only see that there is such
        // a process (a zombie, a stranger); this is its way of being told. It still looks for survivors in shared memory.
        env: stale === undefined ? {} : { PG_GRANDPARENT_PID: stale }
    });
};

/**
 * Waits until a server that was started takes connections, for as long as a recovery lasts.
 * @throws Error with the end of the server's log when it ends before
 */
export const untilReady = async (program: Program, folder: string): Promise<void> => {
    while (!findServer(join(folder, 'cluster'))?.ready) {
        const ending = await Promise.race([program.ended, sleep(20)]);
        if (ending !== undefined) {
            throw new Error(`The embedded PostgreSQL did not start (${ending}):\n${program.output()}`);
        }
    }
};

/** Stops a server that we started, in order; what it has acknowledged is safe even if it has to be cut short. */
export const stopServer = async ({ child, ended }: Program): Promise<void> => {
    child.kill('SIGINT');
    const impatience = setTimeout(child.kill.bind(child), PATIENCE, 'SIGQUIT');
    await ended;
    clearTimeout(impatience);
};

/** Stops the server that an owner left behind when it was killed. The caller is the folder's owner now. */
export const stopOrphan = async (cluster: string, patience = PATIENCE): Promise<void> => {
    const deadline = Date.now() + patience;
    let server = findServer(cluster);
    while (server) {
        process.kill(server.pid, Date.now() < deadline ? 'SIGINT' : 'SIGQUIT');
        await sleep(100);
        server = findServer(cluster);
    }
};

/** The wanted port if it is free on the loopback, else a random one below those that systems give to outgoing connections. */
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
