import { fromActiveUser } from '../../accounts/users/fragments';
import { MAX_ID } from '../../api/request/schema';
import { known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime } from '../../database/statements/json-sql';
import { run, statement } from '../../database/statements/statement';
import { hasBlocked } from '../blocks/fragments';
import type { NoticeKind } from './kinds';
import { MAX_NOTICES } from './limits';
import { findPeople, findRights } from './rights';
import type { Answer, Person, Rights, RightsOptions, Told } from './rights';

/*
 * The notices of somebody, as they may see them at this moment: what they may not read any more is left out before anything is counted.
 */

// Ids in one text are read faster than in an array.
const noticeColumns = {
    id: 'text', kind: known<NoticeKind>('text'), project_id: 'text', by_ids: 'text', things: 'text',
    count: 'integer', at: 'text', read: 'boolean'
} as const;
type Row = RowOf<typeof noticeColumns>;

const isRead = 'n.id <= coalesce((select r.read_until from notice_readers r where r.user_id = $1), 0)';

/** SQL for which notices are those of the user $1. */
const areOwn = `n.user_id = $1 and exists (select ${fromActiveUser('$1')})`;

const kept = statement({ parameters: ['bigint', 'bigint', 'integer'], row: noticeColumns }, `
    select n.id::text as id, n.kind, n.project_id::text as project_id, array_to_string(n.by_ids, ' ') as by_ids, array_to_string(n.things, ' ') as things,
        n.count, ${isoTime('n.at')} as at, ${isRead} as read
    from notices n where ${areOwn} and n.id < $2 order by n.id desc limit $3::integer`);

const unreadColumns = { kind: known<NoticeKind>('text'), project: 'text', blocked: 'boolean', ids: 'text', things: 'text' } as const;

/**
 * The things of unread notices, in a row for each kind and project: that is faster than a row for each.
 * @param things SQL for the rows `thing` and `by` of a notice
 */
const unreadThings = (things: string, more: readonly string[] = []) => statement({ parameters: ['bigint', ...more], row: unreadColumns }, `
    select n.kind, n.project_id::text as project, ${hasBlocked('$1', 't.by')} as blocked, string_agg(n.id::text, ' ') as ids, string_agg(t.thing::text, ' ') as things
    from notices n cross join lateral (select ${things}) t (thing, by) where ${areOwn} and not ${isRead} group by 1, 2, 3`);
const newest = unreadThings('n.things[cardinality(n.things)], n.by_ids[cardinality(n.by_ids)]');
const others = unreadThings('* from unnest(n.things, n.by_ids) where n.id = any($2)', ['bigint[]']);

/** Somebody, or something, by id and name. */
interface Named {
    id: string;
    username: string;
}

/** A notice, as it is shown. */
export interface Notice {
    id: string;
    kind: NoticeKind;
    at: string;
    by: Named | null;
    project: { id: string; user_id: string; title: string } | null;
    comment?: string;
    statement?: string;
    assignment?: { id: string; class_id: string; title: string };
    count: number;
    read: boolean;
}

const comments: readonly NoticeKind[] = ['comment', 'reply', 'mention'];
const statements: readonly NoticeKind[] = ['decision', 'appeal'];

/** All that a notice tells of, the newest last. */
function toldIn(reader: string, { kind, project_id: project, by_ids: ids, things }: Row): Told[] {
    const bys = ids.split(' ');
    return things.split(' ').map((thing, n) => ({ kind, reader, project, thing, by: bys[n] ?? '0' }));
}

/** A notice, by the newest thing of it that its reader may see. */
function noticeOf({ id, at, read, count }: Row, last: Told, rights: Rights, person: Answer<Person>): Notice {
    const { kind, reader, thing } = last;
    const by = person(reader, last.by);
    const project = rights.project(reader, last.project);
    const assignment = rights.assignment(reader, thing);
    return {
        id, kind, at,
        by: by?.active === true ? { id: by.id, username: by.username } : null,
        project: project === undefined ? null : { id: project.id, user_id: project.user_id, title: project.title },
        ...comments.includes(kind) && { comment: thing },
        ...statements.includes(kind) && thing !== '0' && { statement: thing },
        ...assignment !== undefined && { assignment: { id: assignment.id, class_id: assignment.class_id, title: assignment.title } },
        count, read
    };
}

/** Which notices are read: those before one, and how many at most. Without, all that are kept. */
interface Reading extends RightsOptions {
    before?: string;
    count?: number;
}

/** Reads the newest notices of a user that they may see. Where they may not see some, it looks on, at four times as many each time. */
export async function readNotices(
    db: Database, userId: string, { before = MAX_ID, count = MAX_NOTICES, ...options }: Reading
): Promise<Notice[]> {
    const found: Notice[] = [];
    for (let [place, many, isEnd] = [before, count, false]; found.length < count && !isEnd; many *= 4) {
        const rows = await run(db, kept, [userId, place, many]);
        const all = rows.map((row) => ({ row, told: toldIn(userId, row) }));
        const rights = await findRights(db, all.flatMap(({ told }) => told), options);
        const shown = all.flatMap(({ row, told }) => {
            const seen = told.filter((one) => rights.maySee(one));
            const last = seen.at(-1);
            // Of those before the last ones nobody knows who they were by: where some are left out, they may be by the same.
            return last === undefined ? [] : [{ last, row: { ...row, count: seen.length === told.length ? row.count : seen.length } }];
        }).slice(0, count - found.length);
        const person = await findPeople(db, shown.map(({ last }) => last));
        found.push(...shown.map(({ row, last }) => noticeOf(row, last, rights, person)));
        [place, isEnd] = [rows.at(-1)?.id ?? place, rows.length < many];
    }

    return found;
}

/** How many notices that a user may see are unread. Only where they may not see the newest thing of one, all of its things are looked up. */
export async function countUnread(db: Database, userId: string, options: RightsOptions): Promise<number> {
    const seenOf = async (rows: readonly RowOf<typeof unreadColumns>[]): Promise<Set<string>> => {
        const told = rows.filter(({ blocked }) => !blocked).flatMap(({ kind, project, ids, things }) => {
            const notices = ids.split(' ');
            return things.split(' ').map((thing, n) => ({ kind, reader: userId, project, thing, by: '0', id: notices[n] ?? '' }));
        });
        const rights = await findRights(db, told, options);
        return new Set(told.filter((one) => rights.maySee(one)).map(({ id }) => id));
    };

    const all = await run(db, newest, [userId]);
    const seen = await seenOf(all);
    const hidden = all.flatMap(({ ids }) => ids.split(' ')).filter((id) => !seen.has(id));
    return seen.size + (hidden.length === 0 ? 0 : (await seenOf(await run(db, others, [userId, hidden]))).size);
}

// One that is newer than all there are cannot be meant: whatever comes next would be read.
const noteRead = statement({ parameters: ['bigint', 'bigint'] }, `
    insert into notice_readers as r (user_id, read_until)
    select u.id, least($2, coalesce((select max(n.id) from notices n where n.user_id = $1), 0)) ${fromActiveUser('$1')}
    on conflict (user_id) do update set read_until = greatest(r.read_until, excluded.read_until)`);

/** Notes that a user has read their notices up to one. */
export async function noteNoticesRead(db: Database, userId: string, until: string): Promise<void> {
    await run(db, noteRead, [userId, until]);
}
