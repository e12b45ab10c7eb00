import { fromChangesOfProjects, fromProjects, joinProject } from '../../projects/fragments';
import { joinElements, joinPages } from '../../projects/pages/fragments';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Outcome } from '../../database/jobs/in-steps';
import { leaseIn } from '../../database/jobs/lease';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import { isOpen } from '../../rules/visibility';

/** Changes that are looked at again: those of transactions that were not committed when they were. */
const AGAIN = `interval '15 minutes'`;

/** Projects of one round. */
const ROUND = 100;

/** A project takes less. */
const lease = leaseIn('claimed_until', 120);

const claimedColumns = { since: 'text', token: 'text', from: 'text', filled: 'text' } as const;
export type Claimed = RowOf<typeof claimedColumns>;

const claim = statement({ parameters: ['text'], row: claimedColumns }, `
    update filter_progress t set claimed_until = ${lease.until}, filled_to = case when t.version = $1 then t.filled_to else 0 end, version = $1
    where ${lease.isFree('t')} returning now()::text as since, ${lease.token('t')} as token, t.done_until::text as from, t.filled_to::text as filled`);

/** Leases the work. @param version of the words @returns undefined if another instance has the lease */
export const claimWork = (db: Database, version: string): Promise<Claimed | undefined> => runOne(db, claim, [version]);

const renew = statement({ parameters: ['timestamp with time zone', 'bigint'], row: { token: 'text' } }, `
    update filter_progress t set claimed_until = ${lease.until}, filled_to = greatest(t.filled_to, $2) where ${lease.isHeld('t', '$1')} returning ${lease.token('t')} as token`);

/** Has the lease go on. @param filled older projects up to this id were looked at */
export const renewWork = async (db: Database, token: string, filled: string): Promise<string | undefined> => (await runOne(db, renew, [token, filled]))?.token;

// Whoever has lost the lease notes nothing while another instance begins.
export const lockProgress = statement({
    row: { claimed: 'boolean' }
}, 'select true as claimed from filter_progress for update skip locked');

const release = statement({ parameters: ['timestamp with time zone', 'boolean', 'timestamp with time zone'] }, `
    update filter_progress t set claimed_until = now() - interval '1 second', done_until = case when $2 then $3::timestamptz else t.done_until end where ${lease.isHeld('t', '$1')}`);

export const releaseWork = async (db: Database, token: string, outcome: Outcome, { since }: Claimed): Promise<void> => {
    await run(db, release, [token, outcome === 'done', since]);
};

const changed = statement({ parameters: ['timestamp with time zone', 'text'], row: { id: 'text' }, place: inAllShards({ kind: 'first', count: ROUND }) }, `
    select p.id::text as id ${fromChangesOfProjects} left join filter_checks f on f.project_id = p.id
    where c.at > $1::timestamptz - ${AGAIN} and ${live('p')} and ${isOpen('p')} and (f.revision is distinct from p.revision or f.version is distinct from $2)
    group by p.id order by p.id limit ${ROUND}`);

/** Some projects that have changed since a time, and that others can see, in order. */
export const findChanged = async (db: Database, since: string, version: string): Promise<string[]> => (await run(db, changed, [since, version])).map(({ id }) => id);

const older = statement({ parameters: ['bigint', 'text'], row: { id: 'text' }, place: inAllShards({ kind: 'first', count: ROUND }) }, `
    select p.id::text as id ${fromProjects('p.id > $1')} and ${live('p')} and ${isOpen('p')}
        and not exists (select from filter_checks f where f.project_id = p.id and f.version = $2) order by p.id limit ${ROUND}`);

/** Some projects with larger ids that others can see, and that were not looked at with these words, in order. */
export const findOlder = async (db: Database, after: string, version: string): Promise<string[]> => (await run(db, older, [after, version])).map(({ id }) => id);

const toCheckColumns = {
    revision: 'integer',
    /** the revision up to which it was looked at with these words; 0 for none */
    checked: 'integer',
    /** words that it was held for before */
    found: 'text[]',
    title: 'text',
    description: 'text'
} as const;
export type ToCheck = RowOf<typeof toCheckColumns>;

const read = statement({ parameters: ['bigint', 'text'], row: toCheckColumns, place: inProject(1) }, `
    select p.revision, case when f.version = $2 then f.revision else 0 end as checked, coalesce(f.found, '{}') as found, p.title, p.description
    from (select) one ${joinProject('$1')} left join filter_checks f on f.project_id = p.id where ${live('p')} and ${isOpen('p')}`);

/** Reads which parts of a project are to be looked at; undefined if others cannot see it any more. */
export const findToCheck = (db: Database, id: string, version: string): Promise<ToCheck | undefined> => runOne(db, read, [id, version]);

const changedElements = `from (select) one ${joinProject('$1')} ${joinPages} ${joinElements} where e.project_revision > $2`;
const pages = statement({
    parameters: ['bigint', 'integer'], row: { id: 'text' }, place: inProject(1)
}, `select distinct g.id::text as id ${changedElements}`);
const texts = statement({ parameters: ['bigint', 'integer', 'bigint'], row: { attributes: 'text' }, place: inProject(1) }, `
    select e.attributes::text as attributes ${changedElements} and g.id = $3 order by e.id`);

/** The JSON texts of the attributes of elements that were changed after a revision, those of one page at a time. */
export async function* changedTexts(db: Database, id: string, after: number): AsyncGenerator<string> {
    for (const page of await run(db, pages, [id, after])) {
        for (const { attributes } of await run(db, texts, [id, after, page.id])) {
            yield attributes;
        }
    }
}

const note = statement({ parameters: ['bigint', 'integer', 'text', 'text[]'], place: writing(inProject(1)) }, `
    insert into filter_checks as f (project_id, revision, version, found, held) values ($1, $2, $3, $4, cardinality($4::text[]) > 0)
    on conflict (project_id) do update set revision = excluded.revision, version = excluded.version, found = f.found || excluded.found, held = f.held or excluded.held`);

/** Notes up to which revision a project was looked at, and the words that it is held for now. */
export const noteChecked = async (db: Database, id: string, revision: number, version: string, found: readonly string[]): Promise<void> => {
    await run(db, note, [id, revision, version, found]);
};

const lookDays = statement({ parameters: ['integer'] }, 'update filter_settings set look_days = $1 where look_days is distinct from $1');

/**
 * Keeps for how many days after an account was opened its projects are unlisted until a moderator has looked.
 * @param days null if they are listed at once
 */
export const storeLookDays = async (db: Database, days: number | null): Promise<void> => void await run(db, lookDays, [days]);
