import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpuOf, memoryOf } from '../measure/accounting';
import type { Context } from '../measure/context';
import type { Flooded, Kind, Order } from '../load/flood';
import type { Options } from '../measure/options';
import { said } from './paced';
import { machineOf, machineWords, writeJson, print } from '../report/report';
import { lackOfRoom, openStore, tidy } from './store';
import type { Store } from './store';
import { special } from './fill';
import { factTable, number, tableOf } from '../report/table';
import type { Fact } from '../measure/figures';
import { listPath, serve } from './world';
import { startNginx } from '../../reliability/daemons/nginx';
import type { Served } from './world';

/** Rates, as multiples of the capacity. */
const FACTORS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3] as const;

/** Clients of the first step of the search for the capacity. Connections of a load at a fixed rate. */
const CLIENTS = 128;
const CONNECTIONS = 2000;

/** Factor between two steps of that search, and the share of requests that must succeed in time below the capacity. */
const STEP = 1.25;
const ENOUGH = 0.95;

/** Changes in one bulk. */
const CHANGES = 50;

/** Milliseconds of rest for the service after each load, and between two readings of its memory. */
const REST = 1500;
const LOOK = 100;

/** The results at one rate. */
export interface Step extends Flooded {
    factor: number;
    /** peak memory of the service, MiB */
    memory: number;
    /** cores that the load itself used */
    load: number;
}

/** How the service is run: as it is by default, so behind nginx as docs/deploy.md has it, or without a limit on the requests in progress. */
const ways = {
    limit: { shown: 'default limit', title: 'With the default limit', settings: {} },
    nginx: { shown: 'behind nginx', title: 'The same behind nginx, with the configuration of docs/deploy.md', settings: { TRUSTED_PROXIES: '1' } },
    none: { shown: 'no limit', title: 'Without a limit (`MAX_REQUESTS=100000`)', settings: { MAX_REQUESTS: '100000' } }
} as const;

/** The service at all rates. */
interface Curve {
    way: keyof typeof ways;
    /** requests a second */
    capacity: number;
    steps: readonly Step[];
}

/** What is reported: of the rounds of each way, the median one is shown. */
interface Curves {
    all: readonly Curve[];
    shown: readonly Curve[];
}

/** What a curve is called where it is shown. */
const nameOf = ({ way }: Pick<Curve, 'way'>): string => ways[way].shown;

