import type { Context } from '../measure/context';
import { Client } from '../load/client';
import { median } from '../measure/figures';
import type { Options } from '../measure/options';
import { number, tableOf } from '../report/table';
import { openAccount } from './privacy';
import { openStore } from './store';
import { accounted, serve } from './world';

/** What is in the class. */
const PUPILS = 200;
const PROJECTS = 2000;
const ASSIGNMENTS = 20;

/** Calls of each kind in a round. */
const CALLS = 50;

/** The most milliseconds of the median. */
const MOST = 20;

/** Fills a class with people, projects, and works that are handed in. @returns its id, that of an assignment, and that of a pupil */
const fill = `
    with c as (insert into classes (title, publish, comments, code) values ('Bench', 'class', true, 'k7pm3xwrd9tz') returning id),
    u as (insert into users (username) select 'bench-pupil-' || n from generate_series(1, ${PUPILS}) n returning id),
    t as (insert into class_people (class_id, user_id, role) select c.id, $1, 'teacher' from c),
    k as (insert into class_people (class_id, user_id, role, name) select c.id, u.id, 'pupil', 'Pupil ' || u.id from c, u),
    p as (insert into projects (user_id, version, title, visibility, page_count) select u.id, '1', 'Project ' || n, 'private', 0 from u, generate_series(1, ${PROJECTS / PUPILS}) n returning id, user_id),
    a as (insert into assignments (class_id, title, text) select c.id, 'Assignment ' || n, '' from c, generate_series(1, ${ASSIGNMENTS}) n returning id),
    one as materialized (select min(id) as id, user_id from p group by user_id),
    w as (insert into works (assignment_id, user_id, project_id, state, points, handed_in_at) select a.id, one.user_id, one.id, 'handed_in', '{1}', now() from a, one)
    select c.id as class, (select min(id) from a) as assignment, (select min(id) from u) as pupil from c`;

/** The pages of a large class, as its teacher and one of its pupils read them. */
export async function runClasses({ projects, rounds, connections }: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const store = await openStore(projects, null, log, opened);
    const world = await serve(processes, { dir, store, connections, settings: { TEACHERS: 'open' } });
    const { sql } = world;
    const clear = async (): Promise<void> => {
        await sql.query(`delete from class_projects where class_id in (select id from classes where title = 'Bench')`);
        await sql.query(`delete from classes where title = 'Bench'`);
        await sql.query(`delete from projects where user_id in (select id from users where username like 'bench-pupil-%')`);
        await sql.query(`delete from users where username like 'bench-pupil-%' or username = 'bench-teacher'`);
    };

    try {
        await clear();
        const teacher = await openAccount(world, 'bench-teacher');
        const { rows: [made] } = await sql.query<{ class: string; assignment: string; pupil: string }>(fill, [teacher.id]);
        if (made === undefined) {
            throw new Error('There is no class');
        }

        await sql.query(`insert into class_projects (class_id, project_id, audience) select $1, p.id, 'class' from class_people k join projects p on p.user_id = k.user_id where k.class_id = $1`, [made.class]);
        await sql.query('vacuum analyze projects, class_projects, class_people, works, assignments, users');
        const pupil = await openAccount(world, `bench-pupil-${PUPILS}`);
        const path = `/classes/${made.class}`;
        const kinds = [
            ['GET class', path], ['GET projects', `${path}/projects?count=25`], ['GET projects of a pupil', `${path}/projects?pupil=${made.pupil}`],
            ['GET assignments', `${path}/assignments`], ['GET works', `${path}/assignments/${made.assignment}/work`]
        ].flatMap(([title = '', url = '']) => [{ title: `${title}, teacher`, url, headers: teacher.headers }, { title: `${title}, pupil`, url, headers: pupil.headers }]);
        const client = new Client(world.service.base, 1);
        let met = true;
        const rows: string[][] = [];
        for (const { title, url, headers } of kinds) {
            const times: number[] = [];
            const call = async (calls: number): Promise<{ requests: number }> => {
                for (let n = 0; n < calls; ++n) {
                    times.push((await client.call({ path: url, headers }, 200)).ms);
                }

                return { requests: calls };
            };

            await call(CALLS);
            times.length = 0;
            const { cpu, pgCpu } = await accounted(world, world.service, () => call(CALLS * rounds));
            const middle = median(times);
            met &&= middle <= MOST;
            rows.push([title, `${number(middle, 2)} ms`, `${number(cpu)} µs`, `${number(pgCpu)} µs`, middle <= MOST ? 'yes' : 'NO']);
        }

        client.close();
        process.stdout.write(`\n${tableOf([`a class of ${PUPILS} pupils and ${PROJECTS} projects`, 'p50', 'CPU', 'CPU of PostgreSQL', `≤ ${MOST} ms`], rows)}\n`);
        return met;
    }
    finally {
        await clear();
        await sql.end();
        await processes.stopAll();
        await store.close();
    }
}
