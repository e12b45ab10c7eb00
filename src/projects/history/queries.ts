import { boundedPage, boundedPageColumns } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import { inProject, writing } from '../../database/declaration';
import { allowed, rightParameters, rightValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import type { ProjectChain } from '../../rules/chain';
import { findHandedIn, refusePointHandedIn } from '../../rules/handed-in';
import { lockProject } from '../../rules/lock-project';
import type { Database } from '../../database/statements/connection';
import { readNow } from '../../database/statements/snapshot';
import { runOne, statement } from '../../database/statements/statement';
import { fault, faultWith, forbidden, invalid, notFound } from '../../api/errors/errors';
import type { ListPlace } from '../../api/request/pagination';
import { changeJson, withAuthor } from '../../api/representations/change';

const who = rightParameters(2);

/** SQL for the project in a path whose ids are $1 and $2, and whether the caller in $3 to $5 may. */
const project = `
    select p.id, p.revision, ${allowed('p', who)} as allowed ${projectChain(who)}`;

const list = statement({
    parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]', 'bigint', 'integer'], row: { ...boundedPageColumns, allowed: 'boolean' }, place: inProject(2)
}, `${boundedPage(`
    select 0 as rank, c.revision::bigint as id, ${changeJson} as json from p cross join lateral (
        select * from project_changes c where c.project_id = p.id and c.revision < $6::bigint order by c.revision desc limit $7::int + 1
    ) c ${withAuthor} where p.allowed order by c.revision desc`, '$7::int', 'p.allowed,', `p as materialized (${project}),`)} from p`);

/**
 * The changes of a project, newest first, before a revision.
 * @throws 404 if the project does not exist, 403 if the caller may not see its history
 */
export async function listChanges(db: Database, chain: ProjectChain, caller: Writer, { beforeId, count }: ListPlace): Promise<BoundedPage> {
    return mayBeSeen(await runOne(db, list, [...chain, ...rightValues(caller), beforeId, count]));
}

function mayBeSeen<Row extends { allowed: boolean }>(row: Row | undefined): Row {
    if (row === undefined) {
        throw notFound('project');
    }

    if (!row.allowed) {
        throw forbidden('The history of this project is its author\'s.');
    }

    return row;
}

/** A point of a history. */
export interface Point {
    revision: number;
    /** when it was reached, as PostgreSQL reads it */
    at: string;
}

const aroundColumns = {
    allowed: 'boolean',
    present: 'integer',
    /** the change that ended at the revision, or the last one before */
    revision: 'integer?',
    at: 'text?',
    /** whether points between that and the next are gone */
    gone: 'boolean',
    incomplete: 'boolean'
} as const;

const around = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]', 'bigint'], row: aroundColumns, place: inProject(2) }, `
    with p as materialized (${project})
    select p.allowed, p.revision as present, c.revision, c.at::text as at, coalesce((
            select merged from project_changes n where n.project_id = p.id and n.revision >= $6::bigint order by n.revision limit 1
        ), false) as gone,
        exists (select from history_gaps h where h.project_id = p.id and h.from_revision <= c.revision and h.to_revision > c.revision) as incomplete
    from p left join lateral (
        select revision, at from project_changes c where c.project_id = p.id and c.revision <= $6::bigint
        order by revision desc limit 1
    ) c on true`);

/**
 * The point of a history at a revision.
 * @param exact whether a change must have ended there; else the last point before it is meant
 * @param field the name of the revision in the request, for messages
 * @throws 404 if the project does not exist or the revision is no point, 403 if the caller may not see its history, 400 if it is beyond the present, 410 if the point is gone
 */
export async function findPoint(db: Database, chain: ProjectChain, caller: Writer, revision: string, exact: boolean, field = 'revision'): Promise<Point & { incomplete: boolean }> {
    const { present, gone, incomplete, ...found } = mayBeSeen(await runOne(db, around, [...chain, ...rightValues(caller), revision]));
    const wanted = Number(revision);
    if (wanted > present) {
        throw invalid([{ path: field, message: `"${field}" must be at most ${present}, the present one` }]);
    }

    if (found.revision !== wanted && gone) {
        throw faultWith('history_gone', [], { nearest: found.revision });
    }

    if (found.revision === null || (exact && found.revision !== wanted)) {
        throw fault('not_a_point');
    }

    return { revision: found.revision, at: String(found.at), incomplete };
}

/**
 * The point before a write, with the project locked. It also notices if the caller is removed from the members while waiting for the lock.
 * @throws as `findPoint` does
 */
export async function lockAtPoint(trx: Database, chain: ProjectChain, writer: Writer, revision: string, exact: boolean): Promise<Point> {
    await findPoint(trx, chain, writer, revision, exact);
    await lockProject(trx, chain[1], writer);
    return findPoint(trx, chain, writer, revision, exact);
}

/**
 * The point of a history for somebody who reads it: a teacher to whose class it was handed in, or whoever sees the history, who gets the last point before it if there is none.
 * @param everybody whether all can teach (`TEACHERS=open`)
 * @throws as `findPoint` does
 */
export async function findReadPoint(db: Database, chain: ProjectChain, reader: Writer, revision: string, everybody: boolean, field?: string): Promise<Point & { incomplete: boolean }> {
    return await findHandedIn(readNow(db), chain, revision, { id: reader.id, everybody }) ?? await findPoint(db, chain, reader, revision, false, field);
}

const relabel = statement({ parameters: ['bigint', 'integer', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with c as (update project_changes c set label = $3 where c.project_id = $1 and c.revision = $2 returning *)
    select ${changeJson} as json from c ${withAuthor}`);

/** Names a point, or takes its name back if `label` is null. Needs a transaction. @throws as `findPoint` does; 409 if the name is taken from a point that was handed in */
export async function labelPoint(trx: Database, chain: ProjectChain, caller: Writer, revision: string, label: string | null): Promise<string> {
    const point = await lockAtPoint(trx, chain, caller, revision, true);
    if (label === null) {
        await refusePointHandedIn(trx, chain[1], point.revision);
    }

    const row = await runOne(trx, relabel, [chain[1], point.revision, label]);
    return String(row?.json);
}
