import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import type { Death } from './database';
import { Load } from './load';
import { ownDatabase } from './own-database';
import type { Scenario } from './scenario';
import { readyAgain } from './scenario';
import { startServices } from './service';

/** Done in this order, again and again; only kills count as kills. */
const deaths: readonly Death[] = ['SIGKILL', 'SIGQUIT', 'backend', 'SIGKILL', 'SIGQUIT', 'SIGINT', 'SIGKILL'];

/** PostgreSQL ends while the service runs, and comes back: the service recovers by itself. */
export const databaseKills: Scenario = {
    name: 'database',
    title: 'SIGKILL and immediate stop of PostgreSQL, under DATABASE_URL, or of the nodes of a cluster',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = await ownDatabase();
        defer(() => database.end());
        const services = await startServices(2, (name) => database.url(name), defer);
        const load = await Load.open({ targets: services, dice: dice.split(), over: (name, since) => database.over(name, false, since) });

        let slowest = 0;
        let checked;
        for (let round = 1; round <= rounds && load.journal.findings.length === 0; ++round) {
            await load.during(async () => {
                for (const death of deaths) {
                    await sleep(dice.between(100, 500));
                    await database.kill(death);
                    outcome.kills.add({ backend: 'process of PostgreSQL', SIGINT: 'orderly stop of PostgreSQL', SIGKILL: 'PostgreSQL', SIGQUIT: 'PostgreSQL' }[death]);
                    if (death !== 'backend') {
                        await sleep(death === 'SIGINT' ? 1500 : dice.between(0, 200));
                        await database.up();
                    }

                    const times = await Promise.all(services.map((service) => readyAgain(service)));
                    slowest = Math.max(slowest, ...times);
                }
            });
            await database.settled();
            checked = await check(load, database.db);
            log(outcome.endRound(round, load, services));
        }

        if (checked !== undefined) {
            outcome.take(load, checked);
            outcome.notes.push(`ready at most ${Math.round(slowest)} ms after PostgreSQL, without a restart`);
        }
    }
};
