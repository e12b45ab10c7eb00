import { fromActiveUser } from '../../accounts/users/fragments';
import { known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime } from '../../database/statements/json-sql';
import { run, statement } from '../../database/statements/statement';
import type { NoticeKind } from './kinds';
import { findRights } from './rights';
import type { Rights, RightsOptions, Told } from './rights';

/*
 * The notices of somebody, as they may see them at this moment: what they may not read any more is left out before anything is counted.
 */

const noticeColumns = {
    id: 'text', kind: known<NoticeKind>('text'), project_id: 'text', by_ids: 'text[]', things: 'text[]',
    count: 'integer', at: 'text', read: 'boolean'
} as const;
type Row = RowOf<typeof noticeColumns>;

const kept = statement({ parameters: ['bigint'], row: noticeColumns }, `
    select n.id::text as id, n.kind, n.project_id::text as project_id, n.by_ids::text[] as by_ids, n.things::text[] as things,
        n.count, ${isoTime('n.at')} as at,
        n.id <= coalesce((select r.read_until from notice_readers r where r.user_id = n.user_id), 0) as read
    from notices n where n.user_id = $1 and exists (select ${fromActiveUser('$1')}) order by n.id desc`);

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
const toldIn = (reader: string, { kind, project_id: project, by_ids: bys, things }: Row): Told[] => things.map((thing, n) => ({
    kind, reader, project, thing, by: bys[n] ?? '0'
}));

/** A notice of what its reader may see; undefined if that is nothing. */
function noticeOf(reader: string, row: Row, rights: Rights): Notice | undefined {
    const { id, kind, at, count, read, things } = row;
    const shown = toldIn(reader, row).filter((one) => rights.maySee(one));
    const last = shown.at(-1);
    if (last === undefined) {
        return undefined;
    }

    const by = rights.person(reader, last.by);
    const project = rights.project(reader, last.project);
    const assignment = rights.assignment(reader, last.thing);
    return {
        id, kind, at,
        by: by?.active === true ? { id: by.id, username: by.username } : null,
        project: project === undefined ? null : { id: project.id, user_id: project.user_id, title: project.title },
        ...comments.includes(kind) && { comment: last.thing },
        ...statements.includes(kind) && last.thing !== '0' && { statement: last.thing },
        ...assignment !== undefined && { assignment: { id: assignment.id, class_id: assignment.class_id, title: assignment.title } },
        // Of those before the last ones nobody knows who they were by: where some are left out, they may be by the same.
        count: shown.length === things.length ? count : shown.length, read
    };
}

/** Reads all notices of a user that they may see, newest first. There are not more than are kept. */
export async function readNotices(db: Database, userId: string, options: RightsOptions): Promise<Notice[]> {
    const rows = await run(db, kept, [userId]);
    const rights = await findRights(db, rows.flatMap((row) => toldIn(userId, row)), options);
    return rows.flatMap((row) => noticeOf(userId, row, rights) ?? []);
}

/** How many of them are unread. */
export const unreadIn = (notices: readonly Notice[]): number => notices.filter(({ read }) => !read).length;

// One that is newer than all there are cannot be meant: whatever comes next would be read.
const noteRead = statement({ parameters: ['bigint', 'bigint'] }, `
    insert into notice_readers as r (user_id, read_until)
    select u.id, least($2, coalesce((select max(n.id) from notices n where n.user_id = $1), 0)) ${fromActiveUser('$1')}
    on conflict (user_id) do update set read_until = greatest(r.read_until, excluded.read_until)`);

/** Notes that a user has read their notices up to one. */
export async function noteNoticesRead(db: Database, userId: string, until: string): Promise<void> {
    await run(db, noteRead, [userId, until]);
}
