import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { openDatabase } from '../../src/database/statements/connection';
import { startEmbedded } from '../../src/database/embedded';
import type { Context } from '../measure/context';
import { Client } from '../load/client';
import { median } from '../measure/figures';
import type { Options } from '../measure/options';
import { machineOf, machineWords, print } from '../report/report';
import { number, tableOf } from '../report/table';
import { special } from './fill';
import { creationsIn, ROWS } from './sets';
import { folderOf, openStore, tidy } from './store';
import type { Store } from './store';
import { accounted, serve, underLoad } from './world';
import type { LoadedSample, Served } from './world';

/** Calls of a kind in a round. */
const CALLS = 10;

interface Measured {
    /** requests a second, or the time of a call in milliseconds */
    value: number;
    /** CPU of the service and of PostgreSQL together for a request, in microseconds: it depends less on what else the machine does */
    cpu: number;
}

/** What each build does. */
interface Kind {
    name: string;
    title: string;
    /** of the ratio of this build to the one before; `least` where more is better */
    goal: { least: number } | { most: number };
    run(world: Served, seconds: number): Promise<Measured>;
}

const rateOf = ({ perSecond, cpu, pgCpu }: LoadedSample): Measured => ({ value: perSecond, cpu: (cpu ?? NaN) + (pgCpu ?? NaN) });

const rate = (name: string, title: string, least: number, paths: (world: Served) => readonly string[]): Kind => ({
    name, title, goal: { least },
    run: async (world, seconds) => rateOf(await underLoad(world, world.service, seconds, { requests: paths(world).map((path) => ({ path })), bytes: { least: 200 } }))
});

/** The median time of calls, each with its own body or path, which is prepared before. */
const timed = (name: string, title: string, most: number, status: number, prepare: (client: Client, world: Served) => Promise<() => Promise<{ path: string; body?: string }>>): Kind => ({
    name, title, goal: { most },
    async run(world) {
        const client = new Client(world.service.base, 1);
        const next = await prepare(client, world);
        const times: number[] = [];
        let spent = 0;
        for (let n = 0; n < CALLS; ++n) {
            const { path, body } = await next();
            const { ms, cpu, pgCpu } = await accounted(world, world.service, async () => {
                return { ...await client.call({ method: 'POST', path, headers: world.author, body }, status), requests: 1 };
            });
            times.push(ms);
            spent += cpu + (pgCpu ?? NaN);
        }

        client.close();
        return { value: median(times), cpu: spent / CALLS };
    }
});

const bulkPath = `/users/${special.user}/bulk`;

/** A new page, by the API: both builds store it in their own way. */
async function newPage(client: Client, { author }: Served): Promise<string> {
    const { body } = await client.call({ method: 'POST', path: `/users/${special.user}/projects`, headers: author, body: JSON.stringify({ title: 'Made by the bench' }) }, 201);
    const { page }: { page?: { id?: string } } = JSON.parse(body);
    return page?.id ?? '';
}

async function filledPage(client: Client, world: Served): Promise<string[]> {
    const body = creationsIn(await newPage(client, world));
    const answer = await client.call({ method: 'POST', path: bulkPath, headers: world.author, body }, 200);
    const { results = [] }: { results?: { id: string }[] } = JSON.parse(answer.body);
    return results.map(({ id }) => id);
}

let edits = 0;

const kinds: readonly Kind[] = [
    rate('project', 'GET one project', 1, ({ subjects }) => subjects.projects),
    rate('project-stats', 'GET one project by its id alone', 1, ({ subjects }) => subjects.byId),
    rate('list', 'a list of projects, not cached', 1, ({ subjects }) => subjects.nearFirst),
    rate('discover', 'GET /discover, cached for a second', 1, () => ['/discover?count=10']),
    rate('page', 'GET one page with 10 elements', 1, ({ subjects }) => subjects.pages),
    rate('element', 'GET one element', 1, ({ subjects }) => subjects.elements),
    rate('page-cold', 'GET one page with 10 elements, not cached', 1, ({ subjects }) => subjects.manyPages),
    rate('pages', 'GET pages 20×10', 1, ({ subjects }) => [subjects.project]),
    {
        name: 'patch', title: 'PATCH one element', goal: { least: 0.85 },
        run: async (world, seconds) => {
            const requests = world.subjects.elements.map((path) => ({ path, body: JSON.stringify({ attributes: { text: `Edit ${++edits}` } }) }));
            return rateOf(await underLoad(world, world.service, seconds, { method: 'PATCH', headers: { ...world.author, 'content-type': 'application/json' }, requests }));
        }
    },
    timed('bulk', `bulk of ${ROWS} creations`, 1.15, 200, (client, world) => Promise.resolve(async () => ({ path: bulkPath, body: creationsIn(await newPage(client, world)) }))),
    timed('updates', `bulk of ${ROWS} updates`, 1.5, 200, async (client, world) => {
        const ids = await filledPage(client, world);
        return () => Promise.resolve({ path: bulkPath, body: JSON.stringify({ actions: ids.map((id) => ({ type: 'elements', method: 'update', data: { id, attributes: { text: `Edit ${++edits}` } } })) }) });
    }),
    timed('remix', 'remix of 100×50', 1, 201, () => Promise.resolve(() => Promise.resolve({ path: `/users/${special.user}/projects/${special.large}/remixes` })))
];

