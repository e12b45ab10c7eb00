import { selectDatabaseId } from '../../files/assets/fragments';
import { fromProjectsWithAuthor, fromTags } from '../../projects/fragments';
import { fromUsers, isSuspended } from '../../accounts/users/fragments';
import { inAllShards } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, statement } from '../../database/statements/statement';
import { hasVisibility, isListed } from '../../rules/visibility';

/** Projects and people that are read together, so that no statement takes long. */
const TOGETHER = 200;

/** Tags that have a page: those that the most projects have. */
const MAX_TAGS = 5000;

const isFree = `${live('u')} and ${isSuspended('u')} is not true`;

/** SQL for the projects of an archive, in the rows `p`: what is public, of people who are not suspended. */
const archived = `${fromProjectsWithAuthor} and ${isFree} where ${isListed('p')}`;

const next = statement({ parameters: ['bigint'], row: { id: 'text', user_id: 'text' }, place: inAllShards({ kind: 'first', count: TOGETHER }) }, `
    select p.id::text as id, p.user_id::text as user_id ${archived} and p.id > $1 order by p.id limit ${TOGETHER}`);

/** A project of an archive. */
export interface Archived {
    id: string;
    user_id: string;
}

/** All projects of an archive, by their ids. */
export async function* archivedProjects(db: Database): AsyncGenerator<Archived> {
    for (let rows = await run(db, next, ['0']); rows.length > 0; rows = await run(db, next, [rows.at(-1)?.id])) {
        yield* rows;
    }
}

const among = statement({ parameters: ['bigint[]'], row: { id: 'text' }, place: inAllShards() }, `select p.id::text as id ${archived} and p.id = any($1::bigint[])`);

/** Those of the projects that are in an archive. */
export async function findArchived(db: Database, ids: readonly string[]): Promise<Set<string>> {
    return new Set(ids.length === 0 ? [] : (await run(db, among, [ids])).map(({ id }) => id));
}

const people = statement({ parameters: ['text'], row: { id: 'text', username: 'text', about: 'text', key: 'text' } }, `
    select u.id::text as id, u.username, u.about, u.username_key as key ${fromUsers(isFree)} and u.username_key > $1 order by u.username_key limit ${TOGETHER}`);

/** Everybody who is not suspended, by name. */
export async function* archivedPeople(db: Database): AsyncGenerator<{ id: string; username: string; about: string }> {
    for (let rows = await run(db, people, ['']); rows.length > 0; rows = await run(db, people, [rows.at(-1)?.key])) {
        yield* rows;
    }
}

const tags = statement({ row: { tag: 'text', projects: 'integer' }, place: inAllShards() }, `
    select t.tag, count(*)::int as projects ${fromTags} group by t.tag order by count(*) desc, t.tag limit ${MAX_TAGS}`);

/** The tags that have a page, in the order of their letters. */
export async function findTags(db: Database): Promise<string[]> {
    // On a cluster, each shard has its own.
    const rows = (await run(db, tags, [])).sort((one, other) => other.projects - one.projects);
    return [...new Set(rows.map(({ tag }) => tag))].slice(0, MAX_TAGS).sort();
}

const leftOutColumns = { private: 'integer', unlisted: 'integer', held: 'integer', suspended: 'integer' } as const;
export type LeftOut = RowOf<typeof leftOutColumns>;

const leftOut = statement({ row: leftOutColumns, place: inAllShards({ kind: 'sum' }) }, `
    select (count(*) filter (where p.held_at is null and ${hasVisibility('p', 'private')}))::int as private, (count(*) filter (where p.held_at is null and ${hasVisibility('p', 'unlisted')}))::int as unlisted,
        (count(*) filter (where p.held_at is not null))::int as held, (count(*) filter (where ${isListed('p')} and ${isSuspended('u')}))::int as suspended
    ${fromProjectsWithAuthor} and ${live('u')} where ${live('p')}`);

/** How many projects are not in an archive, by the reason. */
export const countLeftOut = (db: Database): Promise<LeftOut> => runAlways(db, leftOut, []);

const database = statement({ row: { id: 'text' } }, selectDatabaseId);

/** The id of the database, which no other one has. */
export const findDatabaseId = async (db: Database): Promise<string> => (await runAlways(db, database, [])).id;
