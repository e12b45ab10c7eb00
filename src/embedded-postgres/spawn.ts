import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Account } from './account';
import { spawnOptions } from './binaries';

const LOG_LIMIT = 5 * 1024 * 1024;

/** A PostgreSQL program started by us. */
export interface Program {
    child: ChildProcess;
    /** Resolves, and never rejects, to how it ended or why it could not be started. */
    ended: Promise<string>;
    /** The end of what it has written to the log since it was started. */
    output(): string;
}

export interface Spawning {
    /** The program's path. */
    file: string;
    /** The data folder, which gets the log `postgres.log`. */
    folder: string;
    /** The folder the program works on; belongs to the account. */
    workplace: string;
    /** The program's arguments, given the path under which it finds its workplace. */
    args(path: string): string[];
    account?: Account;
    env?: Record<string, string>;
    /** An open file that it reads; nothing else. */
    input?: number;
}

/**
 * Spawns a program with its output going to the log.
 *
 * Under another account it gets its workplace as an open handle, which it finds at /proc/self/fd/3: so it can work in a
 * folder whose parents it may not enter, and the data folder stays closed to everybody else, in root's home or anywhere.
 * It has a process group of its own, or a Ctrl-C in the terminal would reach it at the same time as us.
 */
export const spawnProgram = ({ file, folder, workplace, args, account, env, input }: Spawning): Program => {
    const log = join(folder, 'postgres.log');
    setLargeLogAside(log);
    const output = openSync(log, 'a', 0o600);
    const from = statSync(log).size;
    const handle = openSync(workplace, 'r');
    const options = spawnOptions(account);
    try {
        const child = spawn(file, args(account ? '/proc/self/fd/3' : workplace), {
            ...options,
            env: { ...options.env, ...env },
            detached: true,
            stdio: [input ?? 'ignore', output, output, handle]
        });
        const ended = new Promise<string>((resolve) => {
            child.once('error', (error) => resolve(error.message));
            child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
        });
        return { child, ended, output: () => readFileSync(log).subarray(from).toString().slice(-4000).trim() };
    }
    finally {
        closeSync(handle);
        closeSync(output);
    }
};

/** Keeps the log bounded: one that grew large replaces the last one that did. */
const setLargeLogAside = (log: string): void => {
    if (existsSync(log) && statSync(log).size > LOG_LIMIT) {
        renameSync(log, `${log}.old`);
    }
};
