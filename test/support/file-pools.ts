import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { buildSync } from 'esbuild';

import type { FilePool } from '../../src/assets/file-work';
import { filePool } from '../../src/thumbnails/file-pool';
import { perform } from '../../src/thumbnails/perform';
import type { Task } from '../../src/thumbnails/perform';

/** Does the tasks in this process, where coverage is measured. */
export const inThisProcess: FilePool<Task> = {
    run: async (task) => {
        const reply = await perform(task);
        return { ...reply.isLarge ? await perform({ ...task, large: true }) : reply, memory: 0 };
    },
    wait: () => 0,
    close: () => Promise.resolve()
};

let program: string | undefined;

/** The program of the processes, built from the source. */
export function builtProgram(): string {
    if (program === undefined) {
        const built = join(__dirname, '../../node_modules/.cache', `pagewright-files-${process.pid}.js`);
        buildSync({ entryPoints: [join(__dirname, '../../src/thumbnails/file-process.ts')], bundle: true, platform: 'node', packages: 'external', outfile: built });
        process.on('exit', () => rmSync(built, { force: true }));
        program = built;
    }

    return program;
}

/** Processes as the service has them. */
export const inProcesses = (longest?: number): FilePool<Task> => filePool(builtProgram(), longest);
