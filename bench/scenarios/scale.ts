import type { Pool } from 'pg';

import type { Context } from '../measure/context';
import { median } from '../measure/figures';
import { tags } from './fill';
import type { Options } from '../measure/options';
import { machineOf, machineWords, writeJson, print } from '../report/report';
import { lackOfRoom, openStore } from './store';
import type { Store } from './store';
import { cursorOf, MANY, tagCursors, taggedPath } from './subjects';
import { number, tableOf } from '../report/table';
import { serve } from './world';
import type { Served } from './world';
import { wrk } from '../load/wrk';

/** So few that nothing waits for a core. */
const CONNECTIONS = 2;
const MAX_RATIO = 1.3;

interface Read {
    title: string;
    paths(world: Served): Promise<readonly string[]> | readonly string[];
}

/** Paths of pages of a list of projects, starting at a given share of its length. */
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

/** Paths of things in random projects. */
async function anywhere({ sql, projects }: Served, path: (chain: { user: string; project: string; page: string; element: string }) => string): Promise<string[]> {
    const { rows } = await sql.query<{ user: string; project: string; page: string; element: string }>(`
        select distinct on (p.id) p.user_id as user, p.id as project, g.id as page, e.id as element
        from (select 1 + floor(random() * $1)::bigint as id from generate_series(1, ${MANY})) r
        join projects p using (id) join pages g on g.project_id = p.id join elements e on e.page_id = g.id`, [projects]);
    return rows.map(path).sort(() => Math.random() - 0.5);
}

const pageOf = ({ user, project, page }: { user: string; project: string; page: string }): string => `/users/${user}/projects/${project}/pages/${page}`;

const featured = { table: 'featured_projects', id: 'project_id' };

const reads: readonly Read[] = [
    { title: 'one project', paths: ({ subjects }) => subjects.projects },
    { title: 'one project by its id alone', paths: ({ subjects }) => subjects.byId },
    { title: 'pages of any project', paths: ({ subjects }) => subjects.projects.map((path) => `${path}/pages`) },
    { title: 'one element', paths: (world) => anywhere(world, (chain) => `${pageOf(chain)}/elements/${chain.element}`) },
    { title: 'the elements of a page', paths: (world) => anywhere(world, (chain) => `${pageOf(chain)}/elements`) },
    { title: 'one page with 10 elements', paths: ({ subjects }) => subjects.manyPages },
    { title: 'pages 20×10', paths: ({ subjects }) => subjects.manyProjects },
    { title: 'the remixes of a project', paths: ({ subjects }) => subjects.projects.map((path) => `${path}/remixes`) },
    { title: 'the projects of a user', paths: ({ sql }) => userLists(sql) },
    { title: 'all projects, from near the newest', paths: ({ sql }) => along(sql, { table: 'projects', id: 'id', path: '/projects', share: 0 }) },
    { title: 'all projects, from half-way down', paths: ({ sql }) => along(sql, { table: 'projects', id: 'id', path: '/projects', share: 0.5 }) },
    { title: 'the tag on everything, from near the newest', paths: ({ subjects }) => subjects.nearFirst },
    { title: 'the tag on everything, around page 5,000', paths: ({ subjects }) => subjects.nearDeep },
    { title: 'the tag on everything, from half-way down', paths: async ({ sql, projects }) => (await tagCursors(sql, Math.floor(projects / 2), MANY)).map((cursor) => taggedPath(cursor)) },
    { title: 'a rare tag, first page', paths: () => [`/projects/tagged/${tags.rare}?count=10`] },
    { title: 'featured projects, from half-way down', paths: ({ sql }) => along(sql, { ...featured, path: '/discover', share: 0.5 }) },
    { title: 'featured for Portuguese, from half-way down', paths: ({ sql }) => along(sql, { ...featured, path: '/discover/pt', share: 0.5, rank: 2 }) },
    { title: 'featured tags', paths: () => ['/featured-tags'] }
];

async function loaded(world: Served, paths: readonly string[], seconds: number): Promise<number> {
    const load = { base: world.service.base, connections: CONNECTIONS, requests: paths.map((path) => ({ path })) };
    await wrk(world.processes, world.dir, { ...load, seconds: 1, from: Math.random() / 4 });
    const { p50 } = await wrk(world.processes, world.dir, { ...load, seconds, from: 0.5 + Math.random() / 4 });
    world.service.forget();
    return p50;
}

