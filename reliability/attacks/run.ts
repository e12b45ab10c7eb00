import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpuOfFamily, memoryOf } from '../../bench/measure/accounting';
import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import { bounds } from './attack';
import type { Attack } from './attack';
import type { Tally } from './tally';
import { watchMemory, watchRest, watchUntilQuiet } from './family';
import { slownessOf } from './judge';
import type { Measured } from './judge';
import { OrdinaryUser } from './ordinary-user';
import type { Probed } from './probe';
import type { Message, Order } from './process';

/** Options of Node that load the probe into the service. */
export const probe: readonly string[] = ['--expose-gc', '--require', join(__dirname, 'probe.js')];

/** Default duration of an attack in seconds, and how much longer its process may run. */
const SECONDS = 15;
const GRACE = 60;

/** Milliseconds after the end of an attack from which on nothing may go on, and at which the service must be quiet at the latest: far less than what goes on without its client takes. */
const [LEFT, QUIET] = [2000, 8000];

/** More rounds of the ordinary user before the attack, by which those during it are measured. */
const QUIET_ROUNDS = 2;

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
export async function ask(service: Service, message: 'start' | 'stop' | 'look'): Promise<Probed> {
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

/** The attacker's process, which has prepared its attack. */
class AttackerProcess {
    readonly #child;
    readonly #order: Order;
    /** what it has sent and received, once it has ended */
    readonly #tally: Promise<Tally>;

    constructor(order: Order) {
        this.#order = order;
        this.#child = fork(join(__dirname, 'process.js'));
        this.#tally = new Promise((resolve) => {
            this.#child.on('message', (message: Message) => {
                if (message !== 'ready') {
                    resolve(message);
                }
            });
            this.#child.once('exit', (code, signal) => resolve(nothing(`its process ended: ${code ?? signal}`)));
        });
    }

    /** Waits until it is ready, or has failed. */
    async prepare(): Promise<void> {
        const ready = once(this.#child, 'message');
        this.#child.send(this.#order);
        await Promise.race([ready, this.#tally]);
    }

    /** Attacks until it is done, or takes far too long. */
    async attack(): Promise<Tally> {
        this.#child.send('begin', () => undefined);
        const tally = await Promise.race([this.#tally, sleep((this.#order.seconds + GRACE) * 1000, nothing('it did not end'), { ref: false })]);
        this.#child.kill('SIGKILL');
        return tally;
    }
}

const nothing = (failure: string): Tally => ({ sent: 0, answers: {}, achieved: [], failure });

/** Bytes in the database, and what the service holds in memory. */
const heldBy = async (service: Service, database: Database, message: 'start' | 'stop'): Promise<Probed & { stored: number }> => ({ ...await ask(service, message), stored: await storedIn(database) });

/**
 * Runs one attack while an ordinary user works.
 * @param place of the attack in the list, which gives it its own address
 * @throws Error if the service does not work before the attack
 */
export async function runAttack({ name, seconds = SECONDS, bounds: own }: Attack, service: Service, database: Database, { seed, place, most }: { seed: number; place: number; most: number }): Promise<Measured & { slowness: number }> {
    const url = String(service.url);
    const pid = Number(service.child?.pid);
    const attacker = new AttackerProcess({ name, url, database: database.url(), seed, seconds: Math.min(seconds, most), address: `127.0.1.${1 + place % 250}` });
    await attacker.prepare();
    const user = await OrdinaryUser.open(url);
    await user.rounds(1);
    const slowness = slownessOf(user.slowest);
    await user.rounds(QUIET_ROUNDS);
    const before = await heldBy(service, database, 'start');
    forgetPeak(pid);
    service.faults.splice(0);
    const [began, cpuBefore, memory] = [performance.now(), cpuOfFamily(pid), watchMemory(pid)];
    user.start();
    const tally = await attacker.attack();
    const [left, cpu] = [performance.now(), cpuOfFamily(pid) - cpuBefore];
    // What the ordinary user still does is no work for clients that have left.
    await Promise.all([sleep(LEFT), user.stop()]);
    const latest = Math.max(left + QUIET, performance.now() + LEFT);
    const rest = await watchUntilQuiet(() => watchRest(pid, service.name, database), own?.after ?? bounds.after, () => performance.now() > latest);
    const quiet = (performance.now() - left) / 1000;
    const together = memory();
    const peak = Math.max(together, peakOf(pid));
    const { stall, kept, stored } = await heldBy(service, database, 'stop');
    const ended = service.url === null ? await service.ended : undefined;
    return {
        tally, ended, user, stall, memory: peak, kept: kept - before.kept, slowness, logged: [...service.faults], cpu: cpu / 1e6, rest, quiet,
        stored: stored - before.stored, seconds: (left - began) / 1000
    };
}
