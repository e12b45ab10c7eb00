import { fromLiveProject } from '../../projects/fragments';
import { joinUser } from '../../accounts/users/fragments';
import { workJson, workerJson } from '../assignments/json';
import type { WorkState } from '../assignments/json';
import { defined } from '../../api/errors/defined';
import { notFound } from '../../api/errors/errors';
import type { risingPlaceOf } from '../../api/request/pagination';
import { inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { boundedPage, boundedPageColumns } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { jsonObject, orNull } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { insertProject } from '../../projects/queries';
import type { ChangeAuthor } from '../../rules/access';
import { Locked } from '../../rules/locked';
import { joinCaller } from '../access';
import type { ClassCaller } from '../access';
import { needsLook } from '../projects/queries';
import { copyTemplate } from '../assignments/templates';
import type { HandingOut, Template } from '../assignments/templates';

/*
 * Works of pupils: how they begin, and who sees which. How they are handed in and returned: states.ts.
 */

const begunColumns = {
    id: 'bigint',
    project_id: 'bigint?',
    /** whether there is a point that was handed in */
    kept: 'boolean',
    title: 'text',
    /** null if works begin empty */
    template: known<Template | null>('json?', { project: '', teacher: '' })
} as const;
type Begun = RowOf<typeof begunColumns>;

// If the same pupil begins twice at once, the second one waits here for the first.
const begin = statement({ parameters: ['bigint', 'bigint', 'bigint'], row: begunColumns }, `
    with a as materialized (select * from assignments a where a.class_id = $1 and a.id = $2 and ${live('a')}),
    w as (
        insert into works (assignment_id, user_id, state) select id, $3, 'started' from a
        on conflict (assignment_id, user_id) do update set state = works.state returning *
    )
    select w.id, w.project_id, w.points <> '{}' as kept, a.title, case when a.template_id is not null then json_build_object('project', a.template_id::text, 'teacher', a.template_by::text) end as template from a, w`);

const there = statement({ parameters: ['bigint'], row: { id: 'bigint' }, place: inProject(1) }, `select p.id ${fromLiveProject('$1')}`);

const share = statement({ parameters: ['bigint', 'bigint', 'boolean'], place: writing(inProject(2)) }, `
    insert into class_projects (class_id, project_id, audience, state) select $1, $2, 'teachers', case when $3::boolean then 'waiting' else 'shown' end on conflict do nothing`);

/** Lets the teachers of a class read a project of one of its people, if nobody of it does yet. */
export const shareWithTeachers = async (trx: Database, classId: string, project: string): Promise<unknown> =>
    run(trx, share, [classId, project, await needsLook(trx, classId)]);

const take = statement({ parameters: ['bigint', 'bigint'] }, 'update works set project_id = $2 where id = $1');

const one = statement({ parameters: ['bigint'], row: { json: 'text' } }, `select ${workJson} as json from works w join assignments a on a.id = w.assignment_id where w.id = $1`);

/** The JSON text of a work. */
export const showWork = async (db: Database, id: string): Promise<string> => (await runAlways(db, one, [id])).json;

/** A project for a work: a copy of the template, or an empty one. @throws as `copyTemplate` does */
async function newProject(trx: Database, where: HandingOut, pupil: ChangeAuthor, version: string, { title, template }: Begun): Promise<string> {
    if (template !== null) {
        return copyTemplate(trx, where, template, pupil, version, title);
    }

    return String(defined(await insertProject(trx, pupil.id, pupil, version, { title, visibility: 'private' })).id);
}

/**
 * Begins the work of a pupil, in whose class the transaction stays. Who has begun gets the same work again; if its project was deleted and
 * nothing was handed in, with a new project.
 * @returns the id of the work, and whether there is a new project
 * @throws 404 if there is no such assignment, or its template cannot be read any more
 */
export async function beginWork(trx: Database, where: HandingOut, [assignmentId, pupil]: readonly [string, ChangeAuthor], version: string): Promise<{ id: string; isNew: boolean }> {
    const { classId } = where;
    const begun = await runOne(trx, begin, [classId, assignmentId, pupil.id]);
    if (begun === undefined) {
        throw notFound('assignment');
    }

    const { id, project_id: present, kept } = begun;
    if (present !== null && (kept || await runOne(trx, there, [present]) !== undefined)) {
        await shareWithTeachers(trx, classId, present);
        return { id, isNew: false };
    }

    const project = await newProject(trx, where, pupil, version, begun);
    await shareWithTeachers(trx, classId, project);
    await run(trx, take, [id, project]);
    return { id, isNew: true };
}

// Pupils by their accounts, whose ids stay as they are while the list is read; then the works of accounts that are gone for good.
const list = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'integer', 'bigint', 'integer'], row: { ...boundedPageColumns, found: 'boolean' } }, boundedPage(`
    select o.rank, o.id, ${jsonObject({ pupil: workerJson, work: orNull(workJson) })} as json
    from (
        select q.* from (
            select case when u.id is null then 1 else 0 end as rank, coalesce(u.id, m.work_id) as id, u.id as user_id, m.work_id, m.name
            from a cross join lateral (
                select coalesce(k.user_id, w.user_id) as user_id, k.name, w.id as work_id
                    from (select user_id, name from class_people where class_id = a.class_id and role = 'pupil') k
                    full join (select id, user_id from works where assignment_id = a.id) w on w.user_id = k.user_id
            ) m left ${joinUser('m.user_id')}
            where (m.work_id is not null or ${live('u')}) and (a.role = 'teacher' or u.id = a.reader)
        ) q where (q.rank, q.id) > ($5::int, $6::bigint) order by q.rank, q.id limit $7::int + 1
    ) o cross join a left join works w on w.id = o.work_id left ${joinUser('o.user_id')} cross join lateral (select o.name) k (name)
    order by o.rank, o.id`, '$7::int', 'exists (select from a) as found,', `
    a as materialized (select a.*, me.user_id as reader, me.role from classes c ${joinCaller('$3::bigint', '$4::boolean')}
        join assignments a on a.class_id = c.id and a.id = $2 and ${live('a')} where c.id = $1 and ${live('c')}),`));

