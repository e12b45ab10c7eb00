import { assignmentJson, goesOn, listedAssignmentJson, workCountsJson, workJson } from './json';
import type { AssignmentFields } from './json';
import { notFound } from '../../api/errors/errors';
import type { ListPlace } from '../../api/request/pagination';
import { boundedPage, boundedPageColumns } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { jsonObject, orNull } from '../../database/statements/json-sql';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_ASSIGNMENTS } from '../../limits';
import type { Locked } from '../../rules/locked';
import { joinCaller } from '../access';
import type { ClassCaller } from '../access';
import { classOutcomeColumns, classWrite, classWriteTypes, classWriteValues, nextRevision } from '../class-write';
import type { ClassOutcome, ClassWriter } from '../class-write';

/*
 * Assignments. Whoever writes one has locked the class (access.ts).
 */

const insert = statement({ parameters: ['bigint', 'bigint', 'text', 'text', 'bigint', 'timestamp with time zone'], row: { id: 'bigint', json: 'text' } }, `
    insert into assignments as a (class_id, title, text, template_id, template_by, due_at)
    select $1, $3, $4, $5, case when $5::bigint is not null then $2::bigint end, $6
    where (select count(*) from assignments o where o.class_id = $1 and ${live('o')}) < ${MAX_ASSIGNMENTS}
    returning a.id, ${assignmentJson} as json`);

/** Adds an assignment to a class. @returns undefined if the class has as many as it may */
export function insertAssignment(trx: Database, classId: string, teacherId: string, { title, text, template: project, due_at: due }: AssignmentFields): Promise<{ id: string; json: string } | undefined> {
    return runOne(trx, insert, [classId, teacherId, title, text, project, due]);
}

/** SQL for the fields of the assignment in the row `a` that depend on who reads: `me` is in the class, and `w` is their work. */
const forRole = (shown: Readonly<Record<string, string>>): string => `case when me.role = 'teacher' then ${jsonObject({ ...shown, counts: workCountsJson })} else ${jsonObject({ ...shown, work: orNull(workJson) })} end`;

/** SQL for the caller $2 in the class $1. */
const reader = `me as materialized (select me.user_id, me.role from classes c
    ${joinCaller('$2::bigint', '$3::boolean')} where c.id = $1 and ${live('c')})`;

const list = statement({ parameters: ['bigint', 'bigint', 'boolean', 'bigint', 'integer'], row: { ...boundedPageColumns, found: 'boolean' } }, boundedPage(`
    select 0 as rank, a.id, ${forRole({ assignment: listedAssignmentJson, more: goesOn })} as json
    from me cross join lateral (select * from assignments a
        where a.class_id = $1 and ${live('a')} and a.id < $4 order by a.id desc limit $5::int + 1) a
        left join works w on w.assignment_id = a.id and w.user_id = me.user_id
    order by a.id desc`, '$5::int', 'exists (select from me) as found,', `${reader},`));

/** A page of the assignments of a class, newest first. Teachers see how many works there are, pupils their own. @throws 404 if the caller is not of the class */
export async function listAssignments(db: Database, classId: string, { id, everybody }: ClassCaller, { beforeId, count }: Pick<ListPlace, 'beforeId' | 'count'>): Promise<BoundedPage> {
    const row = await runAlways(db, list, [classId, id, everybody, beforeId, count]);
    if (!row.found) {
        throw notFound('class');
    }

    return row;
}

const read = statement({ parameters: ['bigint', 'bigint', 'boolean', 'bigint'], row: { json: 'text' } }, `
    with ${reader}
    select ${forRole({ assignment: assignmentJson })} as json from me join assignments a on a.class_id = $1 and a.id = $4 and ${live('a')}
        left join works w on w.assignment_id = a.id and w.user_id = me.user_id`);

/** The JSON text of an assignment, with what the list has beside it. @throws 404 if there is none, or the caller is not of the class */
export async function readAssignment(db: Database, classId: string, assignmentId: string, { id, everybody }: ClassCaller): Promise<string> {
    const row = await runOne(db, read, [classId, id, everybody, assignmentId]);
    if (row === undefined) {
        throw notFound('assignment');
    }

    return row.json;
}

const find = statement({ parameters: ['bigint', 'bigint'], row: { revision: 'integer', json: 'text' } }, `
    select a.revision, ${assignmentJson} as json from assignments a where a.class_id = $1 and a.id = $2 and ${live('a')}`);

/** An assignment of a class. @throws 404 if there is none */
export async function findAssignment(db: Database, classId: string, id: string): Promise<{ revision: number; json: string }> {
    const row = await runOne(db, find, [classId, id]);
    if (row === undefined) {
        throw notFound('assignment');
    }

    return row;
}

const update = statement({ parameters: [...classWriteTypes, 'bigint', 'text', 'text', 'boolean', 'bigint', 'boolean', 'timestamp with time zone'], row: classOutcomeColumns }, classWrite({
    update: 'update assignments a',
    row: 'a',
    join: `left join assignments a on a.class_id = c.id and a.id = $8 and ${live('a')}`,
    set: `title = coalesce($9, a.title), text = coalesce($10, a.text), template_id = case when $11 then $12 else a.template_id end,
        template_by = case when not $11 then a.template_by when $12::bigint is not null then f.user_id end, due_at = case when $13 then $14 else a.due_at end, ${nextRevision('a')}`,
    json: assignmentJson
}));

/** Changes an assignment of a class that is locked. What is not given stays; null is none. */
export function updateAssignment(locked: Locked<'class'>, writer: ClassWriter, id: string, { title, text, template: project, due_at: due }: Partial<AssignmentFields>): Promise<ClassOutcome | undefined> {
    return runOne(locked.trx, update, [...classWriteValues(locked, writer), id, title ?? null, text ?? null, project !== undefined, project ?? null, due !== undefined, due ?? null]);
}

// What was handed in stays readable as long as the class exists.
const remove = statement({ parameters: ['bigint'], row: { json: 'text' } }, `
    with used as materialized (select exists (select from works w where w.assignment_id = $1) as found),
    gone as (delete from assignments a using used where a.id = $1 and not used.found returning a.*),
    kept as (update assignments a set deleted_at = now(), revision = a.revision + 1, updated_at = now()
        from used where a.id = $1 and used.found returning a.*)
    select ${assignmentJson} as json from (select * from gone union all select * from kept) a`);

/** Deletes an assignment. */
export const deleteAssignment = async (trx: Database, id: string): Promise<string> => (await runAlways(trx, remove, [id])).json;
