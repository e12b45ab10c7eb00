import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Context } from '../measure/context';
import { Client } from '../load/client';
import { forgetPeak, memoryOf } from '../measure/accounting';
import type { Fact } from '../measure/figures';
import { number } from '../report/table';
import { special } from './fill';
import { sound, upload } from './uploads';
import type { Served } from './world';

const MIB = 1024 * 1024;

/** Assets of a takeout, and bytes of each: 1 GiB in all. */
const ASSETS = 128;
const BYTES = 8 * MIB;

/** Elements of a large project, bytes of each, and how often each is edited. */
const ELEMENTS = 2000;
const TEXT = 4000;
const EDITS = 8;
const IN_A_BULK = 1000;

/** Milliseconds in which the process gets idle. */
const REST = 3000;

/** Most MiB of memory that one may take. */
const MOST = 100;

/** Reads all of a response. @returns its bytes. @throws Error if it does not end well */
function readAll({ service, author }: Served, path: string): Promise<number> {
    return new Promise((resolve, reject) => {
        const request = get(`${service.base}${path}`, { headers: author }, (response) => {
            let bytes = 0;
            response.on('data', (chunk: Buffer) => {
                bytes += chunk.length;
            }).on('error', reject).on('end', () => (response.statusCode === 200 && response.complete ? resolve(bytes) : reject(new Error(`${path} returned ${response.statusCode}`))));
        });
        request.on('error', reject);
    });
}

async function read(world: Served, title: string, path: string, least: number, log: Context['log']): Promise<Fact> {
    const { service: { pid } } = world;
    await sleep(REST);
    forgetPeak(pid);
    const before = memoryOf(pid).now;
    const began = performance.now();
    const bytes = await readAll(world, path);
    const seconds = (performance.now() - began) / 1000;
    const { peak } = memoryOf(pid);
    log(`${title}: ${number(bytes / MIB, 0)} MiB in ${number(seconds, 1)} s, memory ${number(before, 0)} to ${number(peak, 0)} MiB`);
    if (bytes < least) {
        throw new Error(`${path} has ${bytes} bytes, fewer than ${least}`);
    }

    return {
        title: `${title}: memory beyond the start`, value: `${number(peak - before, 0)} MiB (${number(before, 0)} to ${number(peak, 0)}), for ${number(bytes / MIB, 0)} MiB in ${number(seconds, 1)} s`,
        target: `≤ ${MOST} MiB`, met: peak - before <= MOST
    };
}

/** Makes a project whose elements have been edited again and again. @returns its path */
async function newProject(world: Served, client: Client): Promise<string> {
    const call = async (actions: object[]): Promise<{ id: string }[]> => {
        const { body } = await client.call({ method: 'POST', path: `/users/${special.user}/bulk`, headers: world.author, body: JSON.stringify({ actions }) }, 200);
        const { results }: { results: { id: string }[] } = JSON.parse(body);
        return results;
    };

    const text = (): string => randomBytes(TEXT * 3 / 4).toString('base64');
    const [project] = await call([{ type: 'projects', method: 'create', data: { title: 'Made by the bench' } }]);
    const elements: string[] = [];
    for (let x = 0; x < ELEMENTS / (IN_A_BULK - 1); ++x) {
        const [, ...made] = await call([
            { type: 'pages', method: 'create', data: { projectId: project?.id, x, y: 0 } },
            ...Array.from({ length: IN_A_BULK - 1 }, () => ({ type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text', attributes: { text: text() } } }))
        ]);
        elements.push(...made.map(({ id }) => id));
    }

    for (let edit = 0; edit < EDITS; ++edit) {
        for (let at = 0; at < elements.length; at += IN_A_BULK) {
            await call(elements.slice(at, at + IN_A_BULK).map((id) => ({ type: 'elements', method: 'update', data: { id, attributes: { text: text() } } })));
        }
    }

    return `/users/${special.user}/projects/${project?.id}`;
}

/** Takes out 1 GiB of assets, twice, and exports a large project with its history. */
export async function takeoutFacts(world: Served, log: Context['log']): Promise<Fact[]> {
    const client = new Client(world.service.base, 1);
    for (let n = 0; n < ASSETS; ++n) {
        await upload(world, client, sound(BYTES), 'audio/wav');
    }

    log(`sent ${ASSETS} assets of ${BYTES / MIB} MiB`);
    const takeout = `/users/${special.user}/takeout`;
    const facts = [
        await read(world, 'takeout with 1 GiB of assets', takeout, ASSETS * BYTES, log),
        await read(world, 'the same again', takeout, ASSETS * BYTES, log)
    ];
    const project = await newProject(world, client);
    client.close();
    log(`made a project of ${ELEMENTS} elements with ${EDITS} edits of each`);
    return [...facts, await read(world, `export with history of ${ELEMENTS} elements of ${TEXT} bytes, each edited ${EDITS} times`, `${project}/export?history=true`, ELEMENTS * TEXT * EDITS / 2, log)];
}
