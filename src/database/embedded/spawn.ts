import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Account } from './account';
import { spawnOptions } from './binaries';

const LOG_LIMIT = 5 * 1024 * 1024;

/** A PostgreSQL program started by us. */
export interface PostgresProgram {
    child: ChildProcess;
    /** Resolves to how it ended or why it could not be started; it never rejects. */
    ended: Promise<string>;
    /** The end of its output since it was started. */
    output(): string;
}

export interface Spawning {
    /** The program's path. */
    file: string;
    /** The data folder, where the log `postgres.log` is. */
    folder: string;
    /** The folder the program works on; belongs to the account. */
    workplace: string;
    /** The program's arguments, given the path by which it reaches its folder. */
    args(path: string): string[];
    account?: Account;
    env?: Record<string, string>;
    /** An open file as its standard input; none if left out. */
    input?: number;
}

/**
 * Starts a program whose output goes to the log.
 *
 * Under another account it gets its folder as an open handle, at /proc/self/fd/3. So it can work in a folder whose parents it may
 * not enter, such as root's home, and the data folder stays closed to everybody else.
 * It has a process group of its own, because a Ctrl-C in the terminal would otherwise reach it too.
 */
export const spawnProgram = ({ file, folder, workplace, args, account, env, input }: Spawning): PostgresProgram => {
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

/** Limits the size of the log: a large log replaces the previous large one. */
const setLargeLogAside = (log: string): void => {
    if (existsSync(log) && statSync(log).size > LOG_LIMIT) {
        renameSync(log, `${log}.old`);
    }
};
