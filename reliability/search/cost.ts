import { setTimeout as sleep } from 'node:timers/promises';

import { cpuOf, cpuOfFamily, memoryOf } from '../../bench/measure/accounting';
import { Attacker, MIB } from '../attacks/attacker';
import { ask, forgetPeak, storedIn } from '../attacks/run';
import { postmasterOf } from '../faults/database';
import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import { newAuthor, perform } from './perform';
import type { Sequence } from './sequence';

/** What a sequence has cost. Times in milliseconds, memory in MiB, sizes in bytes. */
export interface Cost {
    sent: number;
    /** processor time of the service and of PostgreSQL together */
    cpu: number;
    /** how far its memory grew at most */
    memory: number;
    stored: number;
    /** the slowest answer of /health */
    health: number;
    /** the longest time for which the event loop did nothing else */
    stall: number;
    answers: Readonly<Record<string, number>>;
}

/** What is looked for: the greatest of each. */
export const measures = ['cpu', 'memory', 'stored', 'health', 'stall'] as const;
export type Measure = (typeof measures)[number];

/** Bytes that a sequence counts as having sent besides, or the smallest would win by the noise of their measurement. */
const BESIDES = 2048;

/** What a measure comes to for each KiB sent. */
export const ratioOf = (cost: Cost, measure: Measure): number => cost[measure] / ((cost.sent + BESIDES) / 1024);

/** Seconds for a sequence. */
const SECONDS = 8;
/** Milliseconds between two requests for /health. */
const EVERY = 20;

let serial = 0;

/** Asks for /health until it is told to stop, and answers how long the slowest took. */
async function watchHealth(url: string, isOver: () => boolean): Promise<number> {
    let slowest = 0;
    while (!isOver()) {
        const began = performance.now();
        await fetch(`${url}/health`).then((response) => response.text()).catch(() => undefined);
        slowest = Math.max(slowest, performance.now() - began);
        await sleep(EVERY);
    }

    return slowest;
}

/** Lets a new account send a sequence. @throws Error where the service ends, or is not there */
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
        let isOver = false;
        const health = watchHealth(url, () => isOver);
        await perform(attacker, author, sequence);
        isOver = true;
        const slowest = await health;
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

/** A cost in words. */
export function told({ sent, cpu, memory, stored, health, stall, answers }: Cost): string {
    const counts = Object.entries(answers).map(([answer, count]) => `${count}×${answer}`).join(' ');
    return `sent ${(sent / 1024).toFixed(1)} KiB: ${cpu.toFixed(0)} ms of processor, ${memory.toFixed(0)} MiB, ${(stored / MIB).toFixed(1)} MiB stored, /health ${health.toFixed(0)} ms, loop ${stall.toFixed(0)} ms; ${counts}`;
}
