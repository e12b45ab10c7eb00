import { setTimeout as sleep } from 'node:timers/promises';

import { openAccount } from './author';
import type { CitusNode } from './citus';
import { wholeAgain } from './cluster-kills';
import { Load } from './load';
import { servedCluster } from './own-database';
import { faultsOf } from './scenario';
import type { Scenario } from './scenario';
import { send } from './wire';

/** A standby that does not exist: whoever commits or prepares a transaction there has written it, and waits. */
const holding = (node: CitusNode): Promise<unknown> => node.ask(`alter system set synchronous_standby_names = 'nobody'`).then(() => node.ask('select pg_reload_conf()'));
const letGo = (node: CitusNode): Promise<unknown> => node.ask('alter system reset synchronous_standby_names').then(() => node.ask('select pg_reload_conf()'));

const isWaiting = async (node: CitusNode): Promise<boolean> => (await node.ask(`select from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'`)).length > 0;

/** The coordinator is killed when a worker has written its end of a transaction, and it has not: a create with a key must still be done once. */
export const clusterCommits: Scenario = {
    name: 'citus-commits',
    title: 'SIGKILL of the coordinator of a cluster of Citus between the commits of two nodes',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const served = await servedCluster({ defer }, outcome, 1);
        const [service] = served?.services ?? [];
        if (served === undefined || service === undefined) {
            return;
        }

        const { database } = served;
        const load = await Load.open({ targets: [service], dice: dice.split(), authors: 0, racers: 0, historians: 0, keyed: 1 });
        const { id, token } = await openAccount(load, dice);
        const [coordinator, ...workers] = database.nodes;
        defer(() => Promise.all(workers.map(letGo)));

        const path = `/users/${id}/projects`;
        for (let round = 1; round <= rounds && outcome.findings.length === 0; ++round) {
            const title = load.journal.mark('between-commits');
            const create = { method: 'POST', path, body: { title }, token, key: title };
            await Promise.all(workers.map(holding));
            let isAnswered = false;
            const first = send(service, 'project', create).finally(() => {
                isAnswered = true;
            });
            while (!isAnswered && !(await Promise.all(workers.map(isWaiting))).some(Boolean)) {
                await sleep(20);
            }

            if (!isAnswered) {
                await coordinator?.kill();
                outcome.kills.add('the coordinator');
                await coordinator?.up();
            }

            await first;
            await Promise.all(workers.map(letGo));
            await wholeAgain(service);
            await database.settled();
            const { status } = await load.write('project', create, dice) ?? {};
            const { body } = await load.write('read', { method: 'GET', path: `${path}?count=100&visibility=all`, token }, dice) ?? {};
            const made = body.projects.filter((project: { title: string }) => project.title === title).length;
            if (status !== 201 || made !== 1) {
                outcome.findings.push(`a create with a key that was sent twice is ${status}, and made ${made} projects`);
            }

            outcome.checks++;
            log(`round ${round}: ${outcome.kills}; ${outcome.findings.length} findings`);
        }

        faultsOf([service], load.journal);
        outcome.take(load);
    }
};
