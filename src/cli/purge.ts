import { runAlways, statement } from '../db/statement';
import type { Statement } from '../db/statement';
import type { Database } from '../db/connection';

/** Rows of one kind that are to be removed for good. */
interface Rows {
    kind: string;
    from: string;
    /** tables that the condition also needs */
    others: readonly string[];
    /** $1 is the least number of seconds since the deletion */
    where: string;
}

/** `least` ignores nulls: a thing counts as deleted since the first deletion of itself or of anything that it is in. */
const deleted = (...chain: string[]): string => `least(${chain.map((alias) => `${alias}.deleted_at`).join(', ')}) < now() - make_interval(secs => $1)`;

/** Whatever $1 is. */
const expired = (alias: string): string => `${alias}.expires_at < now() - make_interval(secs => 0 * $1)`;

/** From the inside out, so that each kind counts its own rows, and none goes uncounted by a cascade. */
const doomed: readonly Rows[] = [
    {
        kind: 'elements', from: 'elements e', others: ['pages g', 'projects p', 'users u'],
        where: `g.id = e.page_id and p.id = g.project_id and u.id = p.user_id and ${deleted('e', 'g', 'p', 'u')}`
    },
    { kind: 'pages', from: 'pages g', others: ['projects p', 'users u'], where: `p.id = g.project_id and u.id = p.user_id and ${deleted('g', 'p', 'u')}` },
    { kind: 'projects', from: 'projects p', others: ['users u'], where: `u.id = p.user_id and ${deleted('p', 'u')}` },
    { kind: 'users', from: 'users u', others: [], where: deleted('u') },
    { kind: 'tokens', from: 'tokens t', others: [], where: expired('t') },
    { kind: 'sign-up codes', from: 'sign_up_codes c', others: [], where: `${expired('c')} or c.uses_left = 0` }
];

type Count = Statement<{ count: string }>;

const counting = doomed.map(({ kind, from, others, where }): [string, Count] => [kind, statement(`select count(*) from ${[from, ...others].join(', ')} where ${where}`)]);

const removing = doomed.map(({ kind, from, others, where }): [string, Count] => [kind, statement(`
    with gone as (delete from ${from} ${others.length > 0 ? `using ${others.join(', ')}` : ''} where ${where} returning 1) select count(*) from gone`)]);

/** The number of rows of each kind. */
export type Counts = [kind: string, count: number][];

async function runEach(db: Database, statements: typeof counting, seconds: number): Promise<Counts> {
    const counts: Counts = [];
    for (const [kind, sql] of statements) {
        const { count } = await runAlways(db, sql, [seconds]);
        counts.push([kind, Number(count)]);
    }

    return counts;
}

/** Counts what `purge` would remove. */
export const countPurgeable = (db: Database, seconds: number): Promise<Counts> => runEach(db, counting, seconds);

/** Removes for good what was deleted at least so many seconds ago, and whatever has expired or is used up: one statement a kind. */
export const purge = (db: Database, seconds: number): Promise<Counts> => runEach(db, removing, seconds);
