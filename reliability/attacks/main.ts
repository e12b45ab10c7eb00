import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { percentile } from '../../bench/measure/figures';
import { Database } from '../faults/database';
import { Service } from '../faults/service';
import { out, runProgram } from '../program';
import { bounds } from './attack';
import type { Attack } from './attack';
import { faultsOf, storedPerByte } from './judge';
import type { Measured } from './judge';
import { attacks } from './list';
import { precede, probe, runAttack } from './run';

/** Most seconds of an attack in the short form. */
const SHORT = 5;

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** The figures of an attack in one line. */
function figures(measured: Measured): string {
    const { tally, user, stall, memory, kept, stored, seconds, cpu, rest, quiet } = measured;
    const answers = Object.entries(tally.answers).sort(([, a], [, b]) => b - a).slice(0, 6).map(([answer, count]) => `${count}×${answer}`);
    return [
        `loop ${stall.toFixed(0)} ms`, `memory ${memory.toFixed(0)} MiB, stays ${kept.toFixed(0)}`, `sent ${mib(tally.sent)}, stored ${mib(stored)} (×${storedPerByte(measured).toFixed(1)})`,
        `processor ${cpu.toFixed(1)} s, quiet after ${quiet.toFixed(1)} s (${(100 * rest.busy).toFixed(0)} %)`, `user ${user.requests} requests, p95 ×${percentile(user.ratios, 95).toFixed(1)}, slowest ${user.slowest.toFixed(0)} ms (to ${user.slowestStep})`, `${seconds.toFixed(0)} s`, answers.join(' ')
    ].join('; ');
}

/** Starts a new instance only if the settings differ from those of the last attack. */
class Instances {
    readonly #database: Database;
    #service: Service | undefined;
    #settings = '';

    constructor(database: Database) {
        this.#database = database;
    }

    /** A running service with these settings. */
    async with(settings: Readonly<Record<string, string>>): Promise<Service> {
        const wanted = JSON.stringify(settings);
        if (this.#service === undefined || this.#settings !== wanted) {
            await this.end();
            this.#settings = wanted;
            this.#service = new Service((name) => ({ DATABASE_URL: this.#database.url(name), DATA_DIR: join(this.#database.dir, 'data'), RATE_LIMIT: 'on', THUMBNAILS: 'on', ...settings }), probe);
        }

        if (this.#service.url === null) {
            await this.#service.start();
        }

        return this.#service;
    }

    /** Stops the current instance. */
    async end(): Promise<void> {
        await this.#service?.kill('SIGTERM');
    }
}

/** `npm run test:attacks -- [--seed N] [--short] [--once] [--only NAME,…] [--limit SECONDS] [--stall MS]`: exits with 1 if an attack succeeds, or it takes too long. A busy machine may block the event loop for longer. */
async function main(): Promise<void> {
    const { values } = parseArgs({ options: {
        seed: { type: 'string', default: String(randomInt(2 ** 31)) }, short: { type: 'boolean' }, once: { type: 'boolean' }, only: { type: 'string' }, limit: { type: 'string', default: '900' },
        stall: { type: 'string', default: String(bounds.stall) }
    } });
    const seed = Number(values.seed);
    const only = values.only?.split(',');
    const chosen = attacks.filter(({ name, short }) => only?.includes(name) ?? (short || !values.short));
    const again = `npm run test:attacks -- --seed ${seed}`;
    out(`seed ${seed}, ${chosen.length} attacks`);
    setTimeout(() => {
        out(`It took more than ${values.limit} s. Again: ${again}`);
        process.exit(1);
    }, Number(values.limit) * 1000).unref();

    // These tests measure the service, not the disk.
    const database = new Database({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
    await database.up();
    const instances = new Instances(database);
    const failed: string[] = [];
    for (const [place, attack] of chosen.entries()) {
        // What fails is tried again on a new instance: another program may have taken the processor.
        for (const isLast of values.once ? [true] : [false, true]) {
            const faults = await one(attack, await instances.with(attack.settings ?? {}), database, { seed, place, stall: Number(values.stall), most: values.short && attack.whole !== true ? SHORT : Infinity });
            if (faults.length === 0) {
                break;
            }

            if (isLast) {
                failed.push(attack.name);
            }

            // The effects of this attack must not count against the next one.
            await instances.end();
        }
    }

    await instances.end();
    await database.end();
    out(`\n${chosen.length - failed.length} passed, ${failed.length} failed`);
    if (failed.length > 0) {
        out(`Again: ${again} --only ${failed.join(',')}`);
        process.exitCode = 1;
    }
}

async function one(attack: Attack, service: Service, database: Database, order: { seed: number; place: number; stall: number; most: number }): Promise<readonly string[]> {
    const measured = await runAttack(attack, service, database, order);
    const faults = faultsOf({ ...attack, bounds: { stall: order.stall, ...attack.bounds } }, measured, measured.slowness);
    out(`${faults.length === 0 ? 'ok    ' : 'FAILED'} ${attack.name}: ${figures(measured)}${measured.slowness > 1 ? `; the machine is slow, ×${measured.slowness.toFixed(1)}` : ''}`);
    faults.forEach((fault) => out(`       ${fault}`));
    return faults;
}

precede();

runProgram(main);
