import { mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Context } from '../measure/context';
import { Client } from '../load/client';
import type { Call } from '../load/client';
import type { Load } from '../load/wrk';
import { median } from '../measure/figures';
import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import type { Options } from '../measure/options';
import { machineOf, machineWords, print } from '../report/report';
import { factTable, number } from '../report/table';
import { special } from './fill';
import { lackOfRoom, openStore } from './store';
import { takeoutFacts } from './takeouts';
import { photo, sound, upload, uploadFacts } from './uploads';
import { accounted, serve, underLoad } from './world';
import type { Served } from './world';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Pictures that a project has, and as many texts another one. */
const PICTURES = 50;

/** Calls of each kind in a round. */
const CALLS = 10;

const EDITS = 200;

const ratioOf = (values: readonly number[], others: readonly number[]): number => median(values.map((value, round) => value / (others[round] ?? NaN)));

/** GET of an asset, compared with a file of the same bytes by hapi and inert. */
async function readFacts(world: Served, files: string, { rounds, seconds, connections }: Options, log: Context['log']): Promise<Fact[]> {
    const client = new Client(world.service.base, 1);
    const peer = await world.processes.peer('files', 'files', { url: '', pool: 0, bytes: files });
    const facts: Fact[] = [];
    for (const [title, bytes, clients] of [['10 KiB', 10 * KIB, connections], ['2 MiB', 2 * MIB, 8]] as const) {
        const file = sound(bytes);
        const { hash } = await upload(world, client, file, 'audio/wav');
        await writeFile(join(files, `${hash}.wav`), file);
        const load = (server: Listening, path: string): ReturnType<typeof underLoad> => {
            const requests: Load['requests'] = [{ path }];
            return underLoad(world, server, seconds, { requests, bytes: { least: bytes } }, clients);
        };

        const [ours, theirs]: [number[], number[]] = [[], []];
        const [cpu, cpuOfPeer]: [number[], number[]] = [[], []];
        for (let round = 0; round < rounds; ++round) {
            for (const [server, path, rates, costs] of [[world.service, `/assets/${hash}`, ours, cpu], [peer, `/${hash}.wav`, theirs, cpuOfPeer]] as const) {
                const sample = await load(server, path);
                rates.push(sample.perSecond);
                costs.push(Number(sample.cpu));
            }

            log(`round ${round + 1}: ${title} ${number(ours.at(-1) ?? null, 0)}/s, by inert ${number(theirs.at(-1) ?? null, 0)}/s`);
        }

        const ratio = ratioOf(ours, theirs);
        facts.push({
            title: `GET of an asset of ${title}, ${clients} clients, compared with hapi + inert`,
            value: `${number(median(ours), 0)}/s, ${number(ratio, 2)} of ${number(median(theirs), 0)}/s; CPU ${number(median(cpu), 0)} and ${number(median(cpuOfPeer), 0)} µs`, target: '≥ 0.8', met: ratio >= 0.8
        });
    }

    await world.processes.stop(peer.child);
    client.close();
    return facts;
}

/** Makes a project with one element for each of these attributes. */
async function newProject({ author }: Served, client: Client, attributes: readonly object[]): Promise<{ id: string; elements: string[] }> {
    const actions = [
        { type: 'projects', method: 'create', data: { title: 'Made by the bench' } },
        { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 0, y: 0 } },
        ...attributes.map((each) => ({ type: 'elements', method: 'create', data: { pageId: '$1.id', type: 'image', attributes: each } }))
    ];
    const { body } = await client.call({ method: 'POST', path: `/users/${special.user}/bulk`, headers: author, body: JSON.stringify({ actions }) }, 200);
    const { results: [project, page, ...elements] }: { results: { id: string }[] } = JSON.parse(body);
    const path = `/users/${special.user}/projects/${project?.id}`;
    return { id: String(project?.id), elements: elements.map(({ id }) => `${path}/pages/${page?.id}/elements/${id}`) };
}

