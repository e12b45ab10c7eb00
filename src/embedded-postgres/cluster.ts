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
 * Makes the cluster unless there is one; tells whether it did.
 * @throws Error with what initdb said when it fails
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
            // Text sorts and changes case the same on every machine: by the rules built into PostgreSQL, not by the system's.
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
 * Makes the cluster out of a base backup in an open file, with the password for its one user. The server runs once by
 * itself, without a network: so it recovers, and whoever gets to connect needs the password from the start.
 * @throws Error with what tar or the server said when it fails
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
 * Makes the cluster, in the sub-folder `data` of one of its own, and renames it when it is whole: what is cut short leaves
 * nothing that looks like a cluster.
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

/** Clears away what a start or a restore has left that was cut short. */
const clearUnfinished = (folder: string): void => {
    readdirSync(folder).filter((name) => name.startsWith(UNFINISHED)).forEach((name) => clear(join(folder, name)));
};

const giveTo = (account: Account | undefined, ...paths: string[]): void => {
    if (account) {
        paths.forEach((path) => chownSync(path, account.uid, account.gid));
    }
};

/** Retries, because an initdb whose parent was killed may still be writing there until it notices. */
const clear = (path: string): void => {
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
};