/** A typical mix: people mostly read, some edit, and an editor saves several changes as one bulk. */
function mixOf({ subjects, author }: Served): Kind[] {
    const head = (method: string, path: string, more = ''): string => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${more}`;
    const reads = (share: number, paths: readonly string[]): Kind => ({ share, requests: paths.slice(0, 5000).map((path) => `${head('GET', path)}\r\n`) });
    const write = (method: string, path: string, body: object): string => {
        const text = JSON.stringify(body);
        return `${head(method, path, `Authorization: ${author.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n`)}\r\n${text}`;
    };

    const ids = subjects.elements.map((path) => path.slice(path.lastIndexOf('/') + 1));
    const bulks = Array.from({ length: 100 }, (_, n) => write('POST', `/users/${special.user}/bulk`, {
        actions: ids.slice(n * CHANGES % ids.length).slice(0, CHANGES).map((id) => ({ type: 'elements', method: 'update', data: { id, attributes: { text: `Saved by bulk ${n}` } } }))
    }));
    return [
        reads(40, subjects.projects), reads(15, subjects.pages), reads(15, subjects.manyPages), reads(5, [listPath]),
        { share: 24, requests: subjects.elements.map((path, n) => write('PATCH', path, { attributes: { text: `Edited for the ${n}th time` } })) },
        { share: 1, requests: bulks }
    ];
}

/** @param base the address that gets the requests */
async function order(world: Served, base: string, file: string, given: Order): Promise<Flooded & { load: number; memory: number }> {
    const child = world.processes.script('flood', [join(__dirname, '..', 'load', 'flood.js'), new URL(base).port, file]);
    try {
        await said(child);
        const answer = said(child);
        const cpu = cpuOf(child.pid ?? 0);
        const began = performance.now();
        let memory = 0;
        const watch = setInterval(() => {
            memory = Math.max(memory, memoryOf(world.service.pid).now);
        }, LOOK);
        child.send(given);
        try {
            const flooded = Object(await answer);
            return { ...flooded, memory, load: (cpuOf(child.pid ?? 0) - cpu) / 1000 / (performance.now() - began) };
        }
        finally {
            clearInterval(watch);
        }
    }
    finally {
        await world.processes.stop(child);
        world.service.forget();
        await sleep(REST);
    }
}

/** Requests a second that succeed in time: starts with the rate of clients that each send the next request right after a response, and goes up in steps until some fail. */
async function capacityOf(world: Served, base: string, file: string, seconds: number): Promise<number> {
    await order(world, base, file, { rate: null, connections: CLIENTS, seconds: 3 });
    let { good: rate } = await order(world, base, file, { rate: null, connections: CLIENTS, seconds });
    for (;;) {
        const { due, good, failed } = await order(world, base, file, { rate: rate * STEP, connections: CONNECTIONS, seconds });
        if (good < ENOUGH * due) {
            return Math.max(rate, good);
        }

        if (Object.keys(failed).length > 0) {
            throw new Error(`${number(due, 0)} requests a second did not get the expected responses: ${JSON.stringify(failed)}`);
        }

        rate = good;
    }
}

/** Goodput at the highest rate, as a share of the peak. */
const kept = ({ steps }: Curve): number => Number(steps.at(-1)?.good) / Math.max(...steps.map(({ good }) => good));

/** The round with the median of that; of an even number of rounds, the lower one of the two in the middle. */
function middleOf(curves: readonly Curve[]): Curve {
    const [middle] = [...curves].sort((a, b) => kept(a) - kept(b)).slice((curves.length - 1) / 2);
    if (middle === undefined) {
        throw new Error('no round was run');
    }

    return middle;
}

/** Loads the service at rates below and beyond its capacity, in all ways. */
export async function runOverload(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { projects, rounds, seconds, url } = options;
    const lack = url === null ? lackOfRoom(projects) : undefined;
    if (lack !== undefined) {
        throw new Error(`${lack}.`);
    }

    const store = await openStore(projects, url, log, opened);
    const length = seconds + 2;
    /** All rates, as multiples of the capacity, which is searched for if it is not given. */
    const runCurve = async (way: Curve['way'], known?: number): Promise<Curve> => {
        await tidy(store.db, projects);
        const world = await serve(processes, { dir, store, connections: CLIENTS, settings: ways[way].settings });
        const nginx = way === 'nginx' ? await startNginx([Number(new URL(world.service.base).port)], dir, 1) : undefined;
        try {
            const base = nginx?.url ?? world.service.base;
            const file = join(dir, 'mix.json');
            writeFileSync(file, JSON.stringify(mixOf(world)));
            const capacity = known ?? await capacityOf(world, base, file, length);
            log(`${ways[way].shown}: capacity ${number(capacity, 0)} a second`);
            const steps: Step[] = [];
            for (const factor of FACTORS) {
                const step = { factor, ...await order(world, base, file, { rate: factor * capacity, connections: CONNECTIONS, seconds: length }) };
                log(`${ways[way].shown}, ${factor}×: ${number(step.due, 0)} due, ${number(step.good, 0)} good, p99 ${number(step.p99)} ms, ${JSON.stringify(step.failed)}`);
                steps.push(step);
            }

            return { way, capacity, steps };
        }
        finally {
            await nginx?.end();
            await world.sql.end();
            await processes.stop(world.service.child);
        }
    };

    const limited: Curve[] = [];
    const behind: Curve[] = [];
    while (limited.length < rounds) {
        limited.push(await runCurve('limit'));
        behind.push(await runCurve('nginx'));
    }

    const middle = middleOf(limited);
    const unlimited = await runCurve('none', middle.capacity);
    await report(options, store, { all: [...limited, ...behind, unlimited], shown: [middle, middleOf(behind), unlimited] }, log);
    await store.close();
    return true;
}

async function report({ out, rounds, seconds }: Options, store: Store, { all, shown }: Curves, log: Context['log']): Promise<void> {
    const { db, projects } = store;
    const { Pool } = await import('pg');
    const sql = new Pool({ connectionString: store.url, max: 1 });
    const machine = await machineOf(sql);
    await sql.end();
    await tidy(db, projects);
    const facts = factsOf(all, shown);
    const capacity = shown[0]?.capacity ?? NaN;
    const keptBy = (way: Curve['way']): string => all.filter((curve) => curve.way === way).map((curve) => number(kept(curve), 2)).join(', ');
    const tables = shown.map((curve) => `${ways[curve.way].title}; capacity ${number(curve.capacity, 0)} a second:\n\n${tableOfSteps(curve.steps)}`).join('\n\n');
    process.stdout.write(`\n${tables}\n\n${factTable(facts)}\n`);
    log(`written: ${writeJson(out, 'overload', { machine, ...{ projects, rounds, seconds, capacity, curves: all, facts } })}`);
    print(`
## Beyond the capacity

${machineWords(machine)}

${projects} projects. The mix: 40 % one project of 20,000, 15 % one of 20 pages in the cache, 15 % one of thousands that are not, 5 % \`/discover\`, 24 % edits of one element,
1 % bulks of ${CHANGES} changes. The capacity is ${number(capacity, 0)} requests a second: with a quarter more, fewer than ${ENOUGH * 100} % succeeded in time. Another process sends
requests at fixed rates, for ${seconds + 2} s each of which the first second is left out, over ${CONNECTIONS} connections that are already open. It uses the same cores,
so it takes from what it measures: "load" is how many cores it used, and "behind" how late it sent. Times count from when a request
was due. "good" is success within a second of that; "p50" and "p99" are of all successes, "/health" of a request each 50 ms, with the number of failed ones in brackets. Memory
is the peak of the service (\`VmRSS\`).${rounds > 1 ? `
The capacity was searched for again in each of ${rounds} rounds, because the speed of the machine varies. Goodput at 3×, of the peak: ${keptBy('limit')}, and behind nginx ${keptBy('nginx')}; these are the rounds with the medians.` : ''}

${tables}

${factTable(facts)}
`);
}

