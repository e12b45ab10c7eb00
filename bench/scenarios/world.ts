import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Pool } from 'pg';

import { cpuOf, cpuOfFamily, postmasterOf } from '../measure/accounting';
import { nothing } from '../measure/figures';
import type { Sample } from '../measure/figures';
import { special } from './fill';
import type { Listening, Processes } from '../measure/processes';
import type { Store } from './store';
import { findSubjects } from './subjects';
import type { Subjects } from './subjects';
import { wrk } from '../load/wrk';
import type { Load } from '../load/wrk';

/** The service's default number of database connections, also used for the yardstick. */
const POOL = 10;

/** The service on a filled database, and what scenarios request. */
export interface Served {
    processes: Processes;
    /** for scripts and logs */
    dir: string;
    /** connections of the bench itself, for what scenarios look up, prepare and check */
    sql: Pool;
    projects: number;
    connections: number;
    service: Listening;
    /** null if we cannot see its processes */
    postmaster: number | null;
    /** headers of the author whose projects the scenarios write to */
    author: Readonly<Record<string, string>>;
    subjects: Subjects;
}

/** Everything that a scenario works with. */
export interface World extends Served {
    peers: {
        /** hapi with one prepared query */
        yardstick: Listening;
        http: Listening;
        hapi: Listening;
        /** bare hapi with the bytes of a list */
        hapiList: Listening;
    };
}

export const listPath = '/discover?count=10';

interface Serving {
    dir: string;
    store: Store;
    connections: number;
    /** settings of the service, by environment variable */
    settings?: Record<string, string>;
    /** of the service, if it is another build */
    program?: string;
}

/** Starts the service on a filled database. */
export async function serve(processes: Processes, { dir, store, connections, settings, program }: Serving): Promise<Served> {
    const { url, projects } = store;
    const sql = new Pool({ connectionString: url, max: 2 });
    // An idle connection may break when PostgreSQL stops; the next query then fails.
    sql.on('error', () => undefined);
    const { rows: [backend] } = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
    // Its assets were in a folder of the run that filled it.
    await sql.query('update asset_owner set place = null');
    const author = { authorization: `token ${await giveToken(sql)}` };
    const subjects = await findSubjects(sql, projects);
    const service = await processes.service(program === undefined ? `service-${projects}` : 'service-before', url, settings, program);
    return { processes, dir, sql, projects, connections, service, postmaster: backend === undefined ? null : postmasterOf(backend.pid), author, subjects };
}

/** Starts the peers beside it. */
export async function withPeers(served: Served, url: string): Promise<World> {
    const { processes, dir, service, subjects } = served;
    const bytesOf = async (name: string, path: string): Promise<string> => {
        const answer = await fetch(`${service.base}${path}`);
        if (!answer.ok) {
            throw new Error(`${path} returned ${answer.status}`);
        }

        const file = join(dir, `${name}.json`);
        writeFileSync(file, await answer.text());
        return file;
    };

    const one = await bytesOf('one', subjects.projects[0] ?? '');
    const list = await bytesOf('list', listPath);
    const peer = (name: string, kind: string, bytes: string): Promise<Listening> => processes.peer(name, kind, { url, pool: POOL, bytes });
    const [yardstick, http, hapi, hapiList] = await Promise.all([
        peer('yardstick', 'pg', one), peer('http', 'http', one), peer('hapi', 'hapi', one), peer('hapi-list', 'hapi', list)
    ]);
    return { ...served, peers: { yardstick, http, hapi, hapiList } };
}

/** Creates a token of the author of the special projects, like a sign-in. */
async function giveToken(sql: Pool): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await sql.query(`delete from tokens where user_id = $1 and label = 'bench'`, [special.user]);
    await sql.query(
        `insert into tokens (user_id, hash, scope, label, expires_at) values ($1, $2, '{user,projects}', 'bench', now() + interval '1 day')`,
        [special.user, createHash('sha256').update(secret).digest()]);
    return secret;
}

/** Runs work that returns its number of requests, and measures the CPU per request of the service (or another server) and of PostgreSQL. */
export async function accounted<T extends { requests: number }>(world: Pick<Served, 'postmaster'>, server: Listening, work: () => Promise<T>): Promise<T & { cpu: number; pgCpu: number | null }> {
    const family = (): number => (world.postmaster === null ? NaN : cpuOfFamily(world.postmaster));
    const [own, others] = [cpuOf(server.pid), family()];
    const done = await work();
    const [cpu, pgCpu] = [cpuOf(server.pid) - own, family() - others].map((spent) => spent / done.requests);
    return { ...done, cpu: cpu ?? NaN, pgCpu: pgCpu === undefined || Number.isNaN(pgCpu) ? null : pgCpu };
}

export interface LoadedSample extends Sample {
    perSecond: number;
    /** all requests, including those of the warm-up second */
    requests: number;
}

/** Puts a server under load: one second to warm up, then the measurement. */
export async function underLoad(world: Pick<Served, 'processes' | 'dir' | 'connections' | 'postmaster'>, server: Listening, seconds: number, load: Omit<Load, 'base' | 'connections' | 'seconds' | 'from'>, connections = world.connections): Promise<LoadedSample> {
    const whole = { ...load, base: server.base, connections };
    const warm = await wrk(world.processes, world.dir, { ...whole, seconds: 1, from: Math.random() / 4 });
    // Starts far from where the warm-up did, so that the first requests do not hit its cached responses.
    const { perSecond, p50, p99, max, cpu, pgCpu, requests } = await accounted(world, server, () => {
        return wrk(world.processes, world.dir, { ...whole, seconds, from: 0.5 + Math.random() / 4 });
    });
    server.forget();
    return { ...nothing, perSecond, p50, p99, max, cpu, pgCpu, requests: warm.requests + requests };
}
