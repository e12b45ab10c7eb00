import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/database/statements/connection';
import { accountFor } from '../../src/database/embedded/account';
import { writeBaseBackup } from '../../src/database/embedded/backup';
import { findPrograms } from '../../src/database/embedded/binaries';
import { freePort } from '../../src/database/embedded/server';
import { spawnProgram } from '../../src/database/embedded/spawn';
import type { PostgresProgram } from '../../src/database/embedded/spawn';

/** A streaming replica of an embedded server, in a temporary folder. */
export interface Standby {
    url: string;
    /** a connection for the test itself */
    db: Knex;
    /** Pauses or resumes the replay of the primary's log. */
    pause(): Promise<void>;
    resume(): Promise<void>;
    /** Starts it again if it was stopped. */
    start(): Promise<void>;
    /** Kills it; its connections break. */
    stop(): Promise<void>;
    drop(): Promise<void>;
}

/** Creates a replica of the server at this URL from a base backup, and starts it. */
export async function startStandby(primary: string): Promise<Standby> {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const cluster = join(folder, 'cluster');
    const backup = join(folder, 'backup');
    const file = openSync(backup, 'w');
    await writeBaseBackup(primary, file);
    closeSync(file);

    mkdirSync(cluster, { mode: 0o700 });
    execFileSync('tar', ['-xzf', backup, '-C', cluster]);
    rmSync(backup);
    writeFileSync(join(cluster, 'standby.signal'), '');
    const { username, password, hostname, port: primaryPort } = new URL(primary);
    appendFileSync(join(cluster, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=${hostname} port=${primaryPort} user=${username} password=${password}'\nwal_retrieve_retry_interval = 100\n`);
    const account = accountFor(join(folder, 'none'));
    if (account !== undefined) {
        execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, cluster]);
        chownSync(folder, account.uid, account.gid);
    }

    const address = new URL(primary);
    address.port = String(await freePort(0));
    const settings = ['listen_addresses=127.0.0.1', `port=${address.port}`, 'unix_socket_directories=', 'shared_buffers=16MB', 'fsync=off', 'max_connections=200'];
    const bin = await findPrograms(account);
    const db = openDatabase({ url: address.href, pool: 1, standby: true });
    let program: PostgresProgram | undefined;

    const start = async (): Promise<void> => {
        if (program !== undefined) {
            return;
        }

        const started = spawnProgram({
            file: join(bin, 'postgres'), folder, workplace: cluster, account, args: (path) => ['-D', path, ...settings.flatMap((setting) => ['-c', setting])]
        });
        program = started;
        let ending: string | undefined;
        void started.ended.then((how) => {
            ending = how;
        });
        while (!await db.raw('select').then(() => true, () => false)) {
            if (ending !== undefined) {
                throw new Error(`The replica did not start (${ending}): ${started.output()}`);
            }

            await sleep(50);
        }
    };

    const stop = async (): Promise<void> => {
        program?.child.kill('SIGQUIT');
        await program?.ended;
        program = undefined;
    };

    await start();
    return {
        url: address.href,
        db,
        pause: () => db.raw('select pg_wal_replay_pause()'),
        resume: () => db.raw('select pg_wal_replay_resume()'),
        start,
        stop,
        drop: async () => {
            await db.destroy();
            await stop();
            rmSync(folder, { recursive: true, force: true });
        }
    };
}
