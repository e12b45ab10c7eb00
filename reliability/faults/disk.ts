import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { temporary } from './database';
import { inFolder } from './engine-kills';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf, readyAgain } from './scenario';
import { Service } from './service';
import { send } from './wire';

/** MiB of the disk, of which an empty cluster takes about 70. */
const SIZE = 192;

/** Fills the rest of a disk. */
function fill(file: string): void {
    const part = Buffer.alloc(1024 * 1024);
    try {
        for (;;) {
            writeFileSync(file, part, { flag: 'a' });
        }
    }
    catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) {
            throw error;
        }
    }
}

/** Makes PostgreSQL write its write-ahead log until there is no room for it and PostgreSQL stops. */
async function fillLog(dir: string): Promise<string> {
    return await inFolder(dir, async (db) => {
        for (;;) {
            await db.raw(`select pg_logical_emit_message(false, 'fault', repeat('x', 1000000))`);
        }
    }).catch((error: Error) => error.message);
}

/** The disk of the data folder fills up during writes, and there is room again later. */
export const fullDisk: Scenario = {
    name: 'disk',
    title: 'A disk that fills',
    run: async ({ dice, defer, log }, outcome) => {
        const disk = temporary();
        try {
            execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}m`, 'tmpfs', disk], { stdio: 'pipe' });
        }
        catch (error) {
            outcome.notes.push(`SKIPPED: a small disk cannot be mounted here (${error instanceof Error ? error.message.split('\n')[0] : error})`);
            return;
        }

        const unmount = (): void => void execFileSync('umount', ['--lazy', disk]);
        // Unmount before the exit handlers that remove folders, because it is one of these folders.
        process.prependOnceListener('exit', unmount);
        defer(() => {
            process.off('exit', unmount);
            unmount();
            return Promise.resolve();
        });
        const dir = join(disk, 'data');
        const filler = join(disk, 'filler');
        mkdirSync(dir);
        const service = new Service(() => ({ DATA_DIR: dir, DATABASE_POOL: '8' }));
        defer(() => service.kill('SIGTERM'));
        await service.start();
        const load = await Load.open({ targets: [service], dice: dice.split(), keyed: 1 });
        const [author] = load.authors;
        let checked;
        for (const isLogFull of [false, true]) {
            const reads = { done: 0, refused: 0 };
            const before = load.journal.statuses.get('503');
            const { full } = load;
            let ready = 0;
            await load.during(async () => {
                await sleep(500);
                fill(filler);
                if (isLogFull) {
                    log(`no room for PostgreSQL's write-ahead log either: ${await fillLog(dir)}`);
                }

                for (const end = Date.now() + 5000; Date.now() < end; await sleep(50)) {
                    fill(filler);
                    const answer = await send(service, 'reading', { method: 'GET', path: `${author?.pathOf(author.source)}/pages` });
                    reads[answer?.status === 200 ? 'done' : 'refused']++;
                }

                rmSync(filler);
                ready = await readyAgain(service);
                await sleep(1000);
            });
            const refused = load.journal.statuses.get('503') - before;
            const told = `${refused} answers were 503, ${load.full - full} of them storage_full; of reads meanwhile ${reads.done} were answered, ${reads.refused} refused; ready ${Math.round(ready)} ms after there was room`;
            outcome.notes.push(`${isLogFull ? 'no room for PostgreSQL\'s write-ahead log either' : 'no room for data'}: ${told}`);
            if (refused === 0 || (!isLogFull && (reads.done === 0 || load.full === full))) {
                load.journal.find(`with a full disk ${told}`);
            }

            checked = await inFolder(dir, (db) => check(load, db));
            outcome.checks++;
        }

        if (checked !== undefined) {
            faultsOf([service], load.journal);
            outcome.take(load, checked);
        }
    }
};
