import type { Database } from '../db/connection';
import { live } from '../db/deletion';
import { isoTime, jsonObject, plainQuoted } from '../db/json-sql';
import { lookup, run, runOne, statement } from '../db/statement';
import { projectChain } from '../authoring/chain';
import { writerJson } from '../representations/change';
import { MOST_TOLD } from './project-stream';
import type { Change } from './project-stream';

/** SQL for whether a stream may go on about the project in the row `p`. */
const readable = live('p');

const present = lookup<{ revision: number }>(`select p.revision ${projectChain}`);

/** The revision of the project in a path; undefined if it does not exist. */
export async function presentRevision(db: Database, userId: string, id: string): Promise<number | undefined> {
    return (await runOne(db, present, [userId, id]))?.revision;
}

/** What happened to a project since a revision. */
export interface Moved {
    id: string;
    /** that revision */
    since: number;
    /** its revision now; null if it can no longer be read */
    revision: number | null;
    /** the newest changes since then, oldest first; one more than are told, if there are that many */
    changes: Change[];
}

/** Projects that one statement reads the changes of. */
export const MOST_MOVED = 50;

const data = jsonObject({
    revision: 'c.revision',
    from: 'c.from_revision',
    at: plainQuoted(isoTime('c.at')),
    author: writerJson
});

// A project from before the history has no changes: all that was counts as one.
const moved = statement<Moved>(`
    with m as materialized (
        select w.id, w.seen, p.user_id, p.revision, p.updated_at, p.change_revision
        from unnest($1::bigint[], $2::integer[]) as w (id, seen) left join projects p on p.id = w.id and ${readable}
        where p.revision is distinct from w.seen limit ${MOST_MOVED}
    )
    select m.id, m.seen as since, m.revision, coalesce(json_agg(json_build_object('revision', c.revision, 'data', ${data}) order by c.revision) filter (where c.revision is not null), '[]') as changes
    from m left join lateral (
        (select c.revision, c.from_revision, c.at, c.author_id from project_changes c
        where c.project_id = m.id and c.revision > m.seen order by c.revision desc limit ${MOST_TOLD} + 1)
        union all
        select m.revision, 0, m.updated_at, m.user_id where m.change_revision is null
    ) c on true left join users u on u.id = c.author_id
    group by m.id, m.seen, m.revision`);

/**
 * Reads which of the projects have moved on since the revision that is given for each, or can no longer be read.
 * @returns at most 50 of them
 */
export const movedProjects = (db: Database, seen: ReadonlyMap<string, number>): Promise<Moved[]> => run(db, moved, [[...seen.keys()], [...seen.values()]]);
