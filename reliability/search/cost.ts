import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { cpuOf, cpuOfFamily, memoryOf } from '../../bench/measure/accounting';
import { Attacker, MIB } from '../attacks/attacker';
import { ask, forgetPeak, storedIn } from '../attacks/run';
import { postmasterOf } from '../faults/database';
import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import { newAuthor, perform } from './perform';
import type { Sequence } from './sequence';

/** The cost of a sequence. Times in milliseconds, memory in MiB, sizes in bytes. */
export interface Cost {
    sent: number;
    /** processor time of the service and of PostgreSQL together */
    cpu: number;
    /** the largest growth of its memory */
    memory: number;
    stored: number;
    /** the slowest response of /health */
    health: number;
    /** the longest block of the event loop */
    stall: number;
    answers: Readonly<Record<string, number>>;
}

/** The measures; the search looks for the greatest of each. */
export const measures = ['cpu', 'memory', 'stored', 'health', 'stall'] as const;
export type Measure = (typeof measures)[number];

/** Bytes added to what a sequence sends, so that the smallest do not win by measurement noise. */
const BESIDES = 2048;

/** A measure for each KiB sent. */
export const ratioOf = (cost: Cost, measure: Measure): number => cost[measure] / ((cost.sent + BESIDES) / 1024);

/** Seconds for a sequence. */
const SECONDS = 8;

let serial = 0;

/** Requests /health from another thread. Returns what stops that, and resolves with the time of the slowest request. */
async function watchHealth(url: string): Promise<() => Promise<number>> {
    const watcher = new Worker(join(__dirname, 'health.js'), { workerData: url });
    await once(watcher, 'online');
    return async () => {
        const answer = once(watcher, 'message');
        watcher.postMessage('stop');
        const [slowest] = await answer;
        return Number(slowest);
    };
}

/** Sends a sequence from a new account. @throws Error if the service ends, or is not running */
export async function costOf(sequence: Sequence, service: Service, database: Database): Promise<Cost> {
    const url = String(service.url);
    const pid = Number(service.child?.pid);
    const postmaster = postmasterOf(database.dir);
    const attacker = new Attacker(url, { seed: 1, address: `127.0.2.${1 + ++serial % 250}`, seconds: SECONDS });
    try {
        const author = await newAuthor(attacker);
        const { sent: sentBefore } = attacker.tally;
        const storedBefore = await storedIn(database);
        await ask(service, 'start');
        forgetPeak(pid);
        const [cpuBefore, { now: memoryBefore }] = [cpuOf(pid) + cpuOfFamily(postmaster), memoryOf(pid)];
        const slowestHealth = await watchHealth(url);
        await perform(attacker, author, sequence);
        const slowest = await slowestHealth();
        if (service.url === null) {
            throw new Error(`the service ended: ${await service.ended}`);
        }

        const cpu = (cpuOf(pid) + cpuOfFamily(postmaster) - cpuBefore) / 1000;
        const { peak } = memoryOf(pid);
        const { stall } = await ask(service, 'stop');
        const { sent, answers } = attacker.tally;
        return { sent: sent - sentBefore, cpu, memory: Math.max(0, peak - memoryBefore), stored: Math.max(0, await storedIn(database) - storedBefore), health: slowest, stall, answers };
    }
    finally {
        attacker.close();
    }
}

/** A cost as text. */
export function told({ sent, cpu, memory, stored, health, stall, answers }: Cost): string {
    const counts = Object.entries(answers).map(([answer, count]) => `${count}×${answer}`).join(' ');
    return `sent ${(sent / 1024).toFixed(1)} KiB: ${cpu.toFixed(0)} ms of processor, ${memory.toFixed(0)} MiB, ${(stored / MIB).toFixed(1)} MiB stored, /health ${health.toFixed(0)} ms, loop ${stall.toFixed(0)} ms; ${counts}`;
}
