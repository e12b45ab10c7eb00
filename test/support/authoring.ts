import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import type { Knex } from 'knex';

import { askServer } from './database';
import { hasShards, isCluster } from './on-cluster';
import type { Actor, Answer, Call, Caller, TestServer } from './server';

/** The URL of a thing, and the response of its creation. */
export interface Made {
    url: string;
    id: string;
    // As with other bodies, a wrong assumption fails in the test.
    // eslint-disable-next-line no-restricted-syntax
    thing: any;
}

/** A project with its first page. */
export interface MadeProject extends Made {
    page: Made;
}

/** Creates things through the API, as an author does, with the simplest values unless given. */
export interface Author extends Actor {
    call(method: string, url: string, body?: unknown, options?: Call): Promise<Answer>;
    project(fields?: object): Promise<MadeProject>;
    page(project: Made, fields: object): Promise<Made>;
    element(page: Made, fields?: object): Promise<Made>;
    bulk(actions: readonly object[]): Promise<Answer>;
    remix(project: Made): Promise<Made>;
}

/** Opens an account on a service, in this process or another. */
export async function openAuthor<More>(server: Pick<Caller, 'call'> & { open(username?: string, more?: More): Promise<Actor> }, username?: string, more?: More): Promise<Author> {
    const actor = await server.open(username, more);
    const call: Author['call'] = (method, url, body, options) => server.call(method, url, body, { token: actor.token, ...options });
    const make = async (url: string, name: string, body: object): Promise<Made & { body: Answer['body'] }> => {
        const answer = await call('POST', url, body);
        expect(answer.status, answer.text.slice(0, 500)).to.equal(201);
        return { url: String(answer.headers.location), id: answer.body[name].id, thing: answer.body[name], body: answer.body };
    };

    return {
        ...actor,
        call,
        project: async (fields) => {
            const { body, ...project } = await make(`/users/${actor.id}/projects`, 'project', { title: 'A project', ...fields });
            return { ...project, page: { url: `${project.url}/pages/${body.page.id}`, id: body.page.id, thing: body.page } };
        },
        page: (project, fields) => make(`${project.url}/pages`, 'page', fields),
        element: (page, fields) => make(`${page.url}/elements`, 'element', { type: 'text', ...fields }),
        bulk: (actions) => call('POST', `/users/${actor.id}/bulk`, { actions }),
        remix: (project) => make(`${project.url}/remixes`, 'project', {})
    };
}

/** The number of something in the database. */
export async function count(server: TestServer, sql: string, values: readonly (string | number)[] = []): Promise<number> {
    const { rows } = await server.database.db.raw(`select count(*)::int as n ${sql}`, values);
    return rows[0].n;
}

/** The number of connections to the database of which something is true, on all nodes of a cluster. @param condition SQL without parameters, on `pg_stat_activity` */
export async function connections(server: Pick<TestServer, 'database'>, condition: string): Promise<number> {
    if (isCluster) {
        const { rows } = await server.database.db.raw(`select sum(result::int)::int as n from run_command_on_all_nodes($$select count(*) from pg_stat_activity where datname = current_database() and ${condition}$$)`);
        return rows[0].n;
    }

    const [row] = await askServer<{ n: number }>(server.database, `select count(*)::int as n from pg_stat_activity where datname = ? and ${condition}`);
    return row?.n ?? 0;
}

/** The number of connections that wait for a lock, on all nodes of a cluster. */
export const waiting = (server: Pick<TestServer, 'database'>): Promise<number> => connections(server, `wait_event_type = 'Lock'`);

/** Locks a row while the jobs start, each as soon as the one before it waits; then returns their results. */
export async function startWhileLocked<Result>(
    server: TestServer, [table, id]: readonly ['projects' | 'users', string], jobs: readonly (() => Promise<Result>)[], meanwhile?: (trx: Knex.Transaction) => Promise<void>
): Promise<Result[]> {
    const begun: Promise<Result>[] = [];
    await server.database.db.transaction(async (trx) => {
        // On a cluster, shards read copies of accounts, which follow only writes.
        await trx.raw(hasShards && table === 'users' ? 'update users set username = username where id = ?' : `select from ${table} where id = ? for no key update`, [id]);
        for (const [index, job] of jobs.entries()) {
            let answered: Result | undefined;
            begun.push(job().then((answer) => {
                answered = answer;
                return answer;
            }));
            while (await waiting(server) <= index) {
                expect(answered).to.be.undefined();
                await sleep(1);
            }
        }

        await meanwhile?.(trx);
    });
    return await Promise.all(begun);
}

export const ID = /^[1-9][0-9]*$/;

/** ISO 8601 in UTC, to the millisecond. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Checks the fields that a test cannot know in advance, and returns the others. */
export function known<Thing extends { id: string; history: { created_at: string; updated_at: string } }>(thing: Thing): Omit<Thing, 'id' | 'history'> {
    const { id, history, ...rest } = thing;
    expect(id).to.match(ID);
    expect(Object.keys(history)).to.equal(['created_at', 'updated_at']);
    expect(history.created_at).to.match(TIME);
    expect(history.updated_at).to.match(TIME);
    return rest;
}

/** An object with a number of nested levels, including itself; one of them is an array. */
export function nested(levels: number): object {
    let value: object = {};
    for (let i = 1; i < levels; ++i) {
        value = i === 1 ? [value] : { in: value };
    }

    return value;
}

/** An object whose JSON text in UTF-8 has this many bytes; most characters take two. */
export function ofBytes(bytes: number): object {
    const around = Buffer.byteLength(JSON.stringify({ data: '' }));
    const left = bytes - around;
    return { data: 'é'.repeat(Math.floor(left / 2)) + 'x'.repeat(left % 2) };
}

/** Runs jobs, a limited number at a time. */
export async function atOnce(jobs: number, width: number, job: (n: number) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
        while (next < jobs) {
            await job(next++);
        }
    };

    await Promise.all(Array.from({ length: width }, worker));
}
