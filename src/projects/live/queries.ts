import { isValidToken } from '../../accounts/tokens/fragments';
import { canTeach } from '../../classes/fragments';
import { joinActiveUser, joinUser } from '../../accounts/users/fragments';
import { changedComments, commentChanges } from '../../community/comments/fragments';
import { inProject, inProjectOfEachRow, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { isoTime, jsonObject, plainQuoted } from '../../database/statements/json-sql';
import { lookup, run, runOne, statement } from '../../database/statements/statement';
import { projectChain } from '../../rules/chain';
import { forReaders, isOpen, mayRead } from '../../rules/visibility';
import type { Readable, Reader } from '../../rules/visibility';
import { writerJson } from '../../api/representations/change';
import { MAX_CHANGES_PER_EVENT } from './project-stream';
import type { StreamedChange, StreamedComment } from './project-stream';

const present = forReaders({
    parameters: ['bigint', 'bigint'], row: { open: 'boolean', revision: 'integer', comments: 'integer' }, place: inProject(2)
}, (reader) => `select ${isOpen('p')} as open, p.revision, ${commentChanges('p.id')} as comments ${projectChain(reader)}`, lookup);

/**
 * The revision of the project in a path, and how often something has happened to its comments; undefined if there is none that the reader
 * may see.
 */
export function presentRevision(
    db: Database, userId: string, id: string, reader: Reader
): Promise<Readable & { revision: number; comments: number } | undefined> {
    return runOne(db, ...present(reader, [userId, id]));
}

/** The state of a project as a reader sees it. */
export interface Seen {
    id: string;
    /** id of a user; null if it is read as everybody may */
    reader: string | null;
    /** the hash of the reader's token, if it is one of ours */
    token: Buffer | null;
    /** a revision */
    seen: number;
    /** how often something had happened to its comments */
    comments: number;
}

/** The events of a project since a revision. */
const movedColumns = {
    /** which of the projects that were passed, from 1 */
    n: 'integer',
    /** that revision */
    since: 'integer',
    /** its revision now; null if the reader may no longer see it */
    revision: 'integer?',
    /** whether the reader's token, or account, is not valid any more */
    expired: 'boolean',
    /** the newest changes since then, oldest first: at most one more than is sent */
    changes: known<StreamedChange[]>('json', [{ revision: 1, data: '' }]),
    /** what has happened to its comments, oldest first */
    comments: known<StreamedComment[]>('json', [{ changed: 1, data: '' }])
} as const;
export type Moved = RowOf<typeof movedColumns>;

/** Maximum number of projects whose changes one statement reads. */
export const MAX_MOVED = 50;

const data = jsonObject({
    revision: 'c.revision',
    from: 'c.from_revision',
    at: plainQuoted(isoTime('c.at')),
    author: writerJson
});

const moved = statement({
    parameters: ['bigint[]', 'bigint[]', 'bytea[]', 'integer[]', 'boolean', 'integer[]'], row: movedColumns, place: inProjectOfEachRow(1)
}, `
    with m as materialized (
        select w.n, w.id, w.seen, w.comments, p.revision, w.reader is not null and r.id is null as expired
        from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::integer[], $6::integer[])
            with ordinality as w (id, reader, token, seen, comments, n)
        left ${joinActiveUser('w.reader', 'r')} and (w.token is null or ${isValidToken('w.token')})
        left join projects p on p.id = w.id and ${live('p')} and ${mayRead('p', { id: 'r.id', moderator: 'r.moderator', teaches: canTeach('r', '$5::boolean') })}
        where p.revision is distinct from w.seen or ${commentChanges('p.id')} > w.comments limit ${MAX_MOVED}
    )
    select m.n::int as n, m.seen as since, m.revision, m.expired, coalesce(json_agg(json_build_object('revision', c.revision, 'data', ${data}) order by c.revision) filter (where c.revision is not null), '[]') as changes,
        case when m.revision is null then '[]' else ${changedComments('m.id', 'm.comments')} end as comments
    from m left join lateral (
        select c.revision, c.from_revision, c.at, c.author_id from project_changes c
        where c.project_id = m.id and c.revision > m.seen order by c.revision desc limit ${MAX_CHANGES_PER_EVENT} + 1
    ) c on true left ${joinUser('c.author_id')}
    group by m.n, m.id, m.seen, m.comments, m.revision, m.expired`);

/**
 * Reads which of the projects have changed since the revision given for each, or can no longer be read by their reader.
 * @param everybody whether all teach whom no class manages (`TEACHERS=open`)
 * @returns at most 50 of them
 */
export const movedProjects = (db: Database, all: readonly Seen[], everybody: boolean): Promise<Moved[]> => {
    return run(db, moved, [
        all.map(({ id }) => id), all.map(({ reader }) => reader), all.map(({ token }) => token), all.map(({ seen }) => seen), everybody,
        all.map(({ comments }) => comments)
    ]);
};
