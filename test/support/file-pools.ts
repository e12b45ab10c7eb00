import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

import { buildSync } from 'esbuild';

import type { FilePool } from '../../src/files/assets/file-work';
import { filePool } from '../../src/files/thumbnails/file-pool';
import { perform } from '../../src/files/thumbnails/perform';
import type { Task } from '../../src/files/thumbnails/perform';

/** Does the tasks in this process, where coverage is measured. */
export const inThisProcess: FilePool<Task> = {
    run: async (task) => {
        const reply = await perform(task);
        return { ...reply.isLarge ? await perform({ ...task, large: true }) : reply, memory: 0 };
    },
    wait: () => 0,
    close: () => Promise.resolve()
};

/** A program of src, built from the source once. */
function built(source: string): string {
    const file = join(__dirname, '../../.cache', `pagewright-${basename(source)}-${process.pid}.js`);
    if (!existsSync(file)) {
        buildSync({ entryPoints: [join(__dirname, '../../src', `${source}.ts`)], bundle: true, platform: 'node', packages: 'external', outfile: file });
        process.on('exit', () => rmSync(file, { force: true }));
    }

    return file;
}

/** The program of the processes. */
export const builtProgram = (): string => built('files/thumbnails/file-process');

/** The program that starts them. */
export const builtStarter = (): string => built('api/concurrency/process-starter');

/** Processes as the service has them. */
export const inProcesses = (longest?: number): FilePool<Task> => filePool(builtProgram(), longest, builtStarter());
