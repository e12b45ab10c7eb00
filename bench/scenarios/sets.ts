import type { Pool } from 'pg';

import { Client } from '../load/client';
import type { Answer } from '../load/client';
import { median, sampleOf } from '../measure/figures';
import type { Sample } from '../measure/figures';
import { special } from './fill';
import type { Scenario } from './scenario';
import { accounted } from './world';
import type { World } from './world';

/** Rows of one bulk, and calls of each kind in a round. */
export const ROWS = 1000;
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

/** Creates a project with an empty page. */
export async function newPage(sql: Pool): Promise<string> {
    const { rows: [page] } = await sql.query<{ id: string }>(`
        with p as (insert into projects (user_id, version, title, page_count) values ($1, '1', 'Made by the bench', 1) returning id)
        insert into pages (project_id, x, y) select id, 0, 0 from p returning id`, [special.user]);
    return page?.id ?? '';
}

const literal = (text: string): string => `'${text.replaceAll('\'', '\'\'')}'`;

/** Runs SQL in the simple protocol, as psql does. */
const insertInto = (page: string): string => `insert into elements (page_id, type, attributes, styles) values
    ${rows.map(({ type, attributes, styles }) => `(${page}, ${literal(type)}, ${literal(attributes)}, ${literal(styles)})`).join(',\n')}`;

export const creationsIn = (page: string): string => JSON.stringify({
    actions: rows.map(({ type, attributes, styles }) => ({
        type: 'elements', method: 'create', data: { pageId: page, type, attributes: JSON.parse(attributes), styles: JSON.parse(styles) }
    }))
});

/** One kind of call, and the same rows by bare SQL. */
interface Pair {
    /** the request, prepared before the measurement */
    call(): Promise<{ path: string; body?: string; status: number }>;
    /** checks afterwards that the rows are stored; @throws Error if they are not */
    check(answer: Answer): Promise<void>;
    /** the statement, prepared before the measurement */
    bare(): Promise<{ text: string; values?: unknown[] }>;
}

/** Alternates bare statements and calls of the service, and times only these; the ratio is that of their medians. */
async function inTurn(world: World, { call, check, bare }: Pair): Promise<Sample> {
    const client = new Client(world.service.base, 1);
    const [ours, theirs]: [number[], number[]] = [[], []];
    let [cpu, pgCpu] = [0, 0];
    try {
        for (let n = 0; n < CALLS; ++n) {
            const { text, values } = await bare();
            const began = performance.now();
            await world.sql.query(text, values);
            theirs.push(performance.now() - began);

            const { path, body, status } = await call();
            const done = await accounted(world, world.service, async () => {
                return { requests: 1, answer: await client.call({ method: 'POST', path, headers: world.author, body }, status) };
            });
            ours.push(done.answer.ms);
            cpu += done.cpu / CALLS;
            pgCpu += (done.pgCpu ?? NaN) / CALLS;
            await check(done.answer);
        }
    }
    finally {
        client.close();
    }

    return { ...sampleOf(ours), ratio: median(ours) / median(theirs), cpu, pgCpu: Number.isNaN(pgCpu) ? null : pgCpu };
}

const bulk: Scenario = {
    name: 'bulk', title: 'bulk of 1,000 element creations', baseline: 'sql',
    goals: [{ figure: 'ratio', most: 3 }, { figure: 'p95', most: 150 }],
    run: (world) => inTurn(world, {
        call: async () => ({ path: `/users/${special.user}/bulk`, body: creationsIn(await newPage(world.sql)), status: 200 }),
        check: async ({ body }) => {
            const { results = [] }: { results?: { id?: string }[] } = JSON.parse(body);
            const { rows: [row] } = await world.sql.query<{ count: string }>(
                'select count(*) from elements where id = any($1) and deleted_at is null', [results.map(({ id }) => id)]);
            expect(Number(row?.count), ROWS);
        },
        bare: async () => ({ text: insertInto(await newPage(world.sql)) })
    })
};

function expect(found: number, wanted: number): void {
    if (found !== wanted) {
        throw new Error(`${found} elements are stored, not ${wanted}`);
    }
}

/** Copies the rows of a remix, without correcting links or making a response. */
const bareCopy = `
    with m as (
        insert into projects (user_id, remixed_from, version, title, thumbnail, page_count)
        select $2, id, version, title, thumbnail, page_count from projects where id = $1 returning id
    ), c as materialized (
        select id as source, nextval('pages_id_seq') as copy, x, y, styles, element_count
        from pages where project_id = $1 and deleted_at is null
    ), g as (
        insert into pages (id, project_id, x, y, styles, element_count) select copy, m.id, x, y, styles, element_count from c, m
    )
    insert into elements (page_id, type, attributes, styles)
    select c.copy, e.type, e.attributes, e.styles from c join elements e on e.page_id = c.source and e.deleted_at is null`;

const remix: Scenario = {
    name: 'remix', title: 'remix of 100×50', baseline: 'sql',
    goals: [{ figure: 'ratio', most: 2 }, { figure: 'p50', most: 100 }],
    run: (world) => inTurn(world, {
        call: () => Promise.resolve({ path: `/users/${special.user}/projects/${special.large}/remixes`, status: 201 }),
        check: async ({ body }) => {
            const { project }: { project?: { id?: string } } = JSON.parse(body);
            const { rows: [row] } = await world.sql.query<{ count: string }>(`
                select count(*) from elements e join pages g on g.id = e.page_id where g.project_id = $1 and e.deleted_at is null`, [project?.id]);
            expect(Number(row?.count), 5000);
        },
        bare: () => Promise.resolve({ text: bareCopy, values: [special.large, special.user] })
    })
};

export const sets: readonly Scenario[] = [bulk, remix];
