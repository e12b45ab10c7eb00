import type { Knex } from 'knex';

import { joinActiveUser } from '../../accounts/users/fragments';
import { inAllShards, inProjectOfEachRow, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { exclusiveLock, exclusively } from '../../database/jobs/exclusive';
import type { Database } from '../../database/statements/connection';
import { isoTime } from '../../database/statements/json-sql';
import { run, runOne, statement } from '../../database/statements/statement';
import { isOfOneThing } from './kinds';
import type { NoticeKind } from './kinds';
import { findPeople, findRights } from './rights';
import type { Answer, Person, Rights, Told } from './rights';
import { KEPT_THINGS, MAX_NOTICES } from './limits';

/*
 * From the outbox, which is filled in the transaction of what notices tell of, to the notices of people. One instance at a time does it, in
 * one transaction: what is taken out of the one is in the other, or it was for nobody who may know of it.
 */

/** Events in one transaction. */
const BATCH = 500;

/** Milliseconds within which notices of one kind about one project are one. */
const HOUR = 3_600_000;

const eventColumns = {
    id: 'text', project_id: 'text', user_id: 'text', kind: known<NoticeKind>('text'), by_id: 'text', thing_id: 'text', at: 'text'
} as const;
type Event = RowOf<typeof eventColumns>;

const lock = exclusiveLock(7243392051);

const events = (count: number) => statement({ row: eventColumns, place: inAllShards({ kind: 'first', count }) }, `
    select e.id::text as id, e.project_id::text as project_id, e.user_id::text as user_id, e.kind,
        coalesce(e.by_id, 0)::text as by_id, coalesce(e.thing_id, 0)::text as thing_id, ${isoTime('e.at')} as at
    from notice_events e order by e.id limit ${count}`);
const first = events(1);
const some = events(BATCH);

const taken = statement({ parameters: ['bigint[]', 'bigint[]'], place: writing(inProjectOfEachRow(1)) }, `
    delete from notice_events e using unnest($1::bigint[], $2::bigint[]) as t (project_id, id)
    where e.project_id = t.project_id and e.id = t.id`);

/** A notice to be. */
interface Made {
    user_id: string;
    kind: NoticeKind;
    project_id: string;
    by_ids: string[];
    things: string[];
    count: number;
    at: string;
    first_at: string;
    /** the thing that another one must tell of to be joined; null for any */
    of: string | null;
}

/** SQL for the last ones of an array that are kept. */
const lastOf = (array: string): string => `${array}[greatest(1, cardinality(${array}) - ${KEPT_THINGS - 1}):]`;

// What it is joined with gets a new id, so that it is unread again. Rows are in the order of users, whom the foreign key locks.
const store = statement({ parameters: ['json'] }, `
    with n as materialized (
        select n.*, row_number() over (order by n.user_id, n.at, n.place) as nth
        from json_to_recordset($1::json) as n (
            place integer, user_id bigint, kind text, project_id bigint, by_ids bigint[], things bigint[], count integer,
            at timestamptz, first_at timestamptz, "of" bigint)
        ${joinActiveUser('n.user_id')}
    ), before as (
        delete from notices o using n where o.id = (
            select max(m.id) from notices m where m.user_id = n.user_id and m.kind = n.kind and m.project_id = n.project_id
                and m.first_at > n.first_at - interval '1 hour' and (n."of" is null or n."of" = any(m.things)))
        returning n.nth, o.by_ids, o.things, o.count, o.first_at
    ), joined as (
        select n.*, coalesce(b.by_ids, '{}') || n.by_ids as all_by, coalesce(b.things, '{}') || n.things as all_things,
            n.count + coalesce(b.count, 0) as all_count, coalesce(b.first_at, n.first_at) as all_since
        from n left join before b on b.nth = n.nth
    )
    insert into notices (user_id, kind, project_id, by_ids, things, count, at, first_at)
    select j.user_id, j.kind, j.project_id, ${lastOf('j.all_by')}, ${lastOf('j.all_things')}, j.all_count, j.at, j.all_since
    from joined j order by j.nth`);

const surplus = statement({ parameters: ['bigint[]'] }, `
    delete from notices o using unnest($1::bigint[]) as u (id) where o.user_id = u.id and o.id < (
        select m.id from notices m where m.user_id = u.id order by m.id desc offset ${MAX_NOTICES - 1} limit 1)`);

const toldBy = ({ kind, user_id: reader, project_id: project, thing_id: thing, by_id: by }: Event): Told => ({
    kind, reader, project, thing, by
});

/** Whether somebody is told: not of their own acts, nor of those of whom they have blocked or who is gone, or of what they may not read. */
function isTold(event: Event, rights: Rights, person: Answer<Person>): boolean {
    const { by_id: by, user_id: reader } = event;
    return by !== reader && (by === '0' || person(reader, by)?.active === true) && rights.maySee(toldBy(event));
}

const newFollowers = statement({ parameters: ['bigint[]', 'bigint[]'], row: { n: 'integer' } }, `
    select min(w.n)::int as n from unnest($1::bigint[], $2::bigint[]) with ordinality as w (reader, by, n)
    where not exists (select from notices o where o.user_id = w.reader and o.kind = 'follow' and w.by = any(o.by_ids)) group by w.reader, w.by`);

/** These events, without those of whoever follows somebody again who still has the notice of it. */
async function withoutRepeated(trx: Knex.Transaction, all: readonly Event[]): Promise<Event[]> {
    const follows = all.filter(({ kind }) => kind === 'follow');
    const rows = follows.length === 0 ? [] : await run(trx, newFollowers, [follows.map(({ user_id: id }) => id), follows.map(({ by_id: id }) => id)]);
    const kept = new Set(rows.map(({ n }) => follows[n - 1]));
    return all.filter((event) => event.kind !== 'follow' || kept.has(event));
}

/** Notices of these events. Those of one kind about one project are one. */
function noticesOf(all: readonly Event[]): Made[] {
    const made: Made[] = [];
    const last = new Map<string, Made>();
    for (const { kind, user_id: userId, project_id: project, thing_id: thing, by_id: by, at } of all) {
        const of = isOfOneThing(kind) ? thing : null;
        const key = `${userId} ${kind} ${project} ${of}`;
        const before = last.get(key);
        if (before !== undefined && Date.parse(at) - Date.parse(before.first_at) < HOUR) {
            before.by_ids = [...before.by_ids, by].slice(-KEPT_THINGS);
            before.things = [...before.things, thing].slice(-KEPT_THINGS);
            before.count += 1;
            before.at = at;
            continue;
        }

        const notice = { user_id: userId, kind, project_id: project, by_ids: [by], things: [thing], count: 1, at, first_at: at, of };
        last.set(key, notice);
        made.push(notice);
    }

    return made;
}

/** Moves some events. @returns how many */
async function moveSome(trx: Knex.Transaction, everybody: boolean): Promise<number> {
    const all = await run(trx, some, []);
    const told = all.map(toldBy);
    const [rights, person] = [await findRights(trx, told, { everybody }), await findPeople(trx, told)];
    const made = noticesOf(await withoutRepeated(trx, all.filter((event) => isTold(event, rights, person))));
    if (made.length > 0) {
        await run(trx, store, [JSON.stringify(made.map((one, place) => ({ place, ...one })))]);
        await run(trx, surplus, [[...new Set(made.map(({ user_id: userId }) => userId))]]);
    }

    if (all.length > 0) {
        await run(trx, taken, [all.map(({ project_id: project }) => project), all.map(({ id }) => id)]);
    }

    return all.length;
}

/** Whether something is in the outbox. */
const hasEvents = async (db: Database): Promise<boolean> => await runOne(db, first, []) !== undefined;

/**
 * Moves all that is there, unless another instance does.
 * @param everybody whether all teach whom no class manages (`TEACHERS=open`)
 * @param signal ends it between two steps
 * @returns whether there was anything
 */
export async function moveNotices(db: Knex, everybody: boolean, signal: AbortSignal): Promise<boolean> {
    if (!await hasEvents(db)) {
        return false;
    }

    for (let count = BATCH; count === BATCH && !signal.aborted;) {
        count = await exclusively(db, lock, (trx) => moveSome(trx, everybody)) ?? 0;
    }

    return true;
}
