import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { Missing } from '../../test/support/missing';

/** Another program that listens on a local port: nginx or PgBouncer. */
export interface Daemon {
    /** Stops it with this signal, and waits until it has ended. */
    end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program of a Debian package in the foreground, and waits until it listens. @throws Error if it does not; Missing if it is not installed */
export async function startDaemon(program: string, args: readonly string[], port: number, debian: string, account?: { uid: number; gid: number }): Promise<Daemon> {
    if (!existsSync(program)) {
        throw new Missing(`${program} (apt-get install ${debian})`);
    }

    const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...account });
    let said = '';
    child.stderr?.on('data', (data) => {
        said = `${said}${data}`.slice(-2000);
    });
    const abandon = (): void => void child.kill('SIGKILL');
    process.once('exit', abandon);
    const ended = new Promise<void>((resolve) => void child.once('close', () => {
        process.off('exit', abandon);
        resolve();
    }));
    for (const deadline = Date.now() + 10_000; !await listens(port);) {
        if (child.exitCode !== null || Date.now() > deadline) {
            abandon();
            throw new Error(`${program} does not listen: ${said}`);
        }

        await sleep(20);
    }

    return {
        end: async (signal) => {
            child.kill(signal);
            await ended;
        }
    };
}

const listens = (port: number): Promise<boolean> => new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1', () => {
        probe.destroy();
        resolve(true);
    });
    probe.on('error', () => resolve(false));
});
