import type { Context } from '../measure/context';
import { Client } from '../load/client';
import { median } from '../measure/figures';
import type { Options } from '../measure/options';
import { number, tableOf } from '../report/table';
import { openAccount } from './privacy';
import { openStore } from './store';
import { accounted, serve } from './world';

/** Comments in a long thread, and threads of another project; and people who follow one. */
const COMMENTS = 10_000;

/** Who comments on a project. */
const COMMENTERS = 1000;

/** Calls of each kind in a round. */
const CALLS = 20;

/** The most milliseconds of the median. */
const MOST = 20;

/** The people, of whom all follow the star. */
const people = `
    with u as (insert into users (username, username_key) select n, n from (select 'bench-talk-' || n as n from generate_series(1, ${COMMENTS}) n) n returning id)
    insert into follows (user_id, followed_id) select id, $1 from u`;

/** The follower follows as many as one may, who all have projects. */
const following = `
    insert into follows (user_id, followed_id) select $1, id from (select distinct user_id as id from projects where user_id not in ($1, $2) order by 1 limit 1999) p on conflict do nothing`;

const project = `
    insert into projects (user_id, version, title, visibility, page_count) values ($1, '1', 'Bench', 'public', 0) returning id`;

/** Comments on the project $1: the first and answers to it, counted so that there is room for more, or threads. */
const comments = (isThread: boolean): string => `
    insert into comments (project_id, id, thread_id, reply_to, user_id, text, replies, changed)
    select $1, $2::bigint + u.nth, ${isThread ? 'case when u.nth > 1 then $2::bigint + 1 end, case when u.nth > 1 then $2::bigint + 1 end' : 'null, null'},
        u.id, repeat('Well done! ', 18), ${isThread ? `case when u.nth = 1 then ${COMMENTS - 500} else 0 end` : '0'}, u.nth
    from generate_series(1, ${COMMENTS}) n
    cross join lateral (select n as nth, (select array_agg(id order by id) from users where username like 'bench-talk-%')[1 + n % ${COMMENTERS}] as id) u`;

/** As many notices as one keeps, of five things each. */
const notices = `
    insert into notices (user_id, kind, project_id, by_ids, things, count, at, first_at)
    select $1, 'comment', $2, array(select k.user_id from unnest(t.ids) i (id) join comments k on k.project_id = $2 and k.id = i.id), t.ids, 5, now(), now()
    from (select array_agg(k.id) as ids from (select k.id, row_number() over (order by k.id) / 5 as part from comments k where k.project_id = $2) k
        group by part having count(*) = 5 limit 1000) t`;

