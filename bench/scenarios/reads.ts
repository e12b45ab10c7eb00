import { Client } from '../load/client';
import type { Sample } from '../measure/figures';
import type { Scenario } from './scenario';
import { cursorOf, taggedPath } from './subjects';
import { listPath, underLoad } from './world';
import type { Served, World } from './world';

const requests = (paths: readonly string[]): { path: string }[] => paths.map((path) => ({ path }));

interface Read {
    name: string;
    title: string;
    paths(world: World): readonly string[];
    least: number;
    /** most CPU of the server process, µs a request */
    cpu?: number;
}

const read = ({ name, title, paths, least, cpu }: Read): Scenario => ({
    name, title, baseline: 'yardstick',
    goals: [{ figure: 'ratio', least }, ...cpu === undefined ? [] : [{ figure: 'cpu', most: cpu } as const]],
    run: (world, seconds) => underLoad(world, world.service, seconds, { requests: requests(paths(world)), bytes: { least: 400 } })
});

/** The peers, as rows of their own. */
export const yardstick = (world: World, seconds: number): Promise<Sample & { perSecond: number }> => {
    return underLoad(world, world.peers.yardstick, seconds, { requests: requests(world.subjects.yardstick), bytes: { least: 400 } });
};

const peer = (name: 'http' | 'hapi', title: string): Scenario => ({
    name, title, baseline: 'yardstick', goals: [],
    run: (world, seconds) => underLoad(world, world.peers[name], seconds, { requests: requests(world.subjects.yardstick) })
});

export const peers: readonly Scenario[] = [peer('http', 'bare node:http, the same bytes, no database'), peer('hapi', 'bare hapi, the same bytes, no database')];

const unchanged: Scenario = {
    name: 'unchanged', title: 'GET pages 20×10, unchanged (304)', baseline: 'yardstick', goals: [{ figure: 'ratio', least: 0.95 }],
    async run(world, seconds) {
        const { project } = world.subjects;
        const client = new Client(world.service.base, 1);
        const { etag } = await client.call({ path: project }, 200);
        const headers = { 'if-none-match': etag };
        await client.call({ path: project, headers }, 304);
        client.close();
        return underLoad(world, world.service, seconds, { requests: requests([project]), headers, bytes: { most: 1024 } });
    }
};

const discover: Scenario = {
    name: 'discover', title: '/discover?count=10, hot', baseline: 'hapi', goals: [{ figure: 'ratio', least: 0.7 }],
    async run(world, seconds) {
        const bare = await underLoad(world, world.peers.hapiList, seconds, { requests: requests([listPath]), bytes: { least: 1000 } });
        const sample = await underLoad(world, world.service, seconds, { requests: requests([listPath]), bytes: { least: 1000 } });
        return { ...sample, ratio: sample.perSecond / bare.perSecond };
    }
};

export const reads: readonly Scenario[] = [
    read({ name: 'project', title: 'GET one project', paths: ({ subjects }) => subjects.projects, least: 0.9 }),
    read({ name: 'project-stats', title: 'GET one project by its id alone, with its stats', paths: ({ subjects }) => subjects.byId, least: 0.9 }),
    read({ name: 'page', title: 'GET one page with 10 elements', paths: ({ subjects }) => subjects.pages, least: 0.8, cpu: 250 }),
    read({ name: 'page-cold', title: 'GET one page with 10 elements, not cached', paths: ({ subjects }) => subjects.manyPages, least: 0.8, cpu: 250 }),
    read({ name: 'pages', title: 'GET pages 20×10', paths: ({ subjects }) => [subjects.project], least: 0.8, cpu: 250 }),
    read({ name: 'pages-cold', title: 'GET pages 20×10, not cached', paths: ({ subjects }) => subjects.manyProjects, least: 0.8, cpu: 250 }),
    unchanged,
    discover,
    read({ name: 'tag-first', title: 'tag on everything, first page, hot', paths: ({ subjects }) => [subjects.first], least: 0.7 }),
    read({ name: 'tag-deep', title: 'tag on everything, page 5,000, hot', paths: ({ subjects }) => [subjects.deep], least: 0.7 }),
    read({ name: 'tag-first-each', title: 'tag on everything, near its start, not cached', paths: ({ subjects }) => subjects.nearFirst, least: 0.7 }),
    read({ name: 'tag-deep-each', title: 'tag on everything, around page 5,000, not cached', paths: ({ subjects }) => subjects.nearDeep, least: 0.7 })
];

/**
 * Checks that the requests return what the scenarios expect.
 * @throws Error if they do not
 */
export async function checkReads({ service, subjects, sql }: Served): Promise<void> {
    const client = new Client(service.base, 1);
    try {
        const page: { page?: { elements?: unknown[] } } = JSON.parse((await client.call({ path: subjects.pages[0] ?? '' }, 200)).body);
        const { rows: [tenth] } = await sql.query<{ ms: string; id: string }>(`
            select (extract(epoch from created_at) * 1000)::bigint as ms, id from projects order by created_at desc, id desc offset 9 limit 1`);
        const first: { next?: string } = JSON.parse((await client.call({ path: subjects.first }, 200)).body);
        const deep: { projects?: unknown[] } = JSON.parse((await client.call({ path: subjects.deep }, 200)).body);
        const faults = [
            page.page?.elements !== undefined && page.page.elements.length !== 10 && 'a page does not have 10 elements',
            (tenth === undefined || first.next !== cursorOf(tenth)) && `the next of ${taggedPath()} is not the cursor that the bench computes`,
            deep.projects?.length !== 10 && 'the deep page does not have 10 projects'
        ].filter((fault) => typeof fault === 'string');
        if (faults.length > 0) {
            throw new Error(faults.join('; '));
        }
    }
    finally {
        client.close();
    }
}
