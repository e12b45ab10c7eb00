import { createHash, randomBytes } from 'node:crypto';

import type { Context } from '../measure/context';
import { Client } from '../load/client';
import type { Call } from '../load/client';
import { median } from '../measure/figures';
import type { Options } from '../measure/options';
import { number, tableOf } from '../report/table';
import { openStore, richRange } from './store';
import { serve, underLoad } from './world';
import type { Served } from './world';

/** Pairs of calls of each kind in a round. */
const PAIRS = 40;

/** The most that the medians of a pair may differ, as a share. */
const MAX_DIFFERENCE = 0.05;

/** The least rate of a member's reads, as a share of that of everybody's reads of what is public. */
const LEAST = 0.8;

interface Place {
    user: string;
    project: string;
    page: string;
    element: string;
}

/** An id that nothing has, of as many digits as those of large databases. */
const absent = (id: string): string => String(7_000_000_000 + Number(id));

const paths: Readonly<Record<string, (place: Place) => string>> = {
    project: ({ user, project }) => `/users/${user}/projects/${project}`,
    'project by its id alone': ({ project }) => `/projects/${project}`,
    pages: ({ user, project }) => `/users/${user}/projects/${project}/pages`,
    page: ({ user, project, page }) => `/users/${user}/projects/${project}/pages/${page}`,
    element: ({ user, project, page, element }) => `/users/${user}/projects/${project}/pages/${page}/elements/${element}`,
    remixes: ({ user, project }) => `/users/${user}/projects/${project}/remixes`,
    changes: ({ user, project }) => `/users/${user}/projects/${project}/changes?since=0`,
    lineage: ({ user, project }) => `/users/${user}/projects/${project}/lineage`,
    export: ({ user, project }) => `/users/${user}/projects/${project}/export`
};

/** An account with a token. */
export async function openAccount({ sql }: Served, name: string): Promise<{ id: string; headers: Record<string, string> }> {
    const { rows: [{ id } = { id: '' }] } = await sql.query<{ id: string }>('insert into users (username, username_key) values ($1, lower($1)) on conflict (username_key) do update set username = excluded.username returning id', [name]);
    const secret = randomBytes(32).toString('base64url');
    await sql.query(`insert into tokens (user_id, hash, scope, expires_at) values ($1, $2, '{user,projects}', now() + interval '1 day')`, [id, createHash('sha256').update(secret).digest()]);
    return { id, headers: { authorization: `token ${secret}` } };
}

/** How long "private to you" takes against "does not exist", call by call in turn. @returns rows of the table, and whether all are as they should be */
async function compareAbsent(world: Served, hidden: readonly Place[], stranger: Record<string, string>, rounds: number): Promise<{ rows: string[][]; met: boolean }> {
    const client = new Client(world.service.base, 1);
    const callers: [string, Record<string, string>, number][] = [
        ['nobody', {}, 404], ['a stranger', stranger, 404], ['a bad token', { authorization: `token ${randomBytes(32).toString('base64url')}` }, 401]
    ];
    const kinds = callers.flatMap(([who, headers, status]) => [
        ...Object.entries(paths).map(([name, path]) => ({ title: `GET ${name}, ${who}`, status, call: (place: Place): Call => ({ path: path(place), headers }) })),
        ...who === 'a stranger' ? [
            { title: `PATCH project, ${who}`, status, call: (place: Place): Call => ({ method: 'PATCH', path: String(paths.project?.(place)), headers, body: '{"title":"Mine"}' }) },
            { title: `POST remix, ${who}`, status, call: (place: Place): Call => ({ method: 'POST', path: String(paths.remixes?.(place)), headers, body: '{}' }) }
        ] : []
    ]);
    const times = new Map(kinds.map(({ title }) => [title, { hidden: [] as number[], absent: [] as number[] }]));
    let turn = 0;
    // The first round warms up.
    for (let round = 0; round <= rounds; ++round) {
        for (const { title, status, call } of kinds) {
            for (let pair = 0; pair < PAIRS; ++pair) {
                const place = hidden[++turn % hidden.length];
                if (place === undefined) {
                    throw new Error('There is no private project');
                }

                const nothing = { ...place, project: absent(place.project), page: absent(place.page), element: absent(place.element) };
                for (const which of turn % 2 === 0 ? ['hidden', 'absent'] as const : ['absent', 'hidden'] as const) {
                    const { ms } = await client.call(call(which === 'hidden' ? place : nothing), status);
                    if (round > 0) {
                        times.get(title)?.[which].push(ms);
                    }
                }
            }
        }
    }

    client.close();
    let met = true;
    const rows = [...times].map(([title, one]) => {
        const [ours, theirs] = [median(one.hidden), median(one.absent)];
        const good = Math.abs(ours / theirs - 1) <= MAX_DIFFERENCE;
        met &&= good;
        return [title, `${number(ours, 3)} ms`, `${number(theirs, 3)} ms`, number(ours / theirs, 3), good ? 'yes' : 'NO'];
    });
    return { rows, met };
}

