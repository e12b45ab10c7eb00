import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { readyAgain } from './scenario';
import type { Scenario } from './scenario';
import { Court, Talk, Talker } from './talkers';
import type { Person } from './talkers';
import { startTwo } from './two-instances';

/** Beside one restart of PostgreSQL in each round. */
const KILLS_A_ROUND = 8;
const TALKERS = 4;

/** Milliseconds until all notices are made after the kills. */
const PATIENCE = 60_000;

/** Keeps what is noted for whom, in the transaction that does so: the service takes it out of its outbox. */
const keep = `
    create table told (project_id bigint, user_id bigint, kind text, by_id bigint, thing_id bigint);
    create function keep_told() returns trigger language plpgsql as $$
    begin
        insert into told values (new.project_id, new.user_id, new.kind, new.by_id, new.thing_id);
        return null;
    end $$;
    create trigger keep_told after insert on notice_events for each row execute function keep_told()`;

/** What finds nothing if all is well. */
const wrong: readonly (readonly [what: string, sql: string])[] = [
    ['comments that tell somebody twice, or whom they do not mean', `
        select k.id from comments k where (select array_agg(t.user_id order by t.user_id) from told t where t.thing_id = k.id and t.kind in ('comment', 'reply', 'mention'))
            is distinct from nullif((select coalesce(array_agg(u order by u), '{}') from unnest(k.told) u), '{}')`],
    ['statements without one notice', `
        select s.id from statements s where (select count(*) from told t where t.kind = 'decision' and t.user_id = s.user_id and t.thing_id = s.id) <> 1`],
    ['appeals without one notice of what came of them', `
        select s.id from statements s
        where (select count(*) from told t where t.kind = 'appeal' and t.user_id = s.user_id and t.thing_id = s.id) <> case when s.outcome is null then 0 else 1 end`],
    ['statements that are in no count, or twice', `
        select from (select count(*) as n from statements) s, (select count(*) as n from moderation_counts c where c.act in ('hold', 'remove')) c where s.n <> c.n`],
    ['comments with a wrong number of answers', `
        select k.id from comments k
        where k.replies <> (select count(*) from comments r where r.project_id = k.project_id and r.removed_at is null and (r.thread_id = k.id or r.reply_to = k.id))`],
    ['comments whose removal or holding is stated by nobody, or the other way round', `
        select k.id from comments k where (coalesce(k.removed_by = 'moderator', false) or k.held_at is not null)
            is distinct from exists (select from statements s where s.type = 'comment' and s.thing_id = k.id and s.ended_at is null)`]
];

/** Compares what is stored with what was acknowledged. @returns what is wrong, and how many comments, statements and notices there are */
async function compare(db: Knex, talk: Talk): Promise<{ found: string[]; counts: Record<'comments' | 'statements' | 'notices' | 'times', number> }> {
    const found: string[] = [];
    const rowsOf = async <Row>(sql: string): Promise<Row[]> => (await db.raw<{ rows: Row[] }>(sql)).rows;
    for (const [what, sql] of wrong) {
        const rows = await rowsOf<object>(sql);
        found.push(...rows.length === 0 ? [] : [`there are ${what}: ${rows.length}, ${JSON.stringify(rows.slice(0, 3))}`]);
    }

    const comments = await rowsOf<{ id: string; text: string; kinds: Record<string, string> }>(`
        select k.id::text as id, k.text, coalesce((select json_object_agg(t.user_id, t.kind) from told t where t.thing_id = k.id and t.kind in ('comment', 'reply', 'mention')), '{}') as kinds
        from comments k`);
    const byText = new Map<string, typeof comments>();
    comments.forEach((comment) => byText.set(comment.text, [...byText.get(comment.text) ?? [], comment]));
    const sorted = (kinds: Iterable<readonly [string, string]>): string => [...kinds].map((pair) => pair.join()).sort().join(' ');
    /** Notices of comments that their receivers must have, and those that they may have. */
    const due = new Map<string, number>();
    const possible = new Map<string, number>();
    const add = (to: Map<string, number>, name: string): unknown => to.set(name, (to.get(name) ?? 0) + 1);
    for (const { text, id, told, owner, isTouched } of talk.sent) {
        const stored = byText.get(text) ?? [];
        byText.delete(text);
        if (id === null ? stored.length > 1 : stored.length !== 1 || stored[0]?.id !== id) {
            found.push(`${text}, ${id === null ? 'without an answer' : `acknowledged as ${id}`}, is there ${stored.length} times`);
        }

        for (const { kinds } of stored) {
            if (sorted(Object.entries(kinds)) !== sorted(told)) {
                found.push(`${text} tells ${sorted(Object.entries(kinds))}, and not ${sorted(told)}`);
            }

            for (const [user, kind] of told) {
                add(possible, `${user} ${kind} ${owner.project}`);
                if (!isTouched) {
                    add(due, `${user} ${kind} ${owner.project}`);
                }
            }
        }
    }

    found.push(...[...byText.keys()].map((text) => `${text} is there, and nobody has sent it`));
    const statements = await rowsOf<{ thing: string; decision: string; outcome: string | null }>('select thing_id::text as thing, decision, outcome from statements');
    for (const { sent, reporter, decision, outcome = null } of talk.cases) {
        const stated = statements.filter(({ thing }) => thing === sent.id);
        if (stated.length !== 1 || stated[0]?.decision !== decision || stated[0].outcome !== outcome) {
            found.push(`${decision} of comment ${sent.id}, with the outcome ${outcome}, is stated as ${JSON.stringify(stated)}`);
        }

        add(due, `${sent.author.id} decision ${sent.owner.project}`);
        add(due, `${reporter.id} decision 0`);
        if (outcome !== null) {
            add(due, `${sent.author.id} appeal ${sent.owner.project}`);
        }
    }

    talk.follows.forEach((pair) => add(due, `${pair.split(' ')[1]} follow 0`));
    const notices = await rowsOf<{ name: string; times: number; rows: number }>(`
        select concat_ws(' ', n.user_id, n.kind, n.project_id) as name, sum(n.count)::int as times, count(*)::int as rows from notices n group by 1`);
    const told = new Map(notices.map(({ name, times }) => [name, times]));
    for (const name of new Set([...due.keys(), ...told.keys()])) {
        const [least, times, most] = [due.get(name) ?? 0, told.get(name) ?? 0, possible.get(name) ?? due.get(name) ?? 0];
        if (times < least || times > most) {
            found.push(`${name}: told ${times} times, and not ${least} to ${most}`);
        }
    }

    return { found, counts: {
        comments: comments.length, statements: statements.length,
        notices: notices.reduce((sum, { rows }) => sum + rows, 0), times: notices.reduce((sum, { times }) => sum + times, 0)
    } };
}

