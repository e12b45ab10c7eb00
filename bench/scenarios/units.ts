import type { Pool } from 'pg';

import type { Context } from '../measure/context';
import { Client } from '../load/client';
import type { Call } from '../load/client';
import { median } from '../measure/figures';
import type { Options } from '../measure/options';
import { machineOf, machineWords, print } from '../report/report';
import { number, tableOf } from '../report/table';
import { special } from './fill';
import { sha256, sound } from './uploads';
import { openStore, tidy } from './store';
import { accounted, serve } from './world';
import type { Served } from './world';

/** Clients that make each unit of work. */
const CLIENTS = 16;

/** Units in a round, if one is small: so many that a page of a table more or less says little. */
const UNITS = 1000;

const ASSET_BYTES = 10 * 1024;

/** Paths to work on. */
interface Places {
    /** the pages of projects of 20×10, of which there are more than the service keeps */
    manyProjects: readonly string[];
    /** one element of each of a thousand new projects */
    elements: readonly string[];
}

interface Unit {
    title: string;
    status: number;
    count: number;
    call(places: Places, n: number): Call;
    /** reads add nothing */
    adds: boolean;
    /** clients at once; 16 if it is left out */
    clients?: number;
    /** without a token */
    anybody?: boolean;
}

const user = `/users/${special.user}`;
let round = 0;
const json = (body: object): string => JSON.stringify(body);
const at = (paths: readonly string[], n: number): string => paths[n % paths.length] ?? '';
const words = (n: number): string => `Some words of element ${n} that a person may have written`;

const units: readonly Unit[] = [
    { title: 'GET one project', status: 200, count: 4 * UNITS, adds: false, call: () => ({ path: `${user}/projects/${special.pages}` }) },
    { title: 'GET pages 20×10, cached', status: 200, count: 2 * UNITS, adds: false, call: () => ({ path: `${user}/projects/${special.pages}/pages` }) },
    { title: 'GET pages 20×10, not cached', status: 200, count: UNITS / 2, adds: false, call: ({ manyProjects }, n) => ({ path: at(manyProjects, n) }) },
    { title: 'a project with its first page', status: 201, count: UNITS, adds: true, call: (_places, n) => ({ method: 'POST', path: `${user}/projects`, body: json({ title: `Project ${n} of the bench #all` }) }) },
    { title: 'a page', status: 201, count: UNITS, adds: true, call: ({ elements }, n) => ({ method: 'POST', path: at(elements, n).split('/').slice(0, -3).join('/'), body: json({ x: 1 + Math.floor(n / elements.length), y: 1 + round }) }) },
    {
        title: 'an element with 60 letters of text and three styles', status: 201, count: UNITS, adds: true,
        call: ({ elements }, n) => ({ method: 'POST', path: at(elements, n).split('/').slice(0, -1).join('/'), body: json({ type: 'text', attributes: { text: words(n) }, styles: { left: n % 300, top: n % 500, color: '#336699' } }) })
    },
    {
        title: 'an edit of such an element', status: 200, count: 2 * UNITS, adds: true,
        call: ({ elements }, n) => ({ method: 'PATCH', path: at(elements, n), body: json({ attributes: { text: `${words(n)}, edited in round ${round}` } }) })
    },
    { title: 'a first view by somebody', status: 200, count: 2 * UNITS, adds: true, anybody: true, call: (_places, n) => ({ method: 'POST', path: `/view-project/${1 + n % UNITS}`, headers: { 'user-agent': `unit ${round} ${n}` } }) },
    { title: 'a remix of 20×10', status: 201, count: 100, adds: true, call: () => ({ method: 'POST', path: `${user}/projects/${special.pages}/remixes` }) },
    {
        title: `an asset of ${ASSET_BYTES / 1024} KiB, without its file`, status: 201, count: UNITS, adds: true, clients: 2,
        call: () => {
            const body = sound(ASSET_BYTES);
            return { method: 'PUT', path: `${user}/assets/${sha256(body)}`, headers: { 'content-type': 'audio/wav' }, body };
        }
    }
];