/** How fast a member reads what is private, against anybody what is public. */
async function comparePublic(world: Served, hidden: readonly Place[], open: readonly Place[], member: Record<string, string>, { rounds, seconds }: Options, log: Context['log']): Promise<{ rows: string[][]; met: boolean }> {
    const rows: string[][] = [];
    let met = true;
    for (const name of ['project', 'project by its id alone', 'page', 'pages'] as const) {
        const ratios: { rate: number; cpu: number }[] = [];
        const load = (places: readonly Place[], headers?: Record<string, string>): ReturnType<typeof underLoad> => underLoad(world, world.service, seconds, {
            headers, requests: places.map((place) => ({ path: String(paths[name]?.(place)) })), bytes: { least: 400 }
        });
        for (let round = 0; round < rounds; ++round) {
            const first = round % 2 === 0 ? await load(open) : undefined;
            const ours = await load(hidden, member);
            const theirs = first ?? await load(open);
            const cpuOf = ({ cpu, pgCpu }: typeof ours): number => (cpu ?? NaN) + (pgCpu ?? 0);
            ratios.push({ rate: ours.perSecond / theirs.perSecond, cpu: cpuOf(ours) / cpuOf(theirs) });
            log(`${name}: ${number(ours.perSecond)}/s private, ${number(theirs.perSecond)}/s public`);
        }

        const [rate, cpu] = [median(ratios.map((one) => one.rate)), median(ratios.map((one) => one.cpu))];
        met &&= rate >= LEAST;
        rows.push([`GET ${name}`, number(rate, 2), number(cpu, 2), rate >= LEAST ? 'yes' : 'NO']);
    }

    return { rows, met };
}

/** Compares private projects with those that do not exist, in time, and with public ones, in speed. */
export async function runPrivacy(options: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const { projects, rounds, connections } = options;
    const store = await openStore(projects, null, log, opened);
    const world = await serve(processes, { dir, store, connections });
    const { sql } = world;
    const [first, last] = richRange(projects);
    const { rows: places } = await sql.query<Place>(`
        select p.user_id as user, p.id as project, g.id as page, e.id as element from projects p
        cross join lateral (select id from pages where project_id = p.id limit 1) g cross join lateral (select id from elements where page_id = g.id limit 1) e
        where p.id between $1 and $2`, [first, last]);
    const isHidden = ({ project }: Place): boolean => Number(project) % 2 === 0;
    const hidden = places.filter(isHidden);
    const ids = hidden.map(({ project }) => project);
    try {
        await sql.query(`update projects set visibility = 'private' where id = any($1)`, [ids]);
        const [stranger, member] = [await openAccount(world, 'bench-stranger'), await openAccount(world, 'bench-member')];
        await sql.query(`insert into project_members (project_id, user_id, role) select id, $2, 'viewer' from unnest($1::bigint[]) id on conflict do nothing`, [ids, member.id]);
        await sql.query('vacuum analyze projects, project_members');
        const wants = (part: string): boolean => options.only.length === 0 || options.only.includes(part);
        const none = { rows: [], met: true };
        const speed = !wants('speed') ? none : await comparePublic(world, hidden, places.filter((place) => !isHidden(place)), member.headers, options, log);
        process.stdout.write(`\n${tableOf(['a member\'s read of what is private', 'rate / public', 'CPU / public', `≥ ${LEAST}`], speed.rows)}\n`);
        const time = !wants('time') ? none : await compareAbsent(world, hidden, stranger.headers, 5 * rounds);
        process.stdout.write(`\n${tableOf(['request', 'private', 'does not exist', 'ratio', 'within 5 %'], time.rows)}\n`);
        return speed.met && time.met;
    }
    finally {
        await sql.query(`update projects set visibility = 'public' where id = any($1)`, [ids]);
        await sql.query(`delete from users where username in ('bench-stranger', 'bench-member')`);
        await sql.end();
        await processes.stopAll();
        await store.close();
    }
}
