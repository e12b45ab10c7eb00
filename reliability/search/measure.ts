import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { cpuOfFamily } from '../../bench/measure/accounting';
import { Attacker } from '../attacks/attacker';
import { watchMemory, watchRest } from '../attacks/family';
import type { Rest } from '../attacks/family';
import { ask } from '../attacks/run';
import { postmasterOf } from '../faults/database';
import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import type { Probe } from './probes';
import { callOf } from './probes';
import type { Seen } from './user';

/** How requests are sent: one alone, many at once, the same as HEAD, by clients that leave after 100 ms, and many behind a write that takes long. */
export const manners = { one: 1, many: 24, heads: 24, abandoned: 48, behind: 24 } as const;
export type Manner = keyof typeof manners;

/** What some requests cost. Times in milliseconds, memory in MiB. */
export interface Cost {
    manner: Manner;
    requests: number;
    /** until the last response */
    took: number;
    /** processor time of the service, and of PostgreSQL */
    cpu: number;
    database: number;
    /** the longest block of the event loop */
    stall: number;
    /** the most memory of the service's processes */
    memory: number;
    /** what an ordinary user beside it saw */
    user: Seen;
    /** what went on 2 s later */
    rest: Rest;
    answers: Readonly<Record<string, number>>;
    sent: number;
}

/** Seconds after which the clients leave, one alone and many, and milliseconds after which nothing may go on then. */
const [ALONE, SECONDS] = [8, 20];
const LEFT = 2000;

const idle: Rest = { busy: 0, statements: [] };
const nobody: Seen = { slowest: 0, slowestStep: '', requests: 0, failures: [] };

let serial = 0;

/** A running service, and an ordinary user who works beside what is measured. */
export class Bench {
    readonly #service: Service;
    readonly #database: Database;
    #user: Worker | undefined;

    constructor(service: Service, database: Database) {
        this.#service = service;
        this.#database = database;
    }

    /** Starts the service and the user, if they have ended. */
    async begin(): Promise<void> {
        if (this.#service.url === null) {
            await this.end();
            await this.#service.start();
        }

        if (this.#user === undefined) {
            this.#user = new Worker(join(__dirname, 'user.js'), { workerData: this.#service.url });
            await once(this.#user, 'message');
        }
    }

    async end(): Promise<void> {
        await this.#user?.terminate();
        this.#user = undefined;
    }

    /** Measures a probe. @param before what is sent twice before it. @throws Error if the service ends */
    async measure(probe: Probe, manner: Manner, before?: Probe): Promise<Cost> {
        await this.begin();
        const pid = Number(this.#service.child?.pid);
        const postmaster = postmasterOf(this.#database.dir);
        const attacker = new Attacker(String(this.#service.url), { seed: 1, address: `127.0.2.${1 + ++serial % 250}`, seconds: SECONDS });
        try {
            const first = before === undefined ? [] : [await callOf(before, 0), await callOf(before, 1)];
            const calls = await Promise.all(Array.from({ length: manners[manner] }, (_, n) => callOf(probe, 100 * serial + n, manner === 'heads' ? 'HEAD' : undefined)));
            await ask(this.#service, 'look');
            const [memory, service, postgres, began] = [watchMemory(pid), cpuOfFamily(pid), cpuOfFamily(postmaster), performance.now()];
            // What one request costs is measured alone.
            const isAlone = manner === 'one';
            if (!isAlone) {
                this.#user?.postMessage('begin');
            }

            attacker.begin(SECONDS);
            const all = [...first, ...calls];
            const sending = attacker.times(all.length, all.length, async (n) => {
                const call = all[n];
                await (call && (manner === 'abandoned' ? attacker.abandon(call) : attacker.call(call)));
            });
            await Promise.race([sending, sleep((isAlone ? ALONE : SECONDS) * 1000, undefined, { ref: false })]);
            attacker.close();
            const took = performance.now() - began;
            const { stall: during } = await ask(this.#service, 'look');
            const [cpu, database] = [cpuOfFamily(pid) - service, cpuOfFamily(postmaster) - postgres];
            const rest = isAlone ? idle : await sleep(LEFT).then(() => watchRest(pid, this.#service.name, this.#database));
            const user = isAlone ? nobody : await this.#seen();
            const { stall: later } = await ask(this.#service, 'look');
            if (this.#service.url === null) {
                throw new Error(`the service ended: ${await this.#service.ended}`);
            }

            const { sent, answers } = attacker.tally;
            return { manner, requests: calls.length, took, cpu: cpu / 1000, database: database / 1000, stall: Math.max(during, later), memory: memory(), user, rest, answers, sent };
        }
        finally {
            attacker.close();
        }
    }

    /** Waits until the user has its last response. */
    async #seen(): Promise<Seen> {
        if (this.#user === undefined) {
            return nobody;
        }

        const told = once(this.#user, 'message');
        this.#user.postMessage('end');
        const [seen]: Seen[] = await told;
        return seen ?? nobody;
    }

    /** Waits until the service and PostgreSQL have nothing to do, for a minute at most, so that one probe does not pay for the one before. */
    async calm(): Promise<void> {
        const pid = Number(this.#service.child?.pid);
        for (let tries = 0; tries < 60 && this.#service.url !== null; ++tries) {
            const { busy, statements } = await watchRest(pid, this.#service.name, this.#database);
            if (busy < 0.2 && statements.length === 0) {
                return;
            }
        }
    }
}
