import { workJson, workerJson } from '../assignments/json';
import type { WorkState } from '../assignments/json';
import { defined } from '../../api/errors/defined';
import { notFound } from '../../api/errors/errors';
import type { risingPlaceOf } from '../../api/request/pagination';
import { inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { boundedPage, boundedPageColumns } from '../../database/statements/bounded-page';
import type { BoundedPage } from '../../database/statements/bounded-page';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { jsonObject, orNull } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { insertProject } from '../../projects/queries';
import type { ChangeAuthor } from '../../rules/access';
import { joinCaller } from '../access';
import type { ClassCaller } from '../access';
import { needsLook } from '../projects/queries';
import { copyTemplate } from '../assignments/templates';
import type { HandingOut, Template } from '../assignments/templates';

/*
 * Works of pupils: how they begin, and who sees which. How they are handed in and returned: work-states.ts.
 */

const begunColumns = {
    id: 'bigint',
    project_id: 'bigint?',
    /** whether there is a point that was handed in */
    kept: 'boolean',
    title: 'text',
    /** null if works begin empty */
    template: known<Template | null>('json')
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

const there = statement({ parameters: ['bigint'], row: { id: 'bigint' }, place: inProject(1) }, `select p.id from projects p where p.id = $1 and ${live('p')}`);

const share = statement({ parameters: ['bigint', 'bigint', 'boolean'], place: writing(inProject(2)) }, `
    insert into class_projects (class_id, project_id, audience, state) select $1, $2, 'teachers', case when $3::boolean then 'waiting' else 'shown' end on conflict do nothing`);

/** Lets the teachers of a class read a project of one of its people, if nobody of it does yet. */
export const shareWithTeachers = async (trx: Database, classId: string, project: string): Promise<unknown> => run(trx, share, [classId, project, await needsLook(trx, classId)]);

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
 * Begins the work of a pupil, in whose class the transaction stays. Who has begun gets the same work again; if its project was deleted and nothing was handed in, with a new project.
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
                select coalesce(k.user_id, w.user_id) as user_id, k.name, w.id as work_id from (select user_id, name from class_people where class_id = a.class_id and role = 'pupil') k
                    full join (select id, user_id from works where assignment_id = a.id) w on w.user_id = k.user_id
            ) m left join users u on u.id = m.user_id
            where (m.work_id is not null or ${live('u')}) and (a.role = 'teacher' or u.id = a.reader)
        ) q where (q.rank, q.id) > ($5::int, $6::bigint) order by q.rank, q.id limit $7::int + 1
    ) o cross join a left join works w on w.id = o.work_id left join users u on u.id = o.user_id cross join lateral (select o.name) k (name)
    order by o.rank, o.id`, '$7::int', 'exists (select from a) as found,', `
    a as materialized (select a.*, me.user_id as reader, me.role from classes c ${joinCaller('$3::bigint', '$4::boolean')} join assignments a on a.class_id = c.id and a.id = $2 and ${live('a')} where c.id = $1 and ${live('c')}),`));

/**
 * A page of the works for an assignment with their pupils. Teachers see those of all pupils, also of those who have not begun or who have left; pupils their own.
 * @throws 404 if there is no such assignment, or the caller is not of the class
 */
export async function listWorks(db: Database, [classId, assignmentId]: readonly [string, string], { id, everybody }: ClassCaller, { rank, afterId, count }: ReturnType<typeof risingPlaceOf>): Promise<BoundedPage> {
    const row = await runAlways(db, list, [classId, assignmentId, id, everybody, rank, afterId, count]);
    if (!row.found) {
        throw notFound('assignment');
    }

    return row;
}

const heldColumns = {
    user_id: 'bigint?',
    project_id: 'bigint?',
    state: known<WorkState>('text'),
    points: 'integer[]',
    revision: 'integer',
    /** of the pupil; null if the account is gone for good */
    language: 'text?'
} as const;
export type HeldWork = RowOf<typeof heldColumns>;

const hold = statement({ parameters: ['bigint', 'bigint', 'bigint', 'bigint'], row: heldColumns }, `
    select w.user_id, w.project_id, w.state, w.points, w.revision, (select u.language from users u where u.id = w.user_id) as language from works w join assignments a on a.id = w.assignment_id
    where a.class_id = $1 and a.id = $2 and ${live('a')} and w.id = $3 and ($4::bigint is null or w.user_id = $4) for no key update of w`);

/** Locks a work. @param pupil whose it has to be; null for a teacher @throws 404 if there is no such work */
export async function holdWork(trx: Database, [classId, assignmentId, id]: readonly [string, string, string], pupil: string | null): Promise<HeldWork> {
    const row = await runOne(trx, hold, [classId, assignmentId, id, pupil]);
    if (row === undefined) {
        throw notFound('work');
    }

    return row;
}
