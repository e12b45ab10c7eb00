import { setTimeout as sleep } from 'node:timers/promises';

import type { Context } from '../measure/context';
import { Client } from '../load/client';
import { openStreams } from '../load/streams';
import { wrk } from '../load/wrk';
import { cpuOf, cpuOfFamily, memoryOf } from '../measure/accounting';
import { median, percentile } from '../measure/figures';
import type { Fact } from '../measure/figures';
import type { Options } from '../measure/options';
import { machineOf, machineWords, print } from '../report/report';
import { factTable, number } from '../report/table';
import { lackOfRoom, openStore } from './store';
import { serve } from './world';
import type { Served } from './world';

/** Streams on one process that are told of nothing, and streams of one project on each of two processes. */
const IDLE = 5000;
const WATCHERS = 500;

/** Changes of that project, and milliseconds between two of them at most. */
const CHANGES = 40;
const PAUSE = 400;

/** Milliseconds of rest after streams were opened or closed; and how long a change may take before it counts as lost. */
const REST = 3000;
const LOST = 5000;

/** Measures what event streams cost, and how fast they are told. */
export async function runLive(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { projects, rounds, seconds, connections, url } = options;
    const lack = url === null ? lackOfRoom(projects) : undefined;
    if (lack !== undefined) {
        throw new Error(`${lack}.`);
    }

    const store = await openStore(projects, url, log, opened);
    const world = await serve(processes, { dir, store, connections });
    const other = await processes.service('other', store.url);
    const facts = [...await idleFacts(world, rounds, seconds, log), ...await latencyFacts(world, other.base, log)];
    process.stdout.write(`\n${factTable(facts)}\n`);
    const machine = await machineOf(world.sql);
    await world.sql.end();
    await processes.stop(other.child);
    await processes.stop(world.service.child);
    await store.close();
    print(`
## Event streams

${machineWords(machine)}

${projects} projects. ${IDLE} streams of ${IDLE} projects on one process: ${rounds} rounds, in each of which reads of one project at ${connections} connections run for ${seconds} s before, beside and after them. Then ${CHANGES} changes of a project
that ${WATCHERS} streams on each of two processes watch; times count from when the request is sent.

${factTable(facts)}
`);
    return facts.every(({ met }) => met);
}

/** The rate of reads and the memory of the service, without streams and with idle ones in turn. */
async function idleFacts(world: Served, rounds: number, seconds: number, log: Context['log']): Promise<Fact[]> {
    const { processes, dir, service, subjects, connections, postmaster } = world;
    const reads = async (): Promise<number> => {
        const { perSecond } = await wrk(processes, dir, { base: service.base, connections, seconds, requests: subjects.projects.map((path) => ({ path })) });
        service.forget();
        return perSecond;
    };

    const ratios: number[] = [];
    const memory: number[] = [];
    const cpu: number[] = [];
    const pgCpu: number[] = [];
    await reads();
    for (let round = 0; round < rounds; ++round) {
        await sleep(REST);
        const without = await reads();
        await sleep(REST);
        const before = memoryOf(service.pid).now;
        const streams = await openStreams(service.base, subjects.projects.slice(0, IDLE));
        await sleep(REST);
        const [began, used, pgUsed] = [performance.now(), cpuOf(service.pid), postmaster === null ? 0 : cpuOfFamily(postmaster)];
        await sleep(5 * REST);
        const took = (performance.now() - began) * 1000;
        cpu.push((cpuOf(service.pid) - used) / took);
        pgCpu.push(postmaster === null ? NaN : (cpuOfFamily(postmaster) - pgUsed) / took);
        memory.push(memoryOf(service.pid).now - before);
        const beside = await reads();
        if (streams.lost() > 0) {
            throw new Error(`${streams.lost()} streams were lost`);
        }

        streams.close();
        await sleep(REST);
        const after = await reads();
        ratios.push(2 * beside / (without + after));
        log(`round ${round + 1}: reads ${number(without, 0)}, with streams ${number(beside, 0)}, after them ${number(after, 0)} a second; ${number(memory.at(-1) ?? NaN, 0)} MiB`);
    }

    return [
        { title: `reads beside ${IDLE} idle streams of ${IDLE} projects, of those without`, value: number(median(ratios), 2), target: '≥ 0.9', met: median(ratios) >= 0.9 },
        { title: 'memory that the streams take', value: `${number(Math.max(...memory), 0)} MiB`, target: '≤ 200 MiB', met: Math.max(...memory) <= 200 },
        { title: 'cores that the streams take while nothing happens, of the service', value: number(median(cpu), 3), target: '≤ 0.1', met: median(cpu) <= 0.1 },
        { title: 'the same of PostgreSQL', value: number(median(pgCpu), 3), target: '≤ 0.1', met: median(pgCpu) <= 0.1 }
    ];
}

/** How long a change takes to reach every stream, from when its request is sent. */
async function latencyFacts({ service, subjects, author }: Served, other: string, log: Context['log']): Promise<Fact[]> {
    const [element = ''] = subjects.elements;
    const project = element.slice(0, element.indexOf('/pages/'));
    const client = new Client(service.base, 1);
    let began = 0;
    const own: number[] = [];
    const others: number[] = [];
    const watchers = Array.from({ length: WATCHERS }, () => project);
    const streams = [
        await openStreams(service.base, watchers, () => own.push(performance.now() - began)),
        await openStreams(other, watchers, () => others.push(performance.now() - began))
    ];
    await sleep(REST);
    for (let n = 1; n <= CHANGES; ++n) {
        await sleep(Math.random() * PAUSE);
        began = performance.now();
        await client.call({ method: 'PATCH', path: element, headers: author, body: JSON.stringify({ attributes: { text: `Change ${n}` } }) }, 200);
        while (own.length + others.length < 2 * WATCHERS * n) {
            if (performance.now() - began > LOST) {
                throw new Error(`change ${n} did not reach ${2 * WATCHERS * n - own.length - others.length} streams`);
            }

            await sleep(5);
        }
    }

    streams.forEach((each) => each.close());
    client.close();
    log(`${CHANGES} changes reached ${2 * WATCHERS} streams`);
    const fact = (title: string, times: readonly number[], most: number): Fact => ({
        title, value: `${number(percentile(times, 50), 0)} / ${number(percentile(times, 99), 0)} / ${number(Math.max(...times), 0)} ms`, target: `p99 ≤ ${most} ms`, met: percentile(times, 99) <= most
    });
    return [
        fact(`a change to ${WATCHERS} streams of the instance that wrote it: p50 / p99 / longest`, own, 100),
        fact(`the same to ${WATCHERS} streams of another instance`, others, 1000),
        fact('both together', [...own, ...others], 1000)
    ];
}
