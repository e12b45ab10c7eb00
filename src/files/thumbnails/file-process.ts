/* A process that does one task on the content of a file after another, so that whatever is in one can be ended with the process. file-pool.ts starts it, with a folder that is for it alone. */

// The tests start this as a process of its own, where coverage is not measured.
/* $lab:coverage:off$ */
import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';

import { perform } from './perform';
import type { Task } from './perform';

const MIB = 1024 * 1024;

/** Most bytes of memory of the process while it does a small task, and another one. */
const MOST = { small: 200 * MIB, large: 360 * MIB };

/** Milliseconds between two looks at the memory. Pictures are read by other threads than this one. */
const EVERY = 10;

setPriority(5);
process.on('message', (task: Task & { large?: boolean }) => {
    process.send?.('begun');
    const most = task.large === true ? MOST.large : MOST.small;
    const watch = setInterval(() => {
        if (process.memoryUsage.rss() > most) {
            process.kill(process.pid, 'SIGKILL');
        }
    }, EVERY);
    void perform(task).then((reply) => {
        clearInterval(watch);
        process.send?.({ ...reply, memory: process.memoryUsage.rss() });
    });
});
process.on('disconnect', () => {
    // The service was killed, and cannot remove it.
    const [, , folder] = process.argv;
    if (folder !== undefined) {
        rmSync(folder, { recursive: true, force: true });
    }

    process.exit(0);
});
/* $lab:coverage:on$ */
