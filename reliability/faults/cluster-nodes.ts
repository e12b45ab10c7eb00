import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { wholeAgain } from './cluster-kills';
import { Load } from './load';
import { servedCluster } from './own-database';
import type { Scenario } from './scenario';

/** Milliseconds that Citus may need to remove what a move of a shard has left behind. */
const CLEANED = 60_000;

/** Tells Citus to do something, again and again while it still has to remove what an earlier move has left behind. */
async function cleaned(tell: () => Promise<unknown> | undefined): Promise<void> {
    for (const started = performance.now(); ; await sleep(500)) {
        try {
            await tell();
            return;
        }
        catch (error) {
            if (!String(error).includes('orphaned shard') || performance.now() - started > CLEANED) {
                throw error;
            }
        }
    }
}

/** A worker is emptied and taken out of a cluster under load, and comes back as a new one, to which shards are moved: nothing fails but with 503, and nothing is lost. */
export const clusterNodes: Scenario = {
    name: 'citus-nodes',
    title: 'A node of a cluster of Citus emptied and removed, and a new one added, under load',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const served = await servedCluster({ defer }, outcome);
        if (served === undefined) {
            return;
        }

        const { database, services } = served;
        const load = await Load.open({ targets: services, dice: dice.split(), over: (name, since) => database.over(name, false, since) });
        const [coordinator, ...workers] = database.nodes;

        let checked;
        for (let round = 1; round <= rounds && load.journal.findings.length === 0; ++round) {
            const node = dice.pick(workers);
            await load.during(async () => {
                const step = async (what: string, ...commands: string[]): Promise<void> => {
                    const started = performance.now();
                    for (const sql of commands) {
                        await cleaned(() => coordinator?.ask(sql));
                    }

                    log(`${node?.name}: ${what} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
                };

                await step('emptied and removed', `select citus_drain_node(${node?.address}, 'block_writes')`, 'call citus_cleanup_orphaned_resources()', `select citus_remove_node(${node?.address})`);
                await node?.renew();
                await step('added', `select citus_add_node(${node?.address})`);
                await step('got shards', `select citus_rebalance_start(shard_transfer_mode => 'block_writes')`, 'select citus_rebalance_wait()');
                await Promise.all(services.map(wholeAgain));
            });
            await database.settled();
            const [moved] = await coordinator?.ask(`select count(*)::int as shards from citus_shards where (nodename, nodeport) = (${node?.address})`) ?? [];
            if (moved?.shards === 0) {
                outcome.findings.push(`no shard was moved to ${node?.name}`);
            }

            checked = await check(load, database.db);
            log(outcome.endRound(round, load, services));
        }

        if (checked !== undefined) {
            outcome.take(load, checked);
        }
    }
};