/** What each route of conversation costs where there is much of it. */
export async function runConversation({ projects, rounds, connections, only }: Options, { dir, processes, opened, log }: Context): Promise<boolean> {
    const store = await openStore(projects, null, log, opened);
    const world = await serve(processes, { dir, store, connections });
    const { sql } = world;
    const clear = async (): Promise<void> => {
        const ours = `select id from users where username like 'bench-%'`;
        await sql.query(`delete from comments where project_id in (select id from projects where user_id in (${ours}))`);
        await sql.query(`delete from statements where user_id in (${ours})`);
        await sql.query(`delete from thing_reports where user_id in (${ours})`);
        await sql.query('delete from thing_report_queue');
        await sql.query('delete from notice_events');
        await sql.query(`delete from projects where user_id in (${ours})`);
        await sql.query(`delete from users where username like 'bench-%'`);
    };

    try {
        await clear();
        const [star, follower, moderator] = [await openAccount(world, 'bench-star'), await openAccount(world, 'bench-follower'), await openAccount(world, 'bench-moderator')];
        await sql.query('update users set moderator = true where id = $1', [moderator.id]);
        await sql.query(people, [star.id]);
        await sql.query('insert into follows (user_id, followed_id) values ($1, $2)', [follower.id, star.id]);
        await sql.query(following, [follower.id, star.id]);
        const made: { id: string; first: string }[] = [];
        for (const isThread of [true, false]) {
            const { rows: [{ id } = { id: '' }] } = await sql.query<{ id: string }>(project, [star.id]);
            const { rows: [{ first } = { first: '' }] } = await sql.query<{ first: string }>('select coalesce(max(id), 0)::text as first from comments');
            const client = await sql.connect();
            await client.query('set session_replication_role = replica');
            await client.query(comments(isThread), [id, first]);
            await client.query('set session_replication_role = origin');
            client.release();
            made.push({ id, first });
        }

        await sql.query(`select setval(pg_get_serial_sequence('comments', 'id'), (select max(id) from comments))`);
        const [long = { id: '', first: '0' }, busy = long] = made;
        await sql.query(notices, [star.id, busy.id]);
        await sql.query(`
            insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts, appeal, appealed_at)
            select $2, $1, 'hold', 'comment', k.id, 'spam', 'Against the rules', 'own', 'No', now() from comments k where k.project_id = $2 order by k.id limit 2000`, [star.id, busy.id]);
        await sql.query(`
            with q as (insert into thing_report_queue (project_id, type, thing_id, open, count) select k.project_id, 'comment', k.id, true, 1 from comments k where k.project_id = $1 returning thing_id)
            insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round)
            select $1, 'comment', q.thing_id, u.id, 'spam', '', 0 from q cross join lateral (select id from users where username = 'bench-talk-' || (1 + q.thing_id % 1000)) u`, [busy.id]);
        await sql.query('vacuum analyze');

        const of = ({ id }: { id: string }): string => `/users/${star.id}/projects/${id}/comments`;
        const user = (path: string, { id } = star): string => `/users/${id}/${path}`;
        const mentions = Array.from({ length: 10 }, (_, n) => `@bench-talk-${n + 1}`).join(' ');
        const middle = Number(long.first) + COMMENTS / 2;
        const client = new Client(world.service.base, 1);
        const rows: string[][] = [];
        let met = true;
        /** Measures what is done again and again. */
        const measure = async (
            title: string, by: { headers: Record<string, string> }, method: string, path: (n: number) => string, status: number, body?: (n: number) => object, calls = CALLS * rounds
        ): Promise<void> => {
            if (only.length > 0 && !only.some((part) => title.includes(part))) {
                return;
            }

            const times: number[] = [];
            let bytes = 0;
            const { cpu, pgCpu } = await accounted(world, world.service, async () => {
                for (let n = 0; n < calls; ++n) {
                    const sent = method === 'GET' ? {} : { body: JSON.stringify(body?.(n) ?? {}) };
                    const answer = await client.call({ method, path: path(n), headers: by.headers, ...sent }, status);
                    bytes = Math.max(bytes, answer.body.length);
                    times.push(answer.ms);
                }

                return { requests: calls };
            });
            const half = median(times);
            met &&= half <= MOST;
            log(`${title}: ${number(half, 1)} ms; CPU ${number(cpu)} and ${number(pgCpu)} µs`);
            rows.push([title, `${number(half, 1)} ms`, `${number(cpu)} µs`, `${number(pgCpu)} µs`, `${number(bytes / 1024, 1)} KiB`, half <= MOST ? 'yes' : 'NO']);
        };

        const get = (title: string, path: string, by = star): Promise<void> => measure(`GET ${title}`, by, 'GET', () => path, 200);
        await get('project', `/users/${star.id}/projects/${long.id}`);
        await get(`comments, a thread of ${COMMENTS}`, of(long));
        await get('its answers', `${of(long)}?thread=${Number(long.first) + 1}&count=100`);
        await get('its answers, a guest', `${of(long)}?thread=${Number(long.first) + 1}&count=100`, { id: '', headers: {} });
        await get(`comments, ${COMMENTS} threads`, `${of(busy)}?count=100`, follower);
        await get('comments/settings', `${of(busy)}/settings`, follower);
        await measure('PUT comments/settings', star, 'PUT', () => `${of(busy)}/settings`, 200, () => ({ who: 'everybody' }));
        const first = middle + COMMENTS;
        await measure('POST comment, an answer in the long thread', follower, 'POST', () => of(long), 201, () => ({ text: 'Yes', reply_to: String(middle) }), CALLS);
        await measure('POST comment with ten mentions', follower, 'POST', () => of(busy), 201, () => ({ text: mentions }));
        await measure('PATCH comment', follower, 'PATCH', () => `${of(long)}/${2 * COMMENTS + Number(long.first) + 1}`, 200, (n) => ({ text: `Text ${n}` }));
        await measure('DELETE comment', star, 'DELETE', (n) => `${of(busy)}/${first + n}`, 200);
        await measure('PUT following', follower, 'PUT', () => user('following/bench-star', follower), 200);
        await get('following', user('following?count=100', follower), follower);
        await get('feed', user('feed?count=100', follower), follower);
        await measure('PUT blocks', star, 'PUT', (n) => user(`blocks/bench-talk-${2000 + n}`), 201);
        await get('blocks', user('blocks?count=100'));
        await measure('DELETE blocks', star, 'DELETE', (n) => user(`blocks/bench-talk-${2000 + n}`), 200);
        await sql.query('insert into project_likes (project_id, user_id) values ($1, $2)', [busy.id, follower.id]);
        await measure('PUT like', follower, 'PUT', () => `/projects/${busy.id}/like`, 200);
        await get('like', `/projects/${busy.id}/like`, follower);
        await get('notices, 1,000 of 5 things', user('notices?count=100'));
        await measure('PUT notices/read', star, 'PUT', () => user('notices/read'), 200, () => ({ until: '1' }));
        await measure('POST comment report', follower, 'POST', (n) => `/comments/${first + 1000 + n}/reports`, 201, () => ({ reason: 'spam' }), CALLS);
        await measure('POST user report', follower, 'POST', (n) => `/users/${Number(star.id) + 4 + n}/reports`, 201, () => ({ reason: 'spam' }), CALLS);
        await get('own reports', user('reports?count=100', follower), follower);
        await get('statements', user('statements?count=100'));
        await get('moderation/reports, 10,000 of comments', '/moderation/reports?count=100&kind=comment', moderator);
        await get('moderation/reports', '/moderation/reports?count=100', moderator);
        await get('moderation/appeals, 2,000 open', '/moderation/appeals?count=100', moderator);
        await get('moderation/summary', '/moderation/summary', moderator);
        await measure('PATCH comment reports', moderator, 'PATCH', (n) => `/moderation/reports/comments/${first + 2000 + n}`, 200, () => ({ state: 'held', note: 'Why' }), CALLS);
        const { rows: appeals } = await sql.query<{ id: string }>('select id::text as id from statements where user_id = $1 and appeal is not null order by id limit 100', [star.id]);
        await measure('PATCH appeal', moderator, 'PATCH', (n) => `/moderation/appeals/${appeals[n]?.id}`, 200, () => ({ outcome: 'upheld', reason: 'Why' }), CALLS);
        client.close();
        process.stdout.write(`\n${tableOf(['conversation', 'p50', 'CPU', 'CPU of PostgreSQL', 'largest answer', `≤ ${MOST} ms`], rows)}\n`);
        return met;
    }
    finally {
        await clear();
        await sql.end();
        await processes.stopAll();
        await store.close();
    }
}
