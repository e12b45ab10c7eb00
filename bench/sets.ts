import type { Pool } from 'pg';

import { Client } from './client';
import { median, sampleOf } from './figures';
import type { Sample } from './figures';
import { special } from './fill';
import type { Scenario } from './scenario';
import { accounted } from './world';
import type { World } from './world';

/** Rows of one bulk, and calls of each kind in a round. */
const ROWS = 1000;
const CALLS = 10;

interface Row {
    type: string;
    attributes: string;
    styles: string;
}

const rows: readonly Row[] = Array.from({ length: ROWS }, (_, n) => ({
    type: 'text',
    attributes: JSON.stringify({ text: `Some words of element ${n} that a person may have written` }),
    styles: JSON.stringify({ left: n, top: 2 * n, color: '#336699' })
}));

/** An empty page of a project of its own. */
export async function newPage(sql: Pool): Promise<string> {
    const { rows: [page] } = await sql.query<{ id: string }>(`
        with p as (insert into projects (user_id, version, title, page_count) values ($1, '1', 'Made by the bench', 1) returning id)
        insert into pages (project_id, x, y) select id, 0, 0 from p returning id`, [special.user]);
    return page?.id ?? '';
}

const literal = (text: string): string => `'${text.replaceAll('\'', '\'\'')}'`;

/** What one would type into psql, in the simple protocol as psql sends it. */
const insertInto = (page: string): string => `insert into elements (page_id, type, attributes, styles) values
    ${rows.map(({ type, attributes, styles }) => `(${page}, ${literal(type)}, ${literal(attributes)}, ${literal(styles)})`).join(',\n')}`;

const creationsIn = (page: string): string => JSON.stringify({
    actions: rows.map(({ type, attributes, styles }) => ({
        type: 'elements', method: 'create', data: { pageId: page, type, attributes: JSON.parse(attributes), styles: JSON.parse(styles) }
    }))
});

async function timed(work: () => Promise<unknown>): Promise<number> {
    const began = performance.now();
    await work();
    return performance.now() - began;
}

/** One call of the service and one bare statement in turn; the ratio is that of their medians. */
async function inTurn(world: World, call: (client: Client) => Promise<number>, bare: () => Promise<number>): Promise<Sample> {
    const client = new Client(world.service.base, 1);
    const [ours, theirs]: [number[], number[]] = [[], []];
    let [cpu, pgCpu] = [0, 0];
    try {
        for (let n = 0; n < CALLS; ++n) {
            theirs.push(await bare());
            const done = await accounted(world, world.service, async () => ({ requests: 1, ms: await call(client) }));
            ours.push(done.ms);
            cpu += done.cpu / CALLS;
            pgCpu += (done.pgCpu ?? NaN) / CALLS;
        }
    }
    finally {
        client.close();
    }

    return { ...sampleOf(ours), ratio: median(ours) / median(theirs), cpu, pgCpu: Number.isNaN(pgCpu) ? null : pgCpu };
}

const bulk: Scenario = {
    name: 'bulk', title: 'bulk, 1,000 element creations', baseline: 'sql',
    goals: [{ figure: 'ratio', most: 3 }, { figure: 'p95', most: 150 }],
    run: (world) => inTurn(world, async (client) => {
        const page = await newPage(world.sql);
        const body = creationsIn(page);
        const { ms } = await client.call({ method: 'POST', path: `/users/${special.user}/bulk`, headers: world.author, body }, 200);
        await expectElements(world.sql, [page], ROWS);
        return ms;
    }, async () => {
        const text = insertInto(await newPage(world.sql));
        return timed(() => world.sql.query(text));
    })
};

async function expectElements(sql: Pool, pages: readonly string[], count: number): Promise<void> {
    const { rows: [row] } = await sql.query<{ count: string }>('select count(*) from elements where page_id = any($1) and deleted_at is null', [pages]);
    if (Number(row?.count) !== count) {
        throw new Error(`${row?.count} elements are in the store, not ${count}`);
    }
}

/** The rows of a remix, without looking at links or making an answer. */
const bareCopy = `
    with m as (
        insert into projects (user_id, remixed_from, version, title, thumbnail, page_count)
        select $2, id, version, title, thumbnail, page_count from projects where id = $1 returning id
    ), c as materialized (
        select id as source, nextval(pg_get_serial_sequence('pages', 'id')) as copy, x, y, styles, element_count
        from pages where project_id = $1 and deleted_at is null
    ), g as (
        insert into pages (id, project_id, x, y, styles, element_count) select copy, m.id, x, y, styles, element_count from c, m
    )
    insert into elements (page_id, type, attributes, styles)
    select c.copy, e.type, e.attributes, e.styles from c join elements e on e.page_id = c.source and e.deleted_at is null`;

const remix: Scenario = {
    name: 'remix', title: 'remix of 100×50', baseline: 'sql',
    goals: [{ figure: 'ratio', most: 2 }, { figure: 'p50', most: 100 }],
    run: (world) => inTurn(world, async (client) => {
        const path = `/users/${special.user}/projects/${special.large}/remixes`;
        const { ms, body } = await client.call({ method: 'POST', path, headers: world.author }, 201);
        const { project }: { project?: { id?: string } } = JSON.parse(body);
        const { rows: pages } = await world.sql.query<{ id: string }>('select id from pages where project_id = $1', [project?.id]);
        await expectElements(world.sql, pages.map(({ id }) => id), 5000);
        return ms;
    }, () => timed(() => world.sql.query(bareCopy, [special.large, special.user])))
};

export const sets: readonly Scenario[] = [bulk, remix];
