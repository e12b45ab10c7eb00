import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Account } from './account';
import { sync } from './folder';
import { spawnProgram } from './spawn';
import type { Spawning } from './spawn';

const UNFINISHED = 'cluster.new.';

export interface ClusterOptions {
    /** The data folder; the cluster is its sub-folder `cluster`. */
    folder: string;
    /** Where the programs are. */
    bin: string;
    /** The password of the cluster's one user, `pagewright`. */
    password: string;
    account?: Account;
}

/**
 * Creates the cluster if there is none.
 * @returns whether it was created
 * @throws Error with the output of initdb if that fails
 */
export const ensureCluster = async ({ folder, bin, password, account }: ClusterOptions): Promise<boolean> => {
    clearUnfinished(folder);
    if (existsSync(join(folder, 'cluster'))) {
        return false;
    }

    await makeAside(folder, account, async (workplace) => {
        writeFileSync(join(workplace, 'password'), `${password}\n`, { mode: 0o600 });
        giveTo(account, join(workplace, 'password'));
        await runProgram('make its cluster', {
            file: join(bin, 'initdb'),
            folder,
            workplace,
            account,
            // PostgreSQL's built-in rules, not the system's, so that text sorts and changes case the same on every machine.
            args: (path) => [
                '-D', `${path}/data`, '--username=pagewright', `--pwfile=${path}/password`,
                '--auth-host=scram-sha-256', '--auth-local=reject',
                '--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8',
                '--set=timezone=UTC', '--set=log_timezone=UTC', '--set=log_checkpoints=off'
            ]
        });
    });
    return true;
};

/**
 * Creates the cluster from a base backup in an open file, and sets the password of its one user. The server runs once without a
 * network for that, so that nobody can connect before the password is set.
 * @throws Error with the output of tar or the server if that fails
 */
export const restoreCluster = async ({ folder, bin, password, account }: ClusterOptions, backup: number): Promise<void> => {
    clearUnfinished(folder);
    await makeAside(folder, account, async (workplace) => {
        const data = join(workplace, 'data');
        mkdirSync(data, { mode: 0o700 });
        giveTo(account, data);
        const common = { folder, workplace, account };
        await runProgram('unpack the backup', { ...common, file: 'tar', args: (path) => ['-xzf', '-', '-C', `${path}/data`], input: backup });

        const order = join(workplace, 'order');
        writeFileSync(order, `alter role pagewright password '${password}'\n`, { mode: 0o600 });
        const input = openSync(order, 'r');
        try {
            await runProgram('recover from the backup', { ...common, file: join(bin, 'postgres'), args: (path) => ['--single', '-D', `${path}/data`, 'postgres'], input });
        }
        finally {
            closeSync(input);
        }
    });
};

/**
 * Creates the cluster in a temporary folder and renames it when it is complete, so that an interrupted start leaves nothing that
 * looks like a cluster.
 */
const makeAside = async (folder: string, account: Account | undefined, make: (workplace: string) => Promise<void>): Promise<void> => {
    const workplace = mkdtempSync(join(folder, UNFINISHED));
    try {
        giveTo(account, workplace);
        await make(workplace);
        renameSync(join(workplace, 'data'), join(folder, 'cluster'));
        sync(folder);
    }
    finally {
        clear(workplace);
    }
};

const runProgram = async (what: string, spawning: Spawning): Promise<void> => {
    const { ended, output } = spawnProgram(spawning);
    const ending = await ended;
    if (ending !== 'exit code 0') {
        throw new Error(`The embedded PostgreSQL could not ${what} (${ending}):\n${output()}`);
    }
};

/** Deletes what an interrupted start or restore has left. */
const clearUnfinished = (folder: string): void => {
    readdirSync(folder).filter((name) => name.startsWith(UNFINISHED)).forEach((name) => clear(join(folder, name)));
};

const giveTo = (account: Account | undefined, ...paths: string[]): void => {
    if (account) {
        paths.forEach((path) => chownSync(path, account.uid, account.gid));
    }
};

/** Retries, because an initdb whose parent was killed may go on writing for a moment. */
const clear = (path: string): void => {
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
};
