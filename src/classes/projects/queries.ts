import { parseLike } from '../../database/samples';
import { hasVisibility } from '../../rules/visibility';
import { fromLiveProject } from '../../projects/fragments';
import { projectClassJson } from '../json';
import type { Audience, PlaceState } from '../json';
import { fault, notFound } from '../../api/errors/errors';
import { listRowColumns } from '../../api/request/pagination';
import type { ListPlace, ListRow } from '../../api/request/pagination';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { jsonObject, milliseconds, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_CLASS_PROJECTS, MAX_PROJECT_CLASSES } from '../../limits';
import { inPages, listPage, newestFirst, placeTypes, placeValues } from '../../projects/lists';
import { mayDo } from '../../projects/members/queries';
import { allowed, rightParameters, rightTypes, rightValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import type { ProjectChain } from '../../rules/chain';

const caller = rightParameters(2);

const list = statement({ parameters: ['bigint', 'bigint', ...rightTypes], row: { allowed: 'boolean', items: 'text' }, place: inProject(2) }, `
    select ${allowed('p', caller)} as allowed, coalesce((
        select string_agg(${projectClassJson}, ',' order by a.since, a.class_id)
            from class_projects a where a.project_id = p.id), '') as items
    from (select p.* ${projectChain(caller)}) p`);

/** JSON texts of the classes that a project is in. @throws 404 if there is no such project, 403 if the caller may not see them */
export async function listProjectClasses(db: Database, chain: ProjectChain, reader: Writer): Promise<string> {
    return mayDo(await runOne(db, list, [...chain, ...rightValues(reader)])).items;
}

const look = statement({ parameters: ['bigint'], row: { needed: 'boolean' } }, `select c.show = 'after a look' as needed from classes c where c.id = $1`);

/** Whether the teachers of a class have a look at what its pupils put into it before it is shown. */
export const needsLook = async (db: Database, classId: string): Promise<boolean> => (await runAlways(db, look, [classId])).needed;

const present = statement({ parameters: ['bigint', 'bigint'], row: { count: 'double precision' }, place: inAllShards({ kind: 'sum' }) }, `
    select count(*)::float8 as count from class_projects a where a.class_id = $1 and a.project_id <> $2`);

// Whoever takes a hidden project out and puts it in again has hidden it still. What a teacher has looked at stays shown, unless more of the
// class are to read it.
const put = statement({ parameters: ['bigint', 'bigint', 'text', 'boolean'], row: { json: 'text', is_new: 'boolean' }, place: writing(inProject(1)) }, `
    with before as materialized (select from class_projects a where a.project_id = $1 and a.class_id = $2),
    written as (
        insert into class_projects as a (class_id, project_id, audience, state, reason)
        select $2, $1, $3, case when h.reason is not null then 'hidden' when $4::boolean then 'waiting' else 'shown' end, h.reason
        from (select) one left join class_hidden_projects h on h.project_id = $1 and h.class_id = $2
        where exists (select from before) or (select count(*) from class_projects a where a.project_id = $1) < ${MAX_PROJECT_CLASSES}
        on conflict (class_id, project_id) do update set audience = excluded.audience, state = case when a.audience = excluded.audience then a.state else excluded.state end returning a.*
    )
    select ${projectClassJson} as json, not exists (select from before) as is_new from written a`);

/**
 * Puts a project into a class, or changes who of it reads the project. Both are locked, and the owner is of the class.
 * @param teaches whether the owner does, so that nobody has to have a look at it
 * @returns the JSON text of the class of the project, and whether the project was not in it before
 * @throws 409 if the class has as many projects as it may, or the project as many classes; the violation of publish_bound if the class does
 * not let the account show it to pupils
 */
export async function putIntoClass(trx: Database, [project, classId]: readonly [project: string, classId: string], audience: Audience, teaches: boolean): Promise<{ json: string; isNew: boolean }> {
    if ((await runAlways(trx, present, [classId, project])).count >= MAX_CLASS_PROJECTS) {
        throw fault('class_full');
    }

    const row = await runOne(trx, put, [project, classId, audience, !teaches && await needsLook(trx, classId)]);
    if (row === undefined) {
        throw fault('project_class_limit');
    }

    return { json: row.json, isNew: row.is_new };
}

const take = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    delete from class_projects a where a.project_id = $1 and a.class_id = $2 returning ${projectClassJson} as json`);

/** Takes a project that is locked out of a class. @returns the JSON text of the class of the project, as it was @throws 404 if the project is not in it */
export async function takeOutOfClass(trx: Database, project: string, classId: string): Promise<string> {
    const row = await runOne(trx, take, [project, classId]);
    if (row === undefined) {
        throw notFound('class');
    }

    return row.json;
}

// A pupil may read what is unlisted, but is told of it only if its owner shows it to the class. Each project is looked up by its key: with
// an ordinary join, PostgreSQL may decide to read all projects.
const gallery = statement({ parameters: [...placeTypes, 'bigint', 'bigint', 'boolean', 'bigint', 'text'], row: listRowColumns, place: inPages }, listPage(`
    select a.project_id, 0 as rank from class_projects a cross join lateral (
        select p.id, p.updated_at ${fromLiveProject('a.project_id')} and ($8::bigint is null or p.user_id = $8)
            and (p.user_id = $6 or (p.held_at is null and ($7::boolean or (a.state = 'shown' and (a.audience = 'class' or ${hasVisibility('p', 'public')}))))) limit 1
    ) p
    where a.class_id = $5 and ($9::text is null or a.state = $9)
        and ${newestFirst('p.updated_at', 'p.id')}`, '', milliseconds('p.updated_at')));

/** Whose list of a class it is, and what of it. */
export interface GalleryFor {
    caller: string;
    teaches: boolean;
    /** the one whose projects it has; null for all */
    pupil: string | null;
    /** null for all */
    state: PlaceState | null;
}

/** The projects of a class that somebody of it may read, latest change first. */
export const listClassProjects = (db: Database, classId: string, { caller: id, teaches, pupil, state }: GalleryFor, place: ListPlace): Promise<ListRow> =>
    runAlways(db, gallery, [...placeValues(place), classId, id, teaches, pupil, state]);

const unseen = statement({ parameters: ['bigint', 'bigint[]'], row: { json: 'text' }, place: inAllShards() }, `
    select ${jsonObject({ project_id: plainQuoted('a.project_id'), state: plainQuoted('a.state'), reason: orNull(quoted('a.reason')) })} as json
    from class_projects a where a.class_id = $1 and a.project_id = any($2) and a.state <> 'shown'`);

/** JSON texts of those of the projects on a page of the list that the class does not see, with commas between them. */
export async function listUnseen(db: Database, classId: string, { items }: ListRow): Promise<string> {
    const shown = parseLike<{ id: string }[]>(`[${items}]`, [{ id: '' }]);
    return shown.length === 0 ? '' : (await run(db, unseen, [classId, shown.map(({ id }) => id)])).map(({ json }) => json).join(',');
}
