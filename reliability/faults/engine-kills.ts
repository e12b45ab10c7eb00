import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/database/statements/connection';
import { findServer } from '../../src/database/embedded/server';
import { check } from './check';
import { postmasterOf, temporary } from './database';
import { Load } from './load';
import type { Scenario } from './scenario';
import { readyAgain } from './scenario';
import { Service } from './service';

/** What is killed: the first process of the embedded PostgreSQL, all its processes, or also the server. */
const deaths = ['engine', 'engine at once', 'whole engine', 'everything'] as const;

/** Works with the database in a data folder, at the URL that is stored there at that moment. */
export async function inFolder<Result>(dir: string, work: (db: Knex) => Promise<Result>): Promise<Result> {
    const url = new URL(readFileSync(join(dir, 'url'), 'utf8').trim());
    url.searchParams.set('application_name', 'checker');
    const db = openDatabase({ url: url.href, pool: 2 });
    try {
        return await work(db);
    }
    finally {
        await db.destroy();
    }
}

/** The embedded PostgreSQL is killed and its server starts it again; or both are killed, and the next start finds everything. */
export const engineKills: Scenario = {
    name: 'engine',
    title: 'SIGKILL of the embedded PostgreSQL, and of the server with it',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const dir = temporary();
        const service = new Service(() => ({ DATA_DIR: dir, DATABASE_POOL: '8' }));
        defer(() => service.kill('SIGTERM'));
        await service.start();
        const isBack = async (name: string): Promise<void> => {
            // The next start after a killed server stops the PostgreSQL that it left, with all its work.
            while (service.name === name || service.url === null) {
                await sleep(20);
            }
        };

        const load = await Load.open({ targets: [service], dice: dice.split(), over: isBack });
        let slowest = 0;
        let checked;
        for (let round = 1; round <= rounds && load.journal.findings.length === 0; ++round) {
            await load.during(async () => {
                for (const death of deaths) {
                    await sleep(dice.between(100, 500));
                    const postmaster = postmasterOf(dir);
                    outcome.kills.add('PostgreSQL');
                    if (death === 'everything') {
                        process.kill(-postmaster, 'SIGKILL');
                        (await service.kill()).forEach((n, kind) => outcome.under.add(kind, n));
                        outcome.kills.add('server');
                        await service.start();
                        continue;
                    }

                    process.kill(death === 'whole engine' ? -postmaster : postmaster, death === 'engine at once' ? 'SIGQUIT' : 'SIGKILL');
                    const started = performance.now();
                    while ((findServer(join(dir, 'cluster'))?.pid ?? postmaster) === postmaster) {
                        await sleep(10);
                    }

                    await readyAgain(service);
                    slowest = Math.max(slowest, performance.now() - started);
                }
            });
            checked = await inFolder(dir, (db) => check(load, db));
            log(outcome.endRound(round, load, [service]));
        }

        if (checked !== undefined) {
            outcome.take(load, checked);
            outcome.notes.push(`ready again at most ${Math.round(slowest)} ms after only the engine was killed, without a restart`);
        }
    }
};
