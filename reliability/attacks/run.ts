import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { memoryOf, memoryOfChildren } from '../../bench/measure/accounting';
import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import type { Attack, Tally } from './attack';
import { slownessOf } from './judge';
import type { Measured } from './judge';
import { OrdinaryUser } from './ordinary-user';
import type { Probed } from './probe';
import type { Order } from './process';

/** Options of Node that load the probe into the service. */
export const probe: readonly string[] = ['--expose-gc', '--require', join(__dirname, 'probe.js')];

/** Default duration of an attack in seconds, and how much longer its process may run. */
const SECONDS = 15;
const GRACE = 60;

/** Milliseconds to wait for the probe; a longer block of the event loop is noticed anyway. */
const PATIENCE = 60_000;

/** A value below 0 has priority; child processes inherit it. */
const PRIORITY = -5;

/**
 * Gives this process, and all that it starts later, priority over others, so that a busy machine does not look like a
 * blocked service. If the system does not allow that, the limits of time are less reliable.
 */
export function precede(): void {
    try {
        setPriority(PRIORITY);
    }
    catch {
        // Only root may do this.
    }
}

/** Asks the probe in the service. If it does not reply, the event loop was blocked for that long. */
export async function ask(service: Service, message: 'start' | 'stop'): Promise<Probed> {
    const { child } = service;
    if (service.url === null || child === undefined) {
        return { stall: 0, clock: 0, kept: 0 };
    }

    const told = new Promise<Probed>((resolve) => void child.once('message', resolve));
    child.send(message, () => undefined);
    return await Promise.race([told, service.ended.then(() => ({ stall: 0, clock: 0, kept: 0 })), sleep(PATIENCE, { stall: PATIENCE, clock: PATIENCE, kept: 0 }, { ref: false })]);
}

/** Bytes of the service's database. */
export async function storedIn(database: Database): Promise<number> {
    const { rows: [row] } = await database.db.raw<{ rows: { bytes: string }[] }>('select pg_database_size(current_database()) as bytes');
    return Number(row?.bytes);
}

/** Resets Linux's record of the peak memory of a process, if possible. */
export function forgetPeak(pid: number): void {
    try {
        writeFileSync(`/proc/${pid}/clear_refs`, '5');
    }
    catch {
        // Then the peak since the start is used, which is at least as high.
    }
}

function peakOf(pid: number): number {
    try {
        return memoryOf(pid).peak;
    }
    catch {
        return 0;
    }
}

/** Watches how much memory a process and its children have together at most. The database is no child of it. @returns a function that ends it */
function watchMemory(pid: number): () => number {
    let most = 0;
    const timer = setInterval(() => {
        try {
            most = Math.max(most, memoryOf(pid).now + memoryOfChildren(pid));
        }
        catch {
            // It has ended, or there is no /proc.
        }
    }, 50);
    return () => {
        clearInterval(timer);
        return most;
    };
}

/** Runs the attacker's process until it is done, or takes far too long. */
async function attackBy(order: Order): Promise<Tally> {
    const child = fork(join(__dirname, 'process.js'));
    const told = new Promise<Tally>((resolve) => {
        child.once('message', resolve);
        child.once('exit', (code, signal) => resolve({ sent: 0, answers: {}, failure: `its process ended: ${code ?? signal}` }));
    });
    child.send(order);
    const tally = await Promise.race([told, sleep((order.seconds + GRACE) * 1000, { sent: 0, answers: {}, failure: 'it did not end' }, { ref: false })]);
    child.kill('SIGKILL');
    return tally;
}

/**
 * Runs one attack while an ordinary user works.
 * @param place of the attack in the list, which gives it its own address
 * @throws Error if the service does not work before the attack
 */
export async function runAttack({ name, seconds = SECONDS }: Attack, service: Service, database: Database, { seed, place }: { seed: number; place: number }): Promise<Measured & { slowness: number }> {
    const url = String(service.url);
    const pid = Number(service.child?.pid);
    const user = await OrdinaryUser.open(url);
    await user.rounds(2);
    const slowness = slownessOf(user.slowest);
    const [storedBefore, { kept: keptBefore }] = [await storedIn(database), await ask(service, 'start')];
    forgetPeak(pid);
    service.faults.splice(0);
    const began = performance.now();
    user.start();
    const memoryTogether = watchMemory(pid);
    const tally = await attackBy({ name, url, seed, seconds, address: `127.0.1.${1 + place % 250}` });
    await user.stop();
    const memory = Math.max(peakOf(pid), memoryTogether());
    const { stall, kept } = await ask(service, 'stop');
    const ended = service.url === null ? await service.ended : undefined;
    return {
        tally, ended, user, stall, memory, kept: kept - keptBefore, slowness, logged: [...service.faults],
        stored: await storedIn(database) - storedBefore, seconds: (performance.now() - began) / 1000
    };
}
