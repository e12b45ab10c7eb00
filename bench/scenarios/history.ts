import type { Context } from '../measure/context';
import { Client } from '../load/client';
import { wrk } from '../load/wrk';
import { median } from '../measure/figures';
import type { Options } from '../measure/options';
import { machineOf, machineWords, print } from '../report/report';
import { number, tableOf } from '../report/table';
import { special } from './fill';
import { warm } from './scale';
import { lackOfRoom, openStore } from './store';
import type { Store } from './store';
import { serve } from './world';
import type { Served } from './world';

/** So few that nothing waits for a core. */
const CONNECTIONS = 2;

/** Changes of the project with a long history, and edits of each element of the one with 20×10 elements. */
const CHANGES = 10_000;
const EDITS = 2;

/** Clients that make them: one for each element, so that no edits are done together. */
const TOGETHER = 8;

/** Differences that `changes` returns. */
const DIFFERENCES = 10;

/** The most that a read may take of what it is compared with, and of itself on the smallest database. */
const FLAT = 1.3;

/** The paths of one read, by the projects that were made for it. */
interface Read {
    title: string;
    paths(made: Made): readonly string[];
    /** the title of the read that it is compared with, and how often as much time it may take */
    to?: readonly [string, number];
}

interface Made {
    /** a project with 10,000 changes */
    long: string;
    /** one with 20 pages of 10 elements, and all its points */
    rich: string;
    points: readonly number[];
    /** other projects of that size */
    others: readonly string[];
    /** a revision since which 10 elements have changed */
    since: number;
}

const reads: readonly Read[] = [
    { title: 'GET a project with 10,000 changes', paths: ({ long }) => [long] },
    { title: 'first page of its history', paths: ({ long }) => [`${long}/history`], to: ['GET a project with 10,000 changes', 2] },
    { title: 'GET pages 20×10, cached', paths: ({ rich }) => [`${rich}/pages`] },
    { title: 'GET pages 20×10, not cached', paths: ({ others }) => others },
    { title: 'any point of that project', paths: ({ rich, points }) => points.map((point) => `${rich}/history/${point}`), to: ['GET pages 20×10, not cached', 3] },
    { title: 'GET that project', paths: ({ rich }) => [rich] },
    { title: `changes with ${DIFFERENCES} differences`, paths: ({ rich, since }) => [`${rich}/changes?since=${since}`], to: ['GET that project', 2] }
];

/** Makes a project with pages and elements by the API. Returns its path and the paths of its elements. */
async function newProject({ service, author }: Served, pages: number, elements: number): Promise<{ path: string; elements: string[] }> {
    const client = new Client(service.base, 1);
    const numbers = (count: number): number[] => Array.from({ length: count }, (_none, n) => n);
    const actions = [
        { type: 'projects', method: 'create', data: { title: 'Made by the bench' } },
        ...numbers(pages).map((x) => ({ type: 'pages', method: 'create', data: { projectId: '$0.id', x, y: 0 } })),
        ...numbers(pages).flatMap((page) => numbers(elements).map((n) => ({
            type: 'elements', method: 'create',
            data: { pageId: `$${page + 1}.id`, type: 'text', attributes: { text: `Some words of element ${n} that a person may have written` }, styles: { left: n, top: 2 * n, color: '#336699' } }
        })))
    ];
    const { body } = await client.call({ method: 'POST', path: `/users/${special.user}/bulk`, headers: author, body: JSON.stringify({ actions }) }, 200);
    client.close();
    const { results = [] }: { results?: { type: string; id: string; page_id?: string }[] } = JSON.parse(body);
    const path = `/users/${special.user}/projects/${results[0]?.id}`;
    return { path, elements: results.filter(({ type }) => type === 'elements').map(({ id, page_id: page }) => `${path}/pages/${page}/elements/${id}`) };
}

/** Edits elements again and again, several clients at once, each with elements of its own. */
async function edit({ service, author }: Served, elements: readonly string[], edits: number): Promise<void> {
    const client = new Client(service.base, TOGETHER);
    let next = 0;
    await Promise.all(Array.from({ length: Math.min(TOGETHER, elements.length) }, async () => {
        while (next < edits) {
            const n = next++;
            await client.call({ method: 'PATCH', path: elements[n % elements.length] ?? '', headers: author, body: JSON.stringify({ attributes: { text: `Edit ${n}` } }) }, 200);
        }
    }));
    client.close();
}

async function pointsOf({ sql }: Served, path: string): Promise<number[]> {
    const { rows } = await sql.query<{ revision: number }>('select revision from project_changes where project_id = $1 order by random()', [path.split('/').at(-1)]);
    return rows.map(({ revision }) => revision);
}

