import cluster from 'node:cluster';
import type { EventEmitter } from 'node:events';

import { config as readEnvFile } from 'dotenv';

import { filePool } from '../../files/thumbnails/file-pool';

/** Where text is written: a stream of the process, or a fake one in tests. */
export interface Output {
    write(text: string): unknown;
    readonly isTTY?: boolean;
}

/** The process as its code sees it. Only the programs `main` and `admin` use the real one; tests pass a fake. */
export interface Host {
    readonly env: Readonly<Record<string, string | undefined>>;
    /** only read by code that needs it */
    readonly stdin: AsyncIterable<Buffer | string>;
    readonly stdout: Output;
    readonly stderr: Output;
    /** signals and uncaught errors */
    readonly events: EventEmitter;
    exit(code: number): void;
    /** whether it is a worker, which another process has started */
    readonly isWorker: boolean;
    /** a pool of processes that read files and draw pages */
    filePool(): ReturnType<typeof filePool>;
}

/** The real process. */
export const realHost: Host = {
    env: process.env,
    // Only opened when it is read, because a terminal suspends a background program that uses its input.
    get stdin() {
        return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    events: process,
    exit: process.exit,
    isWorker: cluster.isWorker,
    filePool
};

/**
 * The environment, completed by `.env` in the working folder. Variables of the environment have precedence.
 * @throws Error if there is a `.env` that cannot be read
 */
export function environmentOf(host: Host, path = '.env'): Record<string, string | undefined> {
    const { parsed, error } = readEnvFile({ path, quiet: true, processEnv: {} });
    if (error && error.code !== 'ENOENT') {
        throw new Error(`${path} cannot be read: ${error.message}`);
    }

    return { ...parsed, ...host.env };
}
