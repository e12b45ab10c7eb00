import cluster from 'node:cluster';
import type { EventEmitter } from 'node:events';

import { config as readEnvFile } from 'dotenv';

/** Where text goes: a stream of the process, or what a test listens with. */
export interface Output {
    write(text: string): unknown;
    readonly isTTY?: boolean;
}

/** What a process gives to what runs in it. Only `main` and `admin`, when started as programs, touch the real one. */
export interface Host {
    readonly env: Readonly<Record<string, string | undefined>>;
    /** to be read only by what needs it */
    readonly stdin: AsyncIterable<Buffer | string>;
    readonly stdout: Output;
    readonly stderr: Output;
    /** signals, and errors that nobody caught */
    readonly events: EventEmitter;
    exit(code: number): void;
    /** whether it is one of several that serve one port, which another has started */
    readonly isWorker: boolean;
}

/** This process's own. */
export const realHost: Host = {
    env: process.env,
    // Opened by whoever reads it: a terminal suspends a program in the background that touches it.
    get stdin() {
        return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    events: process,
    exit: process.exit,
    isWorker: cluster.isWorker
};

/**
 * The environment, with what `.env` in the working folder says where the environment says nothing.
 * @throws Error where there is a `.env` that cannot be read
 */
export function environmentOf(host: Host, path = '.env'): Record<string, string | undefined> {
    const { parsed, error } = readEnvFile({ path, quiet: true, processEnv: {} });
    if (error && error.code !== 'ENOENT') {
        throw new Error(`${path} cannot be read: ${error.message}`);
    }

    return { ...parsed, ...host.env };
}
