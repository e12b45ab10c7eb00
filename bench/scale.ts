import type { Pool } from 'pg';

import { Client } from './client';
import type { Context } from './context';
import { median } from './figures';
import { tags } from './fill';
import type { Options } from './options';
import { machineOf, machineWords, writeJson, writeSection } from './report';
import { lackOfRoom, openStore } from './store';
import { cursorOf, MANY, tagCursors, taggedPath } from './subjects';
import { number, tableOf } from './table';
import { openWorld } from './world';
import type { World } from './world';
import { wrk } from './wrk';

/** Few enough that nothing waits for a core. */
const CONNECTIONS = 2;
const MOST_RATIO = 1.3;

interface Read {
    title: string;
    paths(world: World): Promise<readonly string[]> | readonly string[];
    /** asked one after another so many times, once what was kept of the last one is gone: for what has one path only */
    alone?: number;
}

/** Places in a list of projects, so many of them from a share of the way down on, as paths. */
async function along(sql: Pool, { table, id, path, share, rank = 0 }: { table: string; id: string; path: string; share: number; rank?: number }): Promise<string[]> {
    const { rows } = await sql.query<{ ms: string; id: string }>(`
        select (extract(epoch from created_at) * 1000)::bigint as ms, ${id} as id from ${table}
        order by created_at desc, ${id} desc offset (select floor(count(*) * $1::float8) from ${table}) limit ${MANY}`, [share]);
    return rows.map((row) => `${path}?count=10&after=${cursorOf(row, rank)}`);
}

async function userLists(sql: Pool): Promise<string[]> {
    const { rows } = await sql.query<{ id: string }>(`select id from users order by random() limit ${MANY}`);
    return rows.map(({ id }) => `/users/${id}/projects?count=10`);
}

const featured = { table: 'featured_projects', id: 'project_id' };

const reads: readonly Read[] = [
    { title: 'one project', paths: ({ subjects }) => subjects.projects },
    { title: 'one project by its id alone', paths: ({ subjects }) => subjects.byId },
    { title: 'pages of any project', paths: ({ subjects }) => subjects.projects.map((path) => `${path}/pages`) },
    { title: 'one page with 10 elements', paths: ({ subjects }) => subjects.manyPages },
    { title: 'pages 20×10', paths: ({ subjects }) => subjects.manyProjects },
    { title: 'the remixes of a project', paths: ({ subjects }) => subjects.projects.map((path) => `${path}/remixes`) },
    { title: 'the projects of a user', paths: ({ sql }) => userLists(sql) },
    { title: 'all projects, from near the newest', paths: ({ sql }) => along(sql, { table: 'projects', id: 'id', path: '/projects', share: 0 }) },
    { title: 'all projects, from half-way down', paths: ({ sql }) => along(sql, { table: 'projects', id: 'id', path: '/projects', share: 0.5 }) },
    { title: 'the tag on everything, from near the newest', paths: ({ subjects }) => subjects.nearFirst },
    { title: 'the tag on everything, around page 5,000', paths: ({ subjects }) => subjects.nearDeep },
    { title: 'the tag on everything, from half-way down', paths: async ({ sql, projects }) => (await tagCursors(sql, Math.floor(projects / 2), MANY)).map((cursor) => taggedPath(cursor)) },
    { title: 'a rare tag, first page', paths: () => [`/projects/tagged/${tags.rare}?count=10`], alone: 7 },
    { title: 'featured projects, from half-way down', paths: ({ sql }) => along(sql, { ...featured, path: '/discover', share: 0.5 }) },
    { title: 'featured for Portuguese, from half-way down', paths: ({ sql }) => along(sql, { ...featured, path: '/discover/pt', share: 0.5, rank: 2 }) },
    { title: 'featured tags, nothing kept', paths: () => ['/featured-tags'], alone: 7 }
];

/** p50 in milliseconds of each read, in their order. */
async function latencies(world: World, seconds: number, log: (message: string) => void): Promise<number[]> {
    const found: number[] = [];
    for (const { title, paths, alone } of reads) {
        const list = await paths(world);
        const p50 = alone === undefined ? await loaded(world, list, seconds) : await oneByOne(world, list[0] ?? '/', alone);
        log(`${world.projects} projects: ${title} ${p50.toFixed(2)} ms`);
        found.push(p50);
    }

    return found;
}

async function loaded(world: World, paths: readonly string[], seconds: number): Promise<number> {
    const load = { base: world.service.base, connections: CONNECTIONS, requests: paths.map((path) => ({ path })) };
    await wrk(world.processes, world.dir, { ...load, seconds: Math.max(1, Math.ceil(seconds / 2)), from: Math.random() / 4 });
    const { p50 } = await wrk(world.processes, world.dir, { ...load, seconds, from: 0.5 + Math.random() / 4 });
    world.service.forget();
    return p50;
}

async function oneByOne(world: World, path: string, times: number): Promise<number> {
    const client = new Client(world.service.base, 1);
    const found: number[] = [];
    for (let n = 0; n < times; ++n) {
        await new Promise((resolve) => {
            setTimeout(resolve, 1200);
        });
        found.push((await client.call({ path }, 200)).ms);
    }

    client.close();
    return median(found);
}

/** Measures the reads on databases of several sizes, one after another, against the smallest. */
export async function runScale({ sizes, seconds, rounds, out }: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const measured = new Map<number, number[]>();
    let machine: Awaited<ReturnType<typeof machineOf>> | undefined;
    for (const projects of sizes) {
        const lack = lackOfRoom(projects);
        if (lack !== undefined) {
            log(`${lack}: this size is left out`);
            continue;
        }

        const store = await openStore(projects, null, log, opened);
        const world = await openWorld(processes, { dir, store, connections: CONNECTIONS });
        machine = await machineOf(world.sql);
        const each: number[][] = [];
        for (let round = 0; round < rounds; ++round) {
            each.push(await latencies(world, seconds, log));
        }

        measured.set(projects, reads.map((_, at) => median(each.map((found) => found[at] ?? NaN))));
        await world.sql.end();
        await processes.stopAll();
        await store.close();
    }

    const [[smallest, base] = [0, []]] = measured;
    if (machine === undefined) {
        throw new Error('No size was measured.');
    }

    const columns = [...measured].map(([projects, p50s]) => ({ projects, p50s, ratios: p50s.map((p50, at) => p50 / (base[at] ?? NaN)) }));
    const others = columns.filter(({ projects }) => projects !== smallest);
    const table = tableOf(
        ['read, p50 in ms', ...columns.map(({ projects }) => String(projects)), ...others.map(({ projects }) => `${projects} : ${smallest}`), `≤ ${MOST_RATIO}`],
        reads.map(({ title }, at) => [
            title, ...columns.map(({ p50s }) => number(p50s[at] ?? null, 2)), ...others.map(({ ratios }) => `${number(ratios[at] ?? null, 2)}×`),
            others.every(({ ratios }) => (ratios[at] ?? NaN) <= MOST_RATIO) ? 'yes' : 'NO'
        ]));
    process.stdout.write(`\n${table}\n`);
    log(`written: ${writeJson(out, 'scale', { machine, ...{ seconds, rounds, reads: reads.map(({ title }) => title), columns } })}`);
    writeSection(out, 'scale', `
## As the tables grow

${machineWords(machine)}

The median latency at ${CONNECTIONS} connections, in ${rounds} rounds of ${seconds} s each, one database after another. Each request asks for another
of up to ${MANY} ids or cursors, so that neither the second for which lists are shared nor the bodies that the service keeps answer in the database's
place. What has one path only is asked seven times, each time after what was kept has gone.

${table}
`);
    return true;
}
