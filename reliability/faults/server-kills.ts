import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { Load } from './load';
import { ownDatabase } from './own-database';
import type { Scenario } from './scenario';
import { startServices } from './service';
import type { Service } from './service';

const SERVICES = 2;
const KILLS_A_ROUND = 25;

/** Processes that share a database are killed at random moments, and started again. */
export const serverKills: Scenario = {
    name: 'server',
    title: 'SIGKILL of the server',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = await ownDatabase();
        defer(() => database.end());
        const services = await startServices(SERVICES, (name) => database.url(name), defer);
        const load = await Load.open({
            targets: services,
            dice: dice.split(),
            over: (name, since) => database.over(name, !services.some((service) => service.name === name && service.url !== null), since)
        });

        const killing = async (service: Service, kills: () => boolean): Promise<void> => {
            while (kills()) {
                // Some are killed right after the start, most during work: after a number of responses, since the speed depends on the machine.
                const enough = dice.between(0, 40);
                for (const deadline = Date.now() + 5000; service.answered < enough && Date.now() < deadline;) {
                    await sleep(dice.between(1, 10));
                }

                (await service.kill()).forEach((n, kind) => outcome.under.add(kind, n));
                outcome.kills.add('server');
                await service.start();
            }
        };

        let checked;
        for (let round = 1; round <= rounds; ++round) {
            let left = KILLS_A_ROUND;
            await load.during(() => Promise.all(services.map((service) => killing(service, () => left-- > 0))));
            await database.settled();
            checked = await check(load, database.db);
            log(outcome.endRound(round, load, services));
            if (load.journal.findings.length > 0) {
                break;
            }
        }

        if (checked !== undefined) {
            outcome.take(load, checked);
            outcome.notes.push(`in progress when it was killed: ${outcome.under}`);
        }
    }
};