function tableOfSteps(steps: readonly Step[]): string {
    const failures = (failed: Step['failed']): string => Object.entries(failed).map(([name, count]) => `${count} ${name}`).join(', ');
    return tableOf(
        ['rate', 'due / s', 'good / s', 'rejected / s', 'too late', 'failed', 'p50 ms', 'p99 ms', 'rejected p99', '/health p99', 'max', 'MiB', 'load', 'behind p99', 'max'],
        steps.map((step) => [
            `${step.factor}×`, number(step.due, 0), number(step.good, 0), number(step.refused, 0), String(step.late), failures(step.failed), number(step.p50), number(step.p99),
            number(step.refusedP99), number(step.health.p99), `${number(step.health.max)} (${step.health.failed})`, number(step.memory, 0),
            number(step.load, 2), number(step.behind.p99), number(step.behind.max)
        ]));
}

function factsOf(all: readonly Curve[], shown: readonly Curve[]): Fact[] {
    const limited = all.filter(({ way }) => way !== 'none').flatMap(({ steps }) => steps);
    const below = Math.max(...limited.filter(({ factor }) => factor < 1).map(({ refused }) => refused));
    const failed = limited.reduce((sum, { health }) => sum + health.failed, 0);
    const asked = limited.reduce((sum, { health }) => sum + health.asked, 0);
    const memory = Math.max(...limited.map((step) => step.memory));
    return [
        ...shown.filter(({ way }) => way !== 'none').map((curve) => (
            { title: `goodput at 3× the capacity, of the peak, ${nameOf(curve)}`, value: number(kept(curve), 2), target: '≥ 0.8', met: kept(curve) >= 0.8 }
        )),
        { title: 'rejected below the capacity, in any round', value: `${number(below, 0)} / s`, target: 'none', met: below === 0 },
        { title: '/health without response or failed, at all rates of all rounds', value: `${failed} of ${asked}`, target: 'none', met: failed === 0 },
        { title: 'peak memory of the service in all rounds', value: `${number(memory, 0)} MiB`, target: '< 512 MiB', met: memory < 512 }
    ];
}