interface Size {
    projects: number;
    /** for each read, the median of all rounds */
    p50s: number[];
    /** for each read, the median ratio to the smallest size in the same round */
    ratios: number[];
}

/** Runs each read on one database after another, so that a ratio compares measurements of the same minute. */
async function measure(worlds: readonly Served[], { rounds, seconds }: Options, log: (message: string) => void): Promise<Size[]> {
    const sizes = worlds.map(({ projects }): Size => ({ projects, p50s: [], ratios: [] }));
    for (const { title, paths } of reads) {
        const lists = await Promise.all(worlds.map((world) => paths(world)));
        const found: number[][] = worlds.map(() => []);
        for (let round = 0; round < rounds; ++round) {
            for (const at of worlds.map((_world, n) => (n + round) % worlds.length)) {
                const [world, list] = [worlds[at], lists[at]];
                if (world !== undefined && list !== undefined) {
                    found[at]?.push(await loaded(world, list, seconds));
                }
            }
        }

        sizes.forEach(({ p50s, ratios }, at) => {
            p50s.push(median(found[at] ?? []));
            ratios.push(median((found[at] ?? []).map((p50, round) => p50 / (found[0]?.[round] ?? NaN))));
        });
        log(`${title}: ${sizes.map(({ p50s }) => `${p50s.at(-1)?.toFixed(3)} ms`).join(', ')}`);
    }

    return sizes;
}

/** Reads all tables and indexes into memory first, as in a service in use: the bench does not measure the disk. */
export async function warm({ db, projects }: Store, log: (message: string) => void): Promise<void> {
    await db.raw('create extension if not exists pg_prewarm');
    await db.raw(`select pg_prewarm(oid::regclass) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`);
    log(`read all of ${projects} projects into memory`);
}

/** Measures the reads on databases of several sizes, compared with the smallest. */
export async function runScale(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { seconds, rounds, out } = options;
    const stores: Store[] = [];
    const worlds: Served[] = [];
    for (const projects of options.sizes) {
        const lack = lackOfRoom(projects);
        if (lack !== undefined) {
            log(`${lack}: skipping this size`);
            continue;
        }

        const store = await openStore(projects, null, log, opened);
        stores.push(store);
        await warm(store, log);
        worlds.push(await serve(processes, { dir, store, connections: CONNECTIONS, settings: { LIST_MAX_AGE: '0' } }));
    }

    const [first] = worlds;
    if (first === undefined) {
        throw new Error('There is no room for any of the sizes.');
    }

    const machine = await machineOf(first.sql);
    const sizes = await measure(worlds, options, log);
    await Promise.all(worlds.map(({ sql }) => sql.end()));
    await processes.stopAll();
    await Promise.all(stores.map((store) => store.close()));

    const others = sizes.slice(1);
    const table = tableOf(
        ['read, p50 in ms', ...sizes.map(({ projects }) => String(projects)), ...others.map(({ projects }) => `${projects} : ${first.projects}`), `≤ ${MAX_RATIO}`],
        reads.map(({ title }, at) => [
            title, ...sizes.map(({ p50s }) => number(p50s[at] ?? null, 3)), ...others.map(({ ratios }) => `${number(ratios[at] ?? null, 2)}×`),
            others.every(({ ratios }) => (ratios[at] ?? NaN) <= MAX_RATIO) ? 'yes' : 'NO'
        ]));
    process.stdout.write(`\n${table}\n`);
    log(`written: ${writeJson(out, 'scale', { machine, ...{ seconds, rounds, reads: reads.map(({ title }) => title), sizes } })}`);
    print(`
## As the tables grow

${machineWords(machine)}

The median latency at ${CONNECTIONS} connections: for each read, ${rounds} rounds of ${seconds} s on one database after another; a ratio compares with the smallest database
in the same round. Requests use up to ${MANY} different ids or cursors, and no list is cached (\`LIST_MAX_AGE=0\`), so that each is read from the
tables. Page bodies are cached as usual; there are more pages with 10 elements than fit into the cache.

${table}
`);
    return true;
}
