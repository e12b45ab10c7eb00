import { forgetsComments, joinCommentsOf } from '../../community/comments/fragments';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { ShardTarget, RowOf } from '../../database/declaration';
import { keepCredits } from '../../rules/credits';
import { hasHandedIn, worksWithdrawn } from '../../classes/works/fragments';
import { fromProject } from '../../projects/fragments';
import { run, runAlways, statement } from '../../database/statements/statement';
import { staysAfter } from './thin';
import type { Statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';

/** Rows of one kind to delete permanently. */
interface Rows {
    kind: string;
    from: string;
    /** tables that the condition also needs, and how they are joined */
    joined: string;
    /** $1 is the least number of seconds since the deletion */
    where: string;
    /** further statements that go with the rows in `gone`, as common table expressions */
    with?: string;
}

/** `least` ignores nulls: a thing counts as deleted since the first deletion of itself or of anything that it is in. */
const deleted = (...chain: string[]): string => `least(${chain.map((alias) => `${alias}.deleted_at`).join(', ')}) < now() - make_interval(secs => $1)`;

/** Whatever $1 is. */
const expired = (alias: string): string => `${alias}.expires_at < now() - make_interval(secs => 0 * $1::float8)`;

/** SQL for whether no point of the history contains the deleted page or element. Only points that fulfil the condition `stays` count. */
const unseen = (row: string, stays: string): string => `not exists (
    select from project_changes c where c.project_id = g.project_id and c.revision >= ${row}.created_revision and c.revision < ${row}.project_revision and ${stays})`;

/** Projects to purge; work handed in stays as long as account and class. */
const projectGone = `(${deleted('u')} or (${deleted('p')} and not ${hasHandedIn('p.id')}))`;
const pageGone = (stays: string): string => `(${projectGone} or (${deleted('g')} and ${unseen('g', stays)}))`;

/** SQL that also deletes the rows that belong to pages or elements. The first revision from which changes can be listed grows. */
const withThings = (type: 'page' | 'element'): string => `
    forgotten as (delete from versions v using gone where v.project_id = gone.project_id and v.type = '${type}' and v.id = gone.id),
    trashed as (delete from trash t using gone where t.type = '${type}' and t.thing_id = gone.id),
    told as (
        update projects p set known_since = greatest(p.known_since, s.revision) from (select project_id, max(project_revision) as revision from gone group by project_id) s
        where p.id = s.project_id and s.revision > p.known_since
    )`;

const withProjects = `credited as (${keepCredits('select id from gone')}), ` + [
    'versions', 'project_changes', 'history_gaps', 'trash', 'asset_uses', 'asset_set_uses', 'asset_doubts', 'made_thumbnails',
    'class_projects', 'class_hidden_projects', 'filter_checks', 'first_looks'
].map((table) => `gone_${table} as (delete from ${table} t using gone where t.project_id = gone.id)`).join(', ');

const elementsIf = (stays: string): Rows => ({
    kind: 'elements', from: 'elements e', joined: 'join pages g on g.id = e.page_id join projects p on p.id = g.project_id join users u on u.id = p.user_id',
    where: `(${pageGone(stays)} or (${deleted('e')} and ${unseen('e', stays)}))`, with: withThings('element')
});
const pagesIf = (stays: string): Rows => ({
    kind: 'pages', from: 'pages g', joined: 'join projects p on p.id = g.project_id join users u on u.id = p.user_id', where: pageGone(stays), with: withThings('page')
});
const [elements, pages] = [elementsIf('true'), pagesIf('true')];
const projects: Rows = { kind: 'projects', from: 'projects p', joined: 'join users u on u.id = p.user_id', where: projectGone, with: withProjects };

const users: Rows = { kind: 'users', from: 'users u', joined: '', where: deleted('u'), with: worksWithdrawn };

/** Elements before pages before projects before users, so that every deleted row is counted, and none is deleted by a cascade. */
const kinds = (stays: string): readonly Rows[] => [
    elementsIf(stays), pagesIf(stays), projects, users,
    { kind: 'classes', from: 'classes c', joined: '', where: deleted('c') },
    { kind: 'tokens', from: 'tokens t', joined: '', where: expired('t') },
    { kind: 'sign-up codes', from: 'sign_up_codes c', joined: '', where: `(${expired('c')} or c.uses_left = 0)` }
];

const countColumns = { count: 'bigint' } as const;
type Count = Statement<RowOf<typeof countColumns>>;

/** Maximum number of rows that one statement removes. */
const BATCH = 1000;

/** A query for the rows to delete. */
const picked = ({ from, joined, where }: Rows, columns: string): string => `select ${columns} from ${from} ${joined} where ${where}`;

const key = ({ kind, from }: Rows): [table: string, column: string] => [String(from.split(' ')[0]), kind === 'sign-up codes' ? 'hash' : 'id'];

/** Where such a statement runs on a cluster (docs/decisions/statements-in-shards.md). */
const placeOf = ({ joined }: Rows): ShardTarget => (joined === '' ? { kind: 'here' } : inAllShards({ kind: 'sum' }));

/** This runs before histories are thinned, so points that will be thinned out are not counted. $2 is `historyDays`. */
const counting = kinds(staysAfter('$2::int')).map((rows): [string, Count] => [rows.kind, statement({ parameters: ['double precision', 'integer'], row: countColumns, place: placeOf(rows) }, `${picked(rows, 'count(*)')} and $2::int > 0`)]);

/** Removes some rows. `some` is a further condition on them. */
function removal(rows: Rows, some = ''): Count {
    const [table, column] = key(rows);
    const alias = String(rows.from.split(' ')[1]);
    const returning = rows.kind === 'elements' ? 'gone.id, picked.project_id, gone.project_revision' : rows.kind === 'pages' ? 'gone.id, gone.project_id, gone.project_revision' : `gone.${column} as id`;
    const project = rows.kind === 'elements' ? ', g.project_id' : '';
    return statement({ parameters: ['double precision', ...some === '' ? [] : ['bigint[]']], row: countColumns, place: writing(placeOf(rows)) }, `
        with picked as materialized (${picked(rows, `${alias}.${column} as key${project}`)} ${some} limit ${BATCH}),
        gone as (delete from ${table} gone using picked where gone.${column} = picked.key returning ${returning})
        ${rows.with === undefined ? '' : `, ${rows.with}`}
        select count(*) from gone`);
}

const removing = kinds('true').map((rows): [string, Count] => [rows.kind, removal(rows)]);

/** Statements that remove the things with the ids in $2, and all that is in them. */
const removingSome = {
    element: [removal(elements, 'and e.id = any($2::bigint[])')],
    page: [elements, pages].map((rows) => removal(rows, 'and g.id = any($2::bigint[])')),
    project: [elements, pages, projects].map((rows) => removal(rows, 'and p.id = any($2::bigint[])'))
};

const commented = statement({ parameters: ['double precision', 'bigint[]'], row: { project: 'bigint', author: 'bigint' }, place: inAllShards() }, `
    select distinct k.project_id as project, u.id as author from users u ${joinCommentsOf('u.id')} where ${deleted('u')} and ($2::bigint[] is null or u.id = any($2))`);

const forget = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, `
    with locked as materialized (select p.id ${fromProject('$1')} for no key update) ${forgetsComments('$1', '$2')} and exists (select from locked)`);