/** Remixes and edits of pictures, compared with those of texts of the same length. */
async function writeFacts(world: Served, { rounds }: Options): Promise<Fact[]> {
    const { author, sql } = world;
    const client = new Client(world.service.base, 1);
    const hashes: string[] = [];
    for (let n = 0; n < PICTURES; ++n) {
        hashes.push((await upload(world, client, sound(20 * KIB), 'audio/wav')).hash);
    }

    const pictures = await newProject(world, client, hashes.map((hash) => ({ src: `asset:${hash}` })));
    const texts = await newProject(world, client, hashes.map((hash) => ({ src: `words:${hash}` })));
    const calls = (): { ms: number[]; cpu: number[] } => ({ ms: [], cpu: [] });
    const remixes = [calls(), calls()] as const;
    const edits = [calls(), calls()] as const;
    const note = async ({ ms, cpu }: ReturnType<typeof calls>, call: Call, expected: number): Promise<void> => {
        const done = await accounted(world, world.service, async () => ({ requests: 1, ...await client.call(call, expected) }));
        ms.push(done.ms);
        cpu.push(done.cpu + Number(done.pgCpu));
    };

    for (let n = 0; n < rounds * CALLS; ++n) {
        for (const [at, { id, elements }] of [[0, pictures], [1, texts]] as const) {
            await note(remixes[at], { method: 'POST', path: `/users/${special.user}/projects/${id}/remixes`, headers: author }, 201);
            await note(edits[at], { method: 'PATCH', path: elements[n % PICTURES] ?? '', headers: author, body: JSON.stringify({ styles: { left: n } }) }, 200);
        }
    }

    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length / 1000;
    const compared = (title: string, [ours, theirs]: typeof remixes): Fact => {
        const ratio = median(ours.ms) / median(theirs.ms);
        const [cpu, cpuOfTexts] = [mean(ours.cpu), mean(theirs.cpu)];
        return {
            title, value: `${number(median(ours.ms), 1)} ms, ${number(ratio, 2)}× ${number(median(theirs.ms), 1)} ms; CPU with PostgreSQL ${number(cpu, 1)} ms, ${number(cpu / cpuOfTexts, 2)}× ${number(cpuOfTexts, 1)} ms`,
            target: '≤ 1.1×', met: ratio <= 1.1
        };
    };

    const grown = async (src: string): Promise<number> => {
        const { id, elements: [element = ''] } = await newProject(world, client, [{ src }]);
        for (let n = 0; n < EDITS; ++n) {
            await client.call({ method: 'PATCH', path: element, headers: author, body: JSON.stringify({ attributes: { src, alt: `Edit ${n}` } }) }, 200);
        }

        const { rows: [row] } = await sql.query<{ bytes: string }>(`
            select (select sum(pg_column_size(v.*)) from versions v where project_id = $1) + (select sum(pg_column_size(c.*)) from project_changes c where project_id = $1) as bytes`, [id]);
        return Number(row?.bytes) / EDITS;
    };

    const picture = await photo(200);
    const { hash } = await upload(world, client, picture, 'image/jpeg');
    const [asReference, asData] = [await grown(`asset:${hash}`), await grown(`data:image/jpeg;base64,${picture.toString('base64')}`)];
    client.close();
    return [
        compared(`remix of a project with ${PICTURES} pictures, compared with one with ${PICTURES} texts`, remixes),
        compared('PATCH of the styles of an element with a picture, compared with one with a text', edits),
        {
            title: `history that an edit of an element with a picture of ${number(picture.length / KIB, 0)} KiB adds`,
            value: `${number(asReference, 0)} bytes; as a data URI ${number(asData, 0)}`, target: '≤ 1,000 bytes', met: asReference <= 1000
        }
    ];
}

/** Measures what pictures cost, compared with files and texts, and the memory that takeouts and exports take. */
export async function runAssets(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { projects, rounds, seconds, url } = options;
    const lack = url === null ? lackOfRoom(projects) : undefined;
    if (lack !== undefined) {
        throw new Error(`${lack}.`);
    }

    const store = await openStore(projects, url, log, opened);
    // On the same disk as the database; temporary folders may be in memory.
    const place = join(process.cwd(), '.data', 'bench-assets');
    const files = join(place, 'files');
    rmSync(place, { recursive: true, force: true });
    mkdirSync(files, { recursive: true });
    try {
        await store.db.raw('delete from sent_assets; delete from asset_uses; delete from asset_set_uses; delete from assets');
        const world = await serve(processes, { dir, store, connections: options.connections, settings: { DATA_DIR: place, ASSET_QUOTA_MIB: '4000' } });
        const parts: Record<string, () => Promise<Fact[]>> = {
            reads: () => readFacts(world, files, options, log), uploads: () => uploadFacts(world, store.url, files, options.rounds * CALLS), writes: () => writeFacts(world, options), takeouts: () => takeoutFacts(world, log)
        };
        const facts: Fact[] = [];
        for (const [name, measure] of Object.entries(parts)) {
            if (options.only.length === 0 || options.only.includes(name)) {
                facts.push(...await measure());
                log(`done: ${name}`);
            }
        }

        process.stdout.write(`\n${factTable(facts)}\n`);
        const machine = await machineOf(world.sql);
        await world.sql.end();
        await processes.stop(world.service.child);
        if (options.only.length > 0) {
            return true;
        }

        print(`
## Pictures, exports and takeouts

${machineWords(machine)}

GET: ${rounds} rounds of ${seconds} s, in each of which the service and hapi with inert send the same file, one after the other; a ratio is the median of the rounds, CPU that of the server process for a request. Uploads, remixes and edits: the
medians of ${rounds * CALLS} calls of each kind, in turn, one at a time. Memory is that of the service's process, from right before to its most; the client reads as fast as it can.

${factTable(facts)}
`);
        return facts.every(({ met }) => met);
    }
    finally {
        await store.close();
        rmSync(place, { recursive: true, force: true });
    }
}
