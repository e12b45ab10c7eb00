import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { Load } from './load';
import { servedCluster } from './own-database';
import { worksAgain } from './scenario';
import type { Scenario } from './scenario';
import type { Service } from './service';

/** What is killed, in an order by chance. */
const victims = ['a server', 'the coordinator', 'a worker'] as const;

/** Milliseconds until a service answers what needs all nodes. */
export const wholeAgain = (service: Service): Promise<number> => worksAgain(service, 'list', { method: 'GET', path: '/projects?count=1' });

/** Servers and nodes of a cluster of Citus are killed under load, and come back. Only where CITUS_DATABASE_URL leads to one on this machine. */
export const clusterKills: Scenario = {
    name: 'citus',
    title: 'SIGKILL of servers, the coordinator and workers of a cluster of Citus',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const served = await servedCluster({ defer }, outcome);
        if (served === undefined) {
            return;
        }

        const { database, services } = served;
        const load = await Load.open({
            targets: services, dice: dice.split(),
            over: (name, since) => database.over(name, !services.some((service) => service.name === name && service.url !== null), since)
        });
        const [coordinator, ...workers] = database.nodes;

        let slowest = 0;
        let checked;
        for (let round = 1; round <= rounds && load.journal.findings.length === 0; ++round) {
            await load.during(async () => {
                const first = dice.between(0, victims.length - 1);
                for (const victim of [...victims.slice(first), ...victims.slice(0, first)]) {
                    await sleep(dice.between(300, 1500));
                    outcome.kills.add(victim);
                    if (victim === 'a server') {
                        const service = dice.pick(services);
                        await service?.kill();
                        await service?.start();
                    }
                    else {
                        const node = victim === 'a worker' ? dice.pick(workers) : coordinator;
                        await node?.kill();
                        await sleep(dice.between(0, 500));
                        await node?.up();
                    }

                    slowest = Math.max(slowest, ...await Promise.all(services.map(wholeAgain)));
                }
            });
            await database.settled();
            checked = await check(load, database.db);
            log(outcome.endRound(round, load, services));
        }

        if (checked !== undefined) {
            outcome.take(load, checked);
            outcome.notes.push(`whole again at most ${Math.round(slowest)} ms after a node, without a restart`);
        }
    }
};
