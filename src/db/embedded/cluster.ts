import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Account } from './account';
import { sync } from './folder';
import { spawnProgram } from './spawning';

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
 * Makes the cluster unless there is one; tells whether it did. It is made aside and renamed when it is whole, so a start
 * that is cut short leaves nothing that looks like a cluster; what it does leave is cleared away here.
 * @throws Error with what initdb said when it fails
 */
export const ensureCluster = async ({ folder, bin, password, account }: ClusterOptions): Promise<boolean> => {
    readdirSync(folder).filter((name) => name.startsWith(UNFINISHED)).forEach((name) => clear(join(folder, name)));
    const cluster = join(folder, 'cluster');
    if (existsSync(cluster)) {
        return false;
    }

    const unfinished = mkdtempSync(join(folder, UNFINISHED));
    try {
        writeFileSync(join(unfinished, 'password'), `${password}\n`, { mode: 0o600 });
        giveTo(account, unfinished, join(unfinished, 'password'));
        const { ended, output } = spawnProgram({
            file: join(bin, 'initdb'),
            folder,
            workplace: unfinished,
            account,
            // Text sorts and changes case the same on every machine: by the rules built into PostgreSQL, not by the system's.
            args: (path) => [
                '-D', `${path}/data`, '--username=pagewright', `--pwfile=${path}/password`,
                '--auth-host=scram-sha-256', '--auth-local=reject',
                '--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8',
                '--set=timezone=UTC', '--set=log_timezone=UTC', '--set=log_checkpoints=off'
            ]
        });
        const ending = await ended;
        if (ending !== 'exit code 0') {
            throw new Error(`The embedded PostgreSQL could not make its cluster (${ending}):\n${output()}`);
        }

        renameSync(join(unfinished, 'data'), cluster);
        sync(folder);
        return true;
    }
    finally {
        clear(unfinished);
    }
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
