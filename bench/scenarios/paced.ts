import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { World } from './world';

/** The results of the reader in pacer.ts; times in milliseconds. */
export interface Paced {
    requests: number;
    p50: number;
    p95: number;
    p99: number;
    max: number;
    /** how late the reader itself was at most */
    late: number;
}

/** Runs work while a reader requests the paths at a fixed pace. @throws Error if a read failed */
export async function whileReading(world: World, paths: readonly string[], interval: number, work: () => Promise<void>): Promise<Paced> {
    const file = join(world.dir, 'paced.txt');
    writeFileSync(file, paths.join('\n'));
    const child = world.processes.script('pacer', [join(__dirname, '..', 'load', 'pacer.js'), world.service.base, file, String(interval)]);
    try {
        const first = await said(child);
        if (first !== 'ready') {
            throw new Error(`the reader did not start: ${JSON.stringify(first)}`);
        }

        await work();
        const last = said(child);
        child.send('stop');
        return readPaced(await last);
    }
    finally {
        await world.processes.stop(child);
    }
}

/** The next message of a child. @throws Error if the child ends, or sends nothing for a minute and a half */
export function said(child: ChildProcess): Promise<unknown> {
    return new Promise((resolve, reject) => {
        const ended = (): void => reject(new Error('a process of the bench ended before it answered'));
        const late = setTimeout(() => reject(new Error('a process of the bench did not answer')), 90_000);
        child.once('exit', ended);
        child.once('message', (message) => {
            clearTimeout(late);
            child.off('exit', ended);
            resolve(message);
        });
    });
}

function readPaced(message: unknown): Paced {
    const told = new Map(Object.entries(typeof message === 'object' && message !== null ? message : {}));
    const failure = told.get('failure');
    if (failure !== '') {
        throw new Error(`a read failed: ${String(failure)}`);
    }

    const value = (name: string): number => Number(told.get(name));
    return { requests: value('requests'), p50: value('p50'), p95: value('p95'), p99: value('p99'), max: value('max'), late: value('late') };
}