/**
 * A page of the works for an assignment with their pupils. Teachers see those of all pupils, also of those who have not begun or who have
 * left; pupils their own.
 * @throws 404 if there is no such assignment, or the caller is not of the class
 */
export async function listWorks(db: Database, [classId, assignmentId]: readonly [string, string], { id, everybody }: ClassCaller, { rank, afterId, count }: ReturnType<typeof risingPlaceOf>): Promise<BoundedPage> {
    const row = await runAlways(db, list, [classId, assignmentId, id, everybody, rank, afterId, count]);
    if (!row.found) {
        throw notFound('assignment');
    }

    return row;
}

const lockedColumns = {
    id: 'bigint',
    /** of the caller */
    language: 'text',
    /** of the work; null if there is none */
    project_id: 'bigint?',
    state: known<WorkState | null>('text?'),
    points: 'integer[]?'
} as const;
export type LockedWork = RowOf<typeof lockedColumns>;

// First the class and the account of the caller, so that who is in it and who can teach stays so, and then the work. The work of another
// pupil is not waited for.
const lock = statement({ parameters: ['bigint', 'bigint', 'boolean', 'bigint', 'bigint'], row: lockedColumns }, `
    with class as materialized (
        select c.id, me.role, me.user_id, mu.language from classes c ${joinCaller('$2::bigint', '$3::boolean')}
            where c.id = $1 and ${live('c')} for share of c for share of mu
    ), work as materialized (
        select w.project_id, w.state, w.points from class c join assignments a on a.class_id = c.id and a.id = $4 and ${live('a')}
            join works w on w.assignment_id = a.id and w.id = $5 and (c.role = 'teacher' or w.user_id = c.user_id) for no key update of w
    )
    select c.id, c.language, w.project_id, w.state, w.points from class c left join work w on true`);

/** Locks a work, after the class as `lockMembership` does. @throws 404 if the caller is not of the class */
export async function lockWork(trx: Database, [classId, assignment, id]: readonly [string, string, string], { id: caller, everybody }: ClassCaller): Promise<Locked<'class', LockedWork>> {
    const locked = await Locked.by(trx, 'class', lock, [classId, caller, everybody, assignment, id]);
    if (locked === undefined) {
        throw notFound('class');
    }

    return locked;
}

const ownProject = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint', revision: 'integer' }, place: writing(inProject(1)) }, `
    select p.id, p.revision ${fromLiveProject('$1')} and p.user_id = $2 for no key update`);

export type LockedProject = Locked<'project', { id: string; revision: number }>;

/** Locks the project of a pupil's work: its points stay as they are. @returns undefined if it was deleted */
export const lockOwnProject = (trx: Database, project: string, pupil: string): Promise<LockedProject | undefined> =>
    Locked.by(trx, 'project', ownProject, [project, pupil]);