/** Makes a thousand projects with a page and an element, which are deleted after the run. */
async function newPlaces({ service, author, subjects: { manyProjects } }: Served): Promise<Places> {
    const client = new Client(service.base, 1);
    const elements: string[] = [];
    for (let bulk = 0; bulk < UNITS / 250; ++bulk) {
        const actions = Array.from({ length: 250 }, (_none, n) => [
            { type: 'projects', method: 'create', data: { title: 'A place for the bench' } },
            { type: 'pages', method: 'create', data: { projectId: `$${3 * n}.id`, x: 0, y: 0 } },
            { type: 'elements', method: 'create', data: { pageId: `$${3 * n + 1}.id`, type: 'text', attributes: { text: words(n) }, styles: { left: n, top: n, color: '#336699' } } }
        ]).flat();
        const { body } = await client.call({ method: 'POST', path: `${user}/bulk`, headers: author, body: json({ actions }) }, 200);
        const { results = [] }: { results?: { id: string }[] } = JSON.parse(body);
        const [projects, pages, made] = [0, 1, 2].map((kind) => results.filter((_result, n) => n % 3 === kind).map(({ id }) => id));
        elements.push(...(made ?? []).map((id, n) => `${user}/projects/${projects?.[n]}/pages/${pages?.[n]}/elements/${id}`));
    }

    client.close();
    return { manyProjects, elements };
}

interface Sizes {
    wal: number;
    tables: number;
    indexes: number;
}

async function sizesOf(sql: Pool): Promise<Sizes> {
    const { rows: [row] } = await sql.query<Record<keyof Sizes, string>>(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
        sum(pg_table_size(c.oid)) as tables, sum(pg_indexes_size(c.oid)) as indexes from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
    return { wal: Number(row?.wal), tables: Number(row?.tables), indexes: Number(row?.indexes) };
}

interface Cost extends Sizes {
    cpu: number;
    pgCpu: number;
}

async function costOf(world: Served, places: Places, { call, count, status, clients = CLIENTS, anybody = false }: Unit): Promise<Cost> {
    const client = new Client(world.service.base, clients);
    const before = await sizesOf(world.sql);
    const { cpu, pgCpu } = await accounted(world, world.service, async () => {
        let next = 0;
        await Promise.all(Array.from({ length: clients }, async () => {
            while (next < count) {
                const asked = call(places, next++);
                await client.call({ ...asked, headers: { ...!anybody && world.author, ...asked.headers } }, status);
            }
        }));
        return { requests: count };
    });
    const after = await sizesOf(world.sql);
    client.close();
    const each = (size: keyof Sizes): number => (after[size] - before[size]) / count;
    return { cpu, pgCpu: pgCpu ?? NaN, wal: each('wal'), tables: each('tables'), indexes: each('indexes') };
}

/** Measures what each unit of work costs, for docs/scaling.md. */
export async function runUnits(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { projects, rounds, url } = options;
    const store = await openStore(projects, url, log, opened);
    const found = new Map<string, Cost[]>(units.map(({ title }) => [title, []]));
    const world = await serve(processes, { dir, store, connections: CLIENTS, settings: { DATA_DIR: dir, ASSET_QUOTA_MIB: '4000' } });
    const machine = await machineOf(world.sql);
    const places = await newPlaces(world);
    for (round = 0; round < rounds; ++round) {
        for (const unit of units) {
            // A checkpoint would begin by itself at some time, after which each page is written to the log whole once.
            await store.db.raw('checkpoint').catch(() => undefined);
            const cost = await costOf(world, places, unit);
            found.get(unit.title)?.push(cost);
            log(`round ${round + 1}: ${unit.title} ${number(cost.cpu + cost.pgCpu, 0)} µs, ${number(cost.wal, 0)} bytes of WAL`);
        }
    }

    await world.sql.end();
    await processes.stopAll();
    await tidy(store.db, projects);
    await store.db.raw('delete from sent_assets; delete from asset_uses; delete from asset_set_uses; delete from assets');
    await store.close();
    const table = tableOf(['unit of work', 'CPU µs of the service', 'of PostgreSQL', 'bytes of WAL', 'of tables', 'of indexes'], units.map(({ title, adds }) => {
        const costs = found.get(title) ?? [];
        const of = (figure: keyof Cost): string => number(median(costs.map((cost) => cost[figure])), 0);
        return [title, of('cpu'), of('pgCpu'), ...adds ? [of('wal'), of('tables'), of('indexes')] : ['', '', '']];
    }));
    process.stdout.write(`\n${table}\n`);
    print(`
## What a unit of work costs

${machineWords(machine)}

${rounds} rounds on ${projects} projects, ${CLIENTS} clients, two for uploads, one request for each unit; medians. A checkpoint precedes each kind, so WAL has the pages that are written whole after it. Bytes are the growth of all tables and indexes, with history, lists and counters.

${table}
`);
    return true;
}
