import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { byLookup, inAllShards, inEachProject, inProjectOfEachRow, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { isListed } from '../../rules/visibility';
import { exclusively } from '../../database/jobs/exclusive';
import { startPolling } from '../../database/jobs/poll';
import type { Database } from '../../database/statements/connection';
import { lookup, run, runAlways, runOne, statement } from '../../database/statements/statement';
import { pauses } from '../../api/concurrency/yielding';
import { BLOCK, OF_AUTHOR, lexemesOf, lexemesOfAuthor } from './lexemes';

/*
 * Keeps the index of the search: see schema.sql. Triggers note which projects have changed, so no route can forget
 * it. One instance at a time updates the index, a few projects in each transaction, and no writer waits.
 */

/** Projects in one transaction. */
const BATCH = 100;

/** Milliseconds between two checks whether something has changed. */
const EVERY = 500;

const due = lookup({ row: { due: 'boolean' }, place: byLookup }, `
    select exists (select from search_queue) or exists (select from search_authors) as due`);

const lock = statement({ row: { claimed: 'boolean' } }, 'select true as claimed from search_progress for update skip locked');

/** A project for the index; `listed` is null if it should not be in the index. */
const changedColumns = {
    id: 'text',
    listed: known<{ title: string; description: string; tags: string[]; username: string; language: string } | null>('json?', { title: '', description: '', tags: [''], username: '', language: '' })
} as const;
type Changed = RowOf<typeof changedColumns>;

const searchable = `json_build_object('title', p.title, 'description', p.description, 'tags', p.tags, 'username', u.username, 'language', u.language)`;

const queued = statement({ row: changedColumns, place: writing(inAllShards()) }, `
    with taken as (
        delete from search_queue where id in (select id from search_queue order by id limit ${BATCH}) returning project_id
    )
    select t.project_id::text as id, p.listed from (select distinct project_id from taken) t
    left join lateral (
        select ${searchable} as listed from projects p join users u on u.id = p.user_id where p.id = t.project_id and ${isListed('p')} limit 1
    ) p on true`);

// A user who changes their name meanwhile waits for the lock, and then all their projects are changed again. Authors take turns, so that one who changes it all the time holds up nobody.
const author = statement({ parameters: ['bigint'], row: { id: 'text', from: 'text' } }, 'select user_id::text as id, done_from::text as from from search_authors order by user_id <= $1, user_id limit 1 for update');
const named = statement({ parameters: ['bigint'], row: { username: 'text', language: 'text' } }, 'select username, language from users where id = $1');
const ofAuthor = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text' }, place: inAllShards({ kind: 'newest', count: BATCH }) }, `
    select p.id::text as id from projects p join users u on u.id = p.user_id
    where p.user_id = $1 and p.id < $2 and ${isListed('p')} order by p.id desc limit ${BATCH}`);
// All other words of a project stay, whatever it has.
const renamed = statement({ parameters: ['bigint[]', 'text[]'], place: writing(inEachProject(1)) }, `
    update project_search s set words = array_to_tsvector(
        array(select w from unnest(tsvector_to_array(s.words)) as w where w !~ '^[0-9]+[${OF_AUTHOR}]') || array(select (s.project_id / ${BLOCK})::text || w from unnest($2::text[]) as w)
    ) where s.project_id = any($1::bigint[])`);
const authorDone = statement({ parameters: ['bigint'] }, 'delete from search_authors where user_id = $1');
const authorDoneFrom = statement({ parameters: ['bigint', 'bigint'] }, 'update search_authors set done_from = $2 where user_id = $1');

const store = statement({ parameters: ['bigint[]', 'text[]'], place: writing(inProjectOfEachRow(1)) }, `
    insert into project_search (project_id, words)
    select id, array_to_tsvector(string_to_array(words, ' ')) from unnest($1::bigint[], $2::text[]) as new (id, words)
    on conflict (project_id) do update set words = excluded.words where project_search.words <> excluded.words`);

const remove = statement({ parameters: ['bigint[]'], place: writing(inEachProject(1)) }, 'delete from project_search where project_id = any($1::bigint[])');

async function put(db: Database, changed: readonly Changed[]): Promise<void> {
    const words: { id: string; text: string }[] = [];
    const pause = pauses();
    for (const { id, listed } of changed) {
        if (listed !== null) {
            words.push({ id, text: lexemesOf({ id, ...listed }).join(' ') });
            await pause();
        }
    }

    await run(db, store, [words.map(({ id }) => id), words.map(({ text }) => text)]);
    await run(db, remove, [changed.filter(({ listed }) => listed === null).map(({ id }) => id)]);
}

/**
 * Brings some projects of an author up to date, whose name or language has changed.
 * @param after the id of the author whose turn it was before
 * @returns the id of the author; undefined if there is none
 */
async function indexAuthor(trx: Database, after: string): Promise<string | undefined> {
    const changed = await runOne(trx, author, [after]);
    if (changed === undefined) {
        return undefined;
    }

    const { id, from } = changed;
    const now = await run(trx, named, [id]);
    const projects = await run(trx, ofAuthor, [id, from]);
    await run(trx, renamed, [projects.map((project) => project.id), now.flatMap(lexemesOfAuthor)]);
    const last = projects[BATCH - 1];
    await (last === undefined ? run(trx, authorDone, [id]) : run(trx, authorDoneFrom, [id, last.id]));
    return id;
}

/**
 * Brings the index up to date, unless another instance does: in each transaction some projects that have changed, and some of one author.
 * @param signal ends it between two steps
 */
export async function index(db: Knex, signal: AbortSignal): Promise<void> {
    for (let turn: string | undefined = '0'; turn !== undefined && !signal.aborted && (await runAlways(db, due, [])).due;) {
        const last: string = turn;
        turn = await exclusively(db, lock, async (trx) => {
            await put(trx, await run(trx, queued, []));
            return await indexAuthor(trx, last) ?? last;
        });
    }
}

/**
 * Keeps the index up to date.
 * @returns a function that ends it, after the step in progress
 */
export const keepIndexed = (db: Knex, logger: Pick<Logger, 'warn'>, every = EVERY): (() => Promise<void>) => {
    const failure = 'the index of the search could not be brought up to date, and is tried again';
    return startPolling((signal) => index(db, signal), { every, logger, failure }).end;
};
