import type { Knex } from 'knex';

import { inAllShards, inProject, writing } from '../../database/declaration';
import { live } from '../../database/statements/deletion';
import { run, runAlways, statement } from '../../database/statements/statement';
import { transaction } from '../../database/statements/transaction';
import { recountChanges } from './merged-changes';

/*
 * Thins the history of projects: of what is older than some days, one point of each day is kept for a year, then one of each month. Points
 * with a label are kept for good. If a history still takes too many bytes, its oldest points go. The change after a point that is gone then
 * says what it and the changes before it did together.
 */

/** SQL for the day or month of the change in the row `c`. Of each of them the last point is kept. */
const period = (c: string): string =>
    `case when ${c}.at < now() - interval '1 year' then date_trunc('month', ${c}.at) else date_trunc('day', ${c}.at) end`;

/** SQL for whether thinning keeps the point in the row `c`, by its age in days. A remix that was made at that point can then still be compared with its source. */
export const staysAfter = (days: string, project = 'c.project_id'): string => `(c.label is not null or c.revision in (select r.remixed_revision from projects r where r.remixed_from = ${project} and ${live('r')}) or c.at >= now() - make_interval(days => ${days}) or coalesce((
    select n.at >= now() - make_interval(days => ${days}) or ${period('n')} <> ${period('c')}
    from project_changes n where n.project_id = c.project_id and n.revision > c.revision order by n.revision limit 1), true))`;

/** SQL for the points of the project $1 that are older than $2 days and have a newer one in their period. */
const thinned = `
    select revision from project_changes c where c.project_id = $1 and not ${staysAfter('$2::int', '$1')}`;

/** SQL for the points that are older than the newest $3 bytes of versions. The present state is not one of them. */
const tooMuch = `
    select c.revision from project_changes c, projects p
    where c.project_id = $1 and p.id = $1 and c.label is null and c.revision < p.revision and c.revision < (
        select max(to_revision) from (
            select to_revision, sum(sum(100 + coalesce(pg_column_size(v.value), 0))) over (order by to_revision desc) as bytes
                from versions v where project_id = $1 group by to_revision
        ) newest where bytes > $3::float8)`;

const hold = statement({ parameters: ['bigint'], row: { found: 'boolean' }, place: writing(inProject(1)) }, `select true as found from projects where id = $1 for no key update skip locked`);

const countPoints = statement({ parameters: ['bigint', 'integer', 'double precision'], row: { count: 'integer' }, place: inProject(1) }, `select count(*)::int as count from (${thinned} union ${tooMuch}) gone`);

/** SQL for the kind of a change that others were merged into: of the first change of a project that of the first, else that of all of them, or `edit`. */
const mergedKind = `case when k.before = 0 then (array_agg(g.kind order by g.revision))[1] when bool_and(g.kind = k.kind) then k.kind else 'edit' end`;

const removePoints = statement({ parameters: ['bigint', 'integer', 'double precision'], row: { count: 'integer', joined: 'integer[]' }, place: writing(inProject(1)) }, `
    with gone as (
        delete from project_changes where project_id = $1 and revision in (${thinned} union ${tooMuch})
            returning revision, kind, counts[1] as own
    ), kept as materialized (
        select revision, from_revision, kind, coalesce(lag(revision) over (order by revision), 0) as before from project_changes
        where project_id = $1 and revision not in (select revision from gone)
    ), merged as materialized (
        select k.revision, k.before, ${mergedKind} as kind, max(g.own) as own
            from kept k join gone g on g.revision > k.before and g.revision < k.revision
        where k.before <> k.from_revision group by k.revision, k.before, k.kind
    ), joined as (
        update project_changes c set from_revision = m.before, merged = true, kind = m.kind, counts[1] = greatest(c.counts[1], m.own)
        from merged m where c.project_id = $1 and c.revision = m.revision returning c.revision
    )
    select (select count(*) from gone)::int as count, array(select revision from joined) as joined`);

// A version is needed if there is a point between the time its value was set and the time it was replaced.
const removeVersions = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `
    with spans as materialized (
        select type, id, field, to_revision, coalesce(
            lag(to_revision) over (partition by type, id, field order by to_revision), min(from_revision) over (partition by type, id)) as since
        from versions where project_id = $1
    )
    delete from versions v using spans s
    where v.project_id = $1 and v.type = s.type and v.id = s.id and v.field = s.field and v.to_revision = s.to_revision
        and not exists (select from project_changes c where c.project_id = $1 and c.revision >= s.since and c.revision < s.to_revision)`);

/** The points that are kept. */
export interface Limits {
    /** days that every point is kept */
    historyDays: number;
    historyMaxBytes: number;
}

/** Thins the history of one project, unless somebody is writing to it. @returns how many points were deleted */
export function thinHistory(db: Knex, project: string, { historyDays, historyMaxBytes }: Limits): Promise<number> {
    return transaction(db, undefined, async (trx) => {
        const [held] = await run(trx, hold, [project]);
        if (held === undefined) {
            return 0;
        }

        const { count, joined } = await runAlways(trx, removePoints, [project, historyDays, historyMaxBytes]);
        if (count > 0) {
            await run(trx, removeVersions, [project]);
            await recountChanges(trx, project, joined);
        }

        return count;
    });
}

/** How many points `thin` would remove. */
export async function countThinnable(db: Knex, project: string, { historyDays, historyMaxBytes }: Limits): Promise<number> {
    return (await runAlways(db, countPoints, [project, historyDays, historyMaxBytes])).count;
}

/** SQL for whether a time has passed an age since the time $1 of the last check. */
const crossed = (age: string): string => `(at > $1::timestamptz - ${age} and at <= now() - ${age})`;

const due = statement({ parameters: ['timestamp with time zone', 'integer'], row: { id: 'text' }, place: inAllShards() }, `
    select distinct project_id::text as id from project_changes
    where ${crossed('make_interval(days => $2::int)')} or ${crossed(`interval '1 year 31 days'`)} or at > $1::timestamptz`);

/** Projects whose history may need thinning: since a time, points were added or have passed one of the ages. */
export async function projectsToThin(db: Knex, since: string, { historyDays }: Limits): Promise<string[]> {
    return (await run(db, due, [since, historyDays])).map(({ id }) => id);
}