/** Makes what is read, by the API. @throws Error if the history does not have what was done */
async function make(world: Served, log: Context['log']): Promise<Made> {
    const long = await newProject(world, 1, TOGETHER);
    await edit(world, long.elements, CHANGES);
    const rich = await newProject(world, 20, 10);
    await edit(world, rich.elements, EDITS * rich.elements.length);
    const points = await pointsOf(world, rich.path);
    const since = Math.max(...points);
    for (const element of rich.elements.slice(0, DIFFERENCES)) {
        await edit(world, [element], 1);
    }

    const counts = [(await pointsOf(world, long.path)).length, points.length];
    log(`${world.projects} projects: made one with ${counts[0]} changes and one with ${counts[1]}`);
    if (counts[0] !== CHANGES + 1 || counts[1] !== EDITS * rich.elements.length + 1) {
        throw new Error(`the histories have ${counts.join(' and ')} changes`);
    }

    return { long: long.path, rich: rich.path, points: points.slice(0, -1), others: world.subjects.manyProjects, since };
}

async function loaded(world: Served, paths: readonly string[], seconds: number): Promise<number> {
    const load = { base: world.service.base, connections: CONNECTIONS, headers: world.author, requests: paths.map((path) => ({ path })) };
    await wrk(world.processes, world.dir, { ...load, seconds: 1, from: Math.random() / 4 });
    const { p50 } = await wrk(world.processes, world.dir, { ...load, seconds, from: 0.5 + Math.random() / 4 });
    world.service.forget();
    return p50;
}

/** Measures reads of histories, compared with plain reads, on databases of several sizes. */
export async function runHistory(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { rounds, seconds } = options;
    const stores: Store[] = [];
    const worlds: { world: Served; made: Made }[] = [];
    for (const projects of options.sizes) {
        const lack = lackOfRoom(projects);
        if (lack !== undefined) {
            log(`${lack}: skipping this size`);
            continue;
        }

        const store = await openStore(projects, null, log, opened);
        stores.push(store);
        const world = await serve(processes, { dir, store, connections: CONNECTIONS });
        const made = await make(world, log);
        await store.db.raw('vacuum analyze projects, pages, elements, project_changes, versions');
        await warm(store, log);
        worlds.push({ world, made });
    }

    const [first] = worlds;
    if (first === undefined) {
        throw new Error('There is no room for any of the sizes.');
    }

    const machine = await machineOf(first.world.sql);
    // By title, size and round.
    const found = new Map(reads.map(({ title }) => [title, worlds.map((): number[] => [])]));
    for (let round = 0; round < rounds; ++round) {
        for (const at of worlds.map((_world, n) => (n + round) % worlds.length)) {
            for (const { title, paths } of reads) {
                const { world, made } = worlds[at] ?? first;
                found.get(title)?.[at]?.push(await loaded(world, paths(made), seconds));
            }
        }

        log(`round ${round + 1}: ${reads.map(({ title }) => `${title} ${worlds.map((_world, at) => number(found.get(title)?.[at]?.at(-1) ?? null, 2)).join(', ')} ms`).join('; ')}`);
    }

    await Promise.all(worlds.map(({ world }) => world.sql.end()));
    await processes.stopAll();
    await Promise.all(stores.map((store) => store.close()));

    const timesOf = (title: string, at: number): readonly number[] => found.get(title)?.[at] ?? [];
    const ratio = (ours: readonly number[], theirs: readonly number[]): number => median(ours.map((value, round) => value / (theirs[round] ?? NaN)));
    const rows = reads.map(({ title, to }) => {
        const compared = to === undefined ? [] : worlds.map((_world, at) => ratio(timesOf(title, at), timesOf(to[0], at)));
        const grown = worlds.slice(1).map((_world, at) => ratio(timesOf(title, at + 1), timesOf(title, 0)));
        return [
            title, ...worlds.map((_world, at) => number(median(timesOf(title, at)), 3)), compared.map((value) => `${number(value, 2)}×`).join(', '), to === undefined ? '' : `≤ ${to[1]}× ${to[0]}`,
            ...grown.map((value) => `${number(value, 2)}×`), compared.every((value) => value <= (to?.[1] ?? 0)) && grown.every((value) => value <= FLAT) ? 'yes' : 'NO'
        ];
    });
    const sizes = worlds.map(({ world }) => world.projects);
    const table = tableOf(['read, p50 in ms', ...sizes.map(String), 'ratio', 'target', ...sizes.slice(1).map((size) => `${size} : ${sizes[0]} ≤ ${FLAT}`), 'met'], rows);
    process.stdout.write(`\n${table}\n`);
    print(`
## Reading histories

${machineWords(machine)}

The median latency at ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s on one database after another. One project has ${CHANGES} changes. One has 20 pages of 10 elements, ${EDITS * 200} edits of them and all their points, which are read in random order; what was read of a
point is not cached, so it is compared with pages that are not cached either.

${table}
`);
    return true;
}
