import { setTimeout as sleep } from 'node:timers/promises';

import { memoryOf } from '../measure/accounting';
import type { Fact, Result } from '../measure/figures';
import { mediansOf } from '../measure/figures';
import type { Context } from '../measure/context';
import type { Options } from '../measure/options';
import { pressure, stalls } from './pressure';
import { checkReads, peers, reads } from './reads';
import { machineOf, publish, writeJson } from '../report/report';
import type { Report } from '../report/report';
import { runRounds } from './rounds';
import { sets } from './sets';
import { lackOfRoom, openStore, tidy } from './store';
import { factTable, number, resultTables } from '../report/table';
import { serve, withPeers } from './world';
import { checkViews, writes } from './writes';

/** Milliseconds for all rounds: no round starts that would end later. */
const MOST = 18 * 60_000;

/** Milliseconds of idling before the memory is read once more: V8 collects what it can in less than two minutes. */
const IDLE = 120_000;
/** Most MiB that the service is to take at its peak, and after `IDLE`. */
const MAX_BUSY = 250;
const MAX_IDLE = 180;

const all = [...peers, ...reads, ...writes, ...sets, ...pressure, ...stalls];

/** Runs all scenarios, prints and writes the results. Returns false if one failed; missing a target is not a failure. */
export async function runThroughput(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const unknown = options.only.filter((name) => all.every((scenario) => scenario.name !== name));
    if (unknown.length > 0) {
        throw new Error(`There is no scenario ${unknown.join(', ')}. The scenarios are: ${all.map(({ name }) => name).join(', ')}`);
    }

    const deadline = performance.now() + MOST;
    const lack = options.url === null ? lackOfRoom(options.projects) : undefined;
    if (lack !== undefined) {
        throw new Error(`${lack}.`);
    }

    const store = await openStore(options.projects, options.url, log, opened);
    const served = await serve(processes, { dir, store, connections: options.connections });
    await checkReads(served);
    const world = await withPeers(served, store.url);
    const chosen = options.only.length === 0 ? all : all.filter(({ name }) => options.only.includes(name));
    const settings = { rounds: options.rounds, seconds: options.seconds, deadline, log, tidy: () => tidy(store.db, store.projects) };
    const { results: most, yardstick, rounds } = await runRounds(world, chosen.filter((scenario) => !stalls.includes(scenario)), settings);
    const facts = [...deepFacts(most, world.subjects.deepPage)];
    if (options.only.length === 0 || options.only.includes('view')) {
        facts.push(await checkViews(world));
    }

    facts.push(memoryFact('at its peak, in all scenarios except those of 10 MiB', memoryOf(world.service.pid).peak, MAX_BUSY));
    const large = chosen.filter((scenario) => stalls.includes(scenario));
    const results = [...most, ...large.length > 0 ? (await runRounds(world, large, settings)).results : []];
    if (large.length > 0) {
        facts.push(memoryFact('at its peak, including those of 10 MiB', memoryOf(world.service.pid).peak, MAX_BUSY));
    }

    if (options.only.length === 0) {
        log('idling for two minutes');
        await sleep(IDLE);
        facts.push(memoryFact('two minutes after the last scenario', memoryOf(world.service.pid).now, MAX_IDLE));
    }

    const { projects, seconds, connections } = options;
    const report: Report = { machine: await machineOf(world.sql), options: { projects, seconds, connections, rounds }, results: [yardstick, ...results], facts };
    await tidy(store.db, store.projects);
    await world.sql.end();
    await processes.stopAll();
    await store.close();

    process.stdout.write(`\n${resultTables(report.results)}\n\n${factTable(facts)}\n`);
    if (rounds < options.rounds) {
        log(`stopped after ${rounds} of ${options.rounds} rounds: out of time`);
    }

    log(`written: ${writeJson(options.out, 'throughput', report)}`);
    if (options.only.length === 0) {
        publish(options.out, report);
    }

    return results.every(({ failure }) => failure === null);
}

const memoryFact = (when: string, measured: number, most: number): Fact => ({
    title: `memory of the service ${when}`, value: `${measured.toFixed(0)} MiB`, target: `≤ ${most} MiB`, met: measured <= most
});

/** How much slower a deep page of a list is than its first page: the median of the ratios of each round. */
function deepFacts(results: readonly Result[], page: number): Fact[] {
    return [['', 'hot'], ['-each', 'not cached']].flatMap(([suffix, words]) => {
        const [first, deep] = ['first', 'deep'].map((end) => results.find(({ name }) => name === `tag-${end}${suffix}`)?.rounds ?? []);
        const ratios = (deep ?? []).map((sample, round) => ({ ...sample, ratio: (sample.p50 ?? NaN) / (first?.[round]?.p50 ?? NaN) }));
        const { ratio } = mediansOf(ratios);
        return ratio === null ? [] : [{
            title: `p50 of page ${page} of the tag's list compared with page 1, ${words}`, value: `${number(ratio, 2)}×`, target: '≤ 1.2×', met: ratio <= 1.2
        }];
    });
}
