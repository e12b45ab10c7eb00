import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from '../load/client';
import type { Fact, Sample } from '../measure/figures';
import { special } from './fill';
import type { Scenario } from './scenario';
import { underLoad } from './world';
import type { LoadedSample, World } from './world';

/** Milliseconds after which all requests that were in progress at the end of the load have ended. */
const SETTLED = 500;

/**
 * Runs a load of writes and compares the counters in the database with the responses: at least as many, and no more than
 * those plus the requests in progress when the load was cut off.
 */
async function counted(world: World, what: string, count: () => Promise<number>, load: () => Promise<LoadedSample>): Promise<Sample> {
    const before = await count();
    const sample = await load();
    await sleep(SETTLED);
    const stored = await count() - before;
    // Two loads were cut off: the warm-up and the measurement.
    if (stored < sample.requests || stored > sample.requests + 2 * world.connections) {
        throw new Error(`${sample.requests} ${what} got a response, and ${stored} are stored`);
    }

    return sample;
}

const patch: Scenario = {
    name: 'patch', title: 'PATCH one element', baseline: 'yardstick', goals: [{ figure: 'ratio', least: 0.5 }],
    run(world, seconds) {
        const { subjects, author } = world;
        const ids = subjects.elements.map((path) => path.slice(path.lastIndexOf('/') + 1));
        const run = randomBytes(4).toString('hex');
        const requests = subjects.elements.map((path, n) => ({ path, body: JSON.stringify({ attributes: { text: `Edited in run ${run}, for the ${n}th time` } }) }));
        const revisions = async (): Promise<number> => {
            const { rows: [row] } = await world.sql.query<{ sum: string }>('select sum(revision) from elements where id = any($1)', [ids]);
            return Number(row?.sum);
        };

        return counted(world, 'edits', revisions, () => underLoad(world, world.service, seconds, {
            method: 'PATCH', headers: { ...author, 'content-type': 'application/json' }, requests
        }));
    }
};

const viewPath = `/view-project/${special.viral}`;

async function views({ sql }: World): Promise<number> {
    const { rows: [row] } = await sql.query<{ views: string }>('select views from project_stats where project_id = $1', [special.viral]);
    return Number(row?.views ?? 0);
}

const view: Scenario = {
    name: 'view', title: 'POST view on one viral project, each a new viewer', baseline: 'yardstick', goals: [{ figure: 'ratio', least: 0.5 }],
    run(world, seconds) {
        // Each load draws a new `run` for the Lua below; otherwise an earlier load would have counted the same viewers.
        return counted(world, 'views', () => views(world), () => underLoad(world, world.service, seconds, {
            method: 'POST', requests: [{ path: viewPath }],
            each: `(function() if not run then math.randomseed(tonumber(tostring({}):sub(10), 16) + os.time()); run = math.random(1e15) end
                return {["User-Agent"] = "bench " .. string.format("%.0f", run) .. " " .. n} end)()`
        }));
    }
};

export const writes: readonly Scenario[] = [patch, view];

/** Sends views, every tenth of them a second one of the same viewer, and compares their number exactly with the counter. */
export async function checkViews(world: World, calls = 10_000): Promise<Fact> {
    const client = new Client(world.service.base, world.connections);
    const run = randomBytes(4).toString('hex');
    const before = await views(world);
    let [next, told] = [0, 0];
    const call = async (): Promise<void> => {
        while (next < calls) {
            const n = next++;
            const viewer = n % 10 === 9 ? n - 1 : n;
            const answer = await client.call({ method: 'POST', path: viewPath, headers: { 'user-agent': `check ${run} ${viewer}` } }, 200);
            const body: { counted?: unknown } = JSON.parse(answer.body);
            told += body.counted === true ? 1 : 0;
        }
    };

    try {
        await Promise.all(Array.from({ length: world.connections }, call));
    }
    finally {
        client.close();
    }

    const stored = await views(world) - before;
    const viewers = calls - Math.floor(calls / 10);
    return {
        title: `views stored after ${calls} calls of ${viewers} viewers, at ${world.connections} connections`,
        value: `${stored} stored, ${told} answered as counted`, target: `${viewers} of both`, met: stored === viewers && told === viewers
    };
}
