import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { check, checkEarlier } from './check';
import { postmasterOf, temporary } from './database';
import { inFolder } from './engine-kills';
import { Journal } from './journal';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf } from './scenario';
import { adminProgram, environment, Service } from './service';

/** Runs an operator's command. @throws Error with its output if it fails */
export async function admin(env: Record<string, string>, ...args: string[]): Promise<void> {
    const child = spawn(process.execPath, [adminProgram, ...args], { cwd: '/', env: environment(env), stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data) => {
        said += data;
    });
    const code = await new Promise((end) => void child.once('close', end));
    if (code !== 0) {
        throw new Error(`admin ${args[0]} ended with ${code}: ${said}`);
    }
}

/** A backup is made during writes; then everything is killed, the data folder deleted, and the backup restored. */
export const restoreDrill: Scenario = {
    name: 'restore',
    title: 'A restore drill',
    run: async ({ dice, defer, log }, outcome) => {
        const dir = temporary();
        const file = join(temporary(), 'pagewright.backup');
        const service = new Service(() => ({ DATA_DIR: dir }));
        defer(() => service.kill('SIGTERM'));
        await service.start();
        const options = { targets: [service], keyed: 1 };
        const still = await Load.open({ ...options, dice: dice.split(), authors: 5, racers: 2 });
        const busy = await Load.open({ ...options, journal: new Journal('b'), dice: dice.split(), authors: 4, racers: 0 });
        await still.during(() => busy.during(() => sleep(2000)));
        const before = new Set([...busy.journal.born].filter(([, { done }]) => done).map(([mark]) => mark));

        await busy.during(() => admin({ DATA_DIR: dir }, 'backup', file));
        const since = busy.journal.born.size - before.size;
        log(`backup made, and ${since} writes meanwhile`);
        process.kill(-postmasterOf(dir), 'SIGKILL');
        await service.kill();
        outcome.kills.add('server');
        outcome.kills.add('PostgreSQL');
        rmSync(dir, { recursive: true });

        await admin({ DATA_DIR: dir }, 'restore', file);
        await service.start();
        const checked = await inFolder(dir, async (db) => {
            await checkEarlier(busy, db, before);
            return await check(still, db);
        });
        outcome.checks++;
        outcome.notes.push(`${before.size} marked writes from before the backup compared; ${since} while it was made`);

        // The authors continue from there, with the same tokens.
        await still.during(() => sleep(1000));
        await inFolder(dir, (db) => check(still, db));
        outcome.checks++;
        faultsOf([service], still.journal);
        still.journal.findings.push(...busy.journal.findings);
        outcome.take(still, checked);
    }
};