/** Leaves the places of the comments of accounts that go, one project at a time: whoever changes comments locks their project first. */
async function forgetComments(db: Database, seconds: number, ids: readonly string[] | null): Promise<void> {
    for (const { project, author } of await run(db, commented, [seconds, ids])) {
        await run(db, forget, [project, author]);
    }
}

const removeUsers = removal(users, 'and u.id = any($2::bigint[])');

/** The number of rows of each kind. */
export type PurgeCounts = [kind: string, count: number][];

/** Counts what `purge` would remove. */
export async function countPurgeable(db: Database, seconds: number, historyDays: number): Promise<PurgeCounts> {
    const counts: PurgeCounts = [];
    for (const [kind, sql] of counting) {
        counts.push([kind, Number((await runAlways(db, sql, [seconds, historyDays])).count)]);
    }

    return counts;
}

/** Runs a statement until it finds nothing more to remove. */
async function removeAll(db: Database, sql: Count, values: readonly unknown[]): Promise<number> {
    let total = 0;
    for (let count = BATCH; count > 0;) {
        count = Number((await runAlways(db, sql, [...values])).count);
        total += count;
    }

    return total;
}

/**
 * Deletes rows permanently, a thousand at a time: what was deleted at least this many seconds ago and is in no kept point of a history, and what
 * has expired or is used up.
 */
export async function purge(db: Database, seconds: number): Promise<PurgeCounts> {
    const counts: PurgeCounts = [];
    for (const [kind, sql] of removing) {
        await (kind === users.kind && forgetComments(db, seconds, null));
        counts.push([kind, await removeAll(db, sql, [seconds])]);
    }

    return counts;
}

/** Purges some things and what is in them. */
export async function purgeSome(db: Database, seconds: number, type: keyof typeof removingSome, ids: readonly string[]): Promise<void> {
    for (const sql of removingSome[type]) {
        await removeAll(db, sql, [seconds, ids]);
    }
}

/** Purges some accounts. */
export async function purgeUsers(db: Database, seconds: number, ids: readonly string[], projectIds: readonly string[]): Promise<void> {
    await purgeSome(db, seconds, 'project', projectIds);
    await forgetComments(db, seconds, ids);
    await removeAll(db, removeUsers, [seconds, ids]);
}