/** Opens the database that the bench of another checkout has filled. */
async function openOther(checkout: string, projects: number, { log, opened }: Context): Promise<Store> {
    const dir = join(checkout, folderOf(projects));
    if (!existsSync(dir)) {
        throw new Error(`${dir} is missing: run "npm run bench -- --projects ${projects} --rounds 1 --seconds 1 --only project" in ${checkout} first.`);
    }

    const embedded = await startEmbedded({ dir, log });
    opened(embedded);
    const db = openDatabase({ url: embedded.url, pool: 2 });
    return {
        url: embedded.url, projects, db,
        close: async () => {
            await db.destroy();
            await embedded.stop();
        },
        abandon: () => embedded.stopNow()
    };
}

/** Compares this build with that of another checkout, each on a database of its own, in turn within each round. */
export async function runBefore(options: Options, context: Context): Promise<boolean> {
    const { projects, rounds, seconds, connections, only } = options;
    const before = options.before ?? '.';
    const { dir, processes, opened, log } = context;
    const stores = [await openOther(before, projects, context), await openStore(projects, null, log, opened)];
    const worlds: Served[] = [];
    for (const [n, store] of stores.entries()) {
        worlds.push(await serve(processes, { dir, store, connections, ...n === 0 && { program: join(before, 'dist/src/operations/main.js') } }));
    }

    const chosen = kinds.filter(({ name }) => only.length === 0 || only.includes(name));
    const found = new Map<string, [Measured[], Measured[]]>(chosen.map(({ name }) => [name, [[], []]]));
    // The first round warms up.
    for (let round = 0; round <= rounds; ++round) {
        for (const { name, run } of chosen) {
            for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
                const world = worlds[at];
                if (world !== undefined) {
                    const measured = await run(world, round === 0 ? 1 : seconds);
                    found.get(name)?.[at]?.push(...round === 0 ? [] : [measured]);
                }
            }

            const [theirs, ours] = found.get(name) ?? [[], []];
            log(`round ${round}: ${name} ${number(theirs.at(-1)?.value ?? null)} before, ${number(ours.at(-1)?.value ?? null)} now`);
        }

        for (const { db } of stores.slice(1)) {
            await tidy(db, projects);
        }

        await stores[0]?.db.raw('delete from projects where id > ?', [projects]);
        await stores[0]?.db.raw('vacuum analyze projects, pages, elements, project_stats');
    }

    const machine = worlds[1] && await machineOf(worlds[1].sql);
    await Promise.all(worlds.map(({ sql }) => sql.end()));
    await processes.stopAll();
    await Promise.all(stores.map((store) => store.close()));

    const rows = chosen.map(({ name, title, goal }) => {
        const [theirs, ours] = found.get(name) ?? [[], []];
        const ratiosOf = (figure: keyof Measured): number[] => ours.map((measured, n) => measured[figure] / (theirs[n]?.[figure] ?? NaN));
        const valuesOf = (measured: readonly Measured[]): number => median(measured.map(({ value }) => value));
        const ratios = ratiosOf('value');
        const ratio = median(ratios);
        const isRate = 'least' in goal;
        const unit = isRate ? '/s' : ' ms';
        return [
            title, `${number(valuesOf(theirs))}${unit}`, `${number(valuesOf(ours))}${unit}`, number(ratio, 2), `${number(Math.min(...ratios), 2)} to ${number(Math.max(...ratios), 2)}`, number(median(ratiosOf('cpu')), 2),
            isRate ? `≥ ${goal.least}` : `≤ ${goal.most}`, (isRate ? ratio >= goal.least : ratio <= goal.most) ? 'yes' : 'NO'
        ];
    });
    const table = tableOf(['request', 'before', 'now', 'ratio', 'lowest and highest', 'CPU', 'target', 'met'], rows);
    process.stdout.write(`\n${table}\n`);
    if (machine !== undefined && only.length === 0) {
        print(`
## Compared with the build before the history

${machineWords(machine)}

\`--before\` with the build of \`8e0200c\`, the last one without history. ${projects} projects in a database of each build, ${connections} connections, ${rounds} rounds of ${seconds} s; in each round one build after the other does the same, in
alternating order. The times of bulks and remixes are medians of ${CALLS} calls in each round. The ratio is the median of the rounds; that of the CPU, of the service and PostgreSQL
together for a request, depends less on what else the machine does.

${table}
`);
    }

    return true;
}
