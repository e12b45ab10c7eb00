import { randomInt } from 'node:crypto';

import { Client } from '../load/client';
import { nothing } from '../measure/figures';
import type { Goal, Sample } from '../measure/figures';
import { special } from './fill';
import { said, whileReading } from './paced';
import type { Paced } from './paced';
import type { Scenario } from './scenario';
import { newPage } from './sets';
import type { World } from './world';

const bulkPath = `/users/${special.user}/bulk`;

/** Clients that send bulks, and milliseconds between two reads: far below the capacity, so that reads alone form no queue. */
const CLIENTS = 10;
const READ_EVERY = 10;

/** Milliseconds between two requests for /health. */
const PING_EVERY = 5;

/** A bulk whose first action creates a page at a free place; all other actions create elements on it. */
function pageWith(project: string, attributes: readonly object[]): string {
    const page = { type: 'pages', method: 'create', data: { projectId: project, x: randomInt(2 ** 31 - 1), y: randomInt(2 ** 31 - 1) } };
    return JSON.stringify({
        actions: [page, ...attributes.map((value) => ({ type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text', attributes: value } }))]
    });
}

const sampleOf = ({ p50, p95, p99, max, late }: Paced): Sample => ({ ...nothing, p50, p95, p99, max, late });

async function projectOf({ sql }: World): Promise<string> {
    const { rows: [row] } = await sql.query<{ id: string }>('select project_id as id from pages where id = $1', [await newPage(sql)]);
    return row?.id ?? '';
}

const words = Array.from({ length: 999 }, (_, n) => ({ text: `Some words of element ${n} that a person may have written` }));

const readers: Scenario = {
    name: 'readers', title: 'GET one project while ten clients send bulks of 1,000', baseline: null, goals: [{ figure: 'p99', most: 100 }],
    async run(world, seconds) {
        const client = new Client(world.service.base, CLIENTS);
        let bulks = 0;
        const paced = await whileReading(world, world.subjects.projects, READ_EVERY, async () => {
            const end = performance.now() + seconds * 1000;
            await Promise.all(Array.from({ length: CLIENTS }, async () => {
                const project = await projectOf(world);
                while (performance.now() < end) {
                    await client.call({ method: 'POST', path: bulkPath, headers: world.author, body: pageWith(project, words) }, 200);
                    ++bulks;
                }
            }));
        });
        client.close();
        return { ...sampleOf(paced), perSecond: bulks / seconds };
    }
};

const goals: readonly Goal[] = [{ figure: 'stall', most: 50 }];

/** Bodies of just under 10 MiB. */
const many = Array.from({ length: 999 }, (_, n) => Object.fromEntries(Array.from({ length: 200 }, (__, key) => [`key${key}`, `value ${n} of an element, ${'x'.repeat(14)}`])));
const few = Array.from({ length: 5 }, () => ({ src: `data:image/png;base64,${'iVBORw0KGgoAAAAN'.repeat(130_000)}` }));

/** The longest block of the event loop, by its own measurement and by a reader of /health, while large bulks come one after another. */
const stallsOf = (name: string, title: string, attributes: readonly object[]): Scenario => ({
    name, title, baseline: null, goals,
    async run(world, seconds) {
        const client = new Client(world.service.base, 1);
        const { child } = world.service;
        let bulks = 0;
        let stall = NaN;
        const paced = await whileReading(world, ['/health'], PING_EVERY, async () => {
            child.send('start');
            const end = performance.now() + seconds * 1000;
            do {
                const body = Buffer.from(pageWith(await projectOf(world), attributes));
                if (body.length > 10 * 1024 ** 2 || body.length < 9 * 1024 ** 2) {
                    throw new Error(`a body of ${body.length} bytes is outside of 9 to 10 MiB`);
                }

                await client.call({ method: 'POST', path: bulkPath, headers: world.author, body }, 200);
                ++bulks;
            }
            while (performance.now() < end);

            const told = said(child);
            child.send('stop');
            stall = Number(await told);
        });
        client.close();
        return { ...sampleOf(paced), perSecond: bulks / seconds, stall };
    }
});

export const pressure: readonly Scenario[] = [readers];

export const stalls: readonly Scenario[] = [
    stallsOf('stalls-many', 'bulks of 10 MiB: 999 elements of 200 values', many),
    stallsOf('stalls-few', 'bulks of 10 MiB: 5 data URIs', few)
];