/** Somebody's notices over the API: each is there once, and as many are unread as it says. */
async function readAll(talk: Talk, person: Person): Promise<void> {
    const ids: string[] = [];
    let unread = 0;
    let path: string | null = `/users/${person.id}/notices?count=10`;
    let said: number | undefined;
    while (path !== null) {
        const { body } = await talk.must(person, 'GET', path, [200]);
        said ??= body.unread;
        unread += body.notices.filter(({ read }: { read: boolean }) => !read).length;
        ids.push(...body.notices.map(({ id }: { id: string }) => id));
        path = body.next === null ? null : `/users/${person.id}/notices?count=10&after=${encodeURIComponent(body.next)}`;
    }

    talk.check(new Set(ids).size === ids.length && unread === said, `${person.username} reads ${ids.length} notices, ${unread} unread in the place of ${said}`);
}

/** People talk, and moderators decide, while instances and PostgreSQL are killed: nothing is lost, and nothing is there or told twice. */
export const conversationKills: Scenario = {
    name: 'conversation',
    title: 'SIGKILL of instances and of PostgreSQL while people comment, moderators decide, and others appeal',
    run: async (context, outcome) => {
        const { dice, rounds, log } = context;
        const both = await startTwo({}, context, outcome);
        const { database, services } = both;
        await database.db.raw(keep);
        const talk = new Talk(services, dice.split(), outcome);
        for (let n = 0; n < TALKERS; ++n) {
            talk.people.push(await talk.open(`talker-${n}`));
        }

        const moderators = [await talk.open('moderator-0'), await talk.open('moderator-1')] as const;
        await database.db.raw('update users set moderator = true where id = any(?::bigint[])', [moderators.map(({ id }) => id)]);
        const talkers = talk.people.map((person) => new Talker(talk, dice.split(), person));
        const court = new Court(talk, dice.split(), moderators);
        const write = (isOn: () => boolean): Promise<void>[] => [...talkers, court].map(async (one) => {
            while (isOn()) {
                await one.step();
                await sleep(dice.between(0, 150));
            }
        });

        let last = '';
        for (let round = 1; round <= rounds && outcome.findings.length === 0; ++round) {
            await both.killWhile(KILLS_A_ROUND, write);
            let isOn = true;
            const written = write(() => isOn);
            await sleep(dice.between(200, 600));
            await database.kill(round % 2 === 0 ? 'SIGQUIT' : 'SIGKILL');
            outcome.kills.add('PostgreSQL');
            await database.up();
            await Promise.all(services.map((service) => readyAgain(service)));
            await sleep(dice.between(200, 600));
            isOn = false;
            await Promise.all(written);

            const waiting = async (): Promise<boolean> => (await database.db.raw<{ rows: object[] }>('select from notice_events limit 1')).rows.length > 0;
            for (const deadline = Date.now() + PATIENCE; await waiting(); await sleep(100)) {
                if (Date.now() > deadline) {
                    outcome.findings.push(`notices are not made after ${PATIENCE} ms`);
                    break;
                }
            }

            const { found, counts } = await compare(database.db, talk);
            outcome.findings.push(...found, ...both.faults());
            await Promise.all(talk.people.map((person) => readAll(talk, person)));
            outcome.checks++;
            const appeals = talk.cases.filter(({ outcome: made }) => made !== undefined).length;
            last = `${counts.comments} comments, ${counts.statements} decisions, ${appeals} appeals; ${counts.notices} notices of ${counts.times} things`;
            log(`round ${round}: ${outcome.kills}; ${last}; ${outcome.acknowledged} answers, ${outcome.lost} lost`);
        }

        outcome.notes.push(last);
    }
};
