import type { Request } from '@hapi/hapi';

import { workJson } from '../assignments/json';
import type { WorkState } from '../assignments/json';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { runOne, statement } from '../../database/statements/statement';
import { MAX_HAND_INS } from '../../limits';
import { fromLiveProject, updateChanges } from '../../projects/fragments';
import { findPoint } from '../../projects/history/queries';
import { writerOf } from '../../rules/access';
import type { Sender } from '../../rules/write';
import { classOutcomeColumns, classWrite, classWriteTypes, classWriteValues, nextRevision, writtenInClass } from '../class-write';
import type { ClassWriter } from '../class-write';
import type { ClassRole } from '../json';
import { eventEnqueued, handInEvent } from './events';
import { lockOwnProject, lockWork, showWork } from './queries';
import type { LockedProject, LockedWork } from './queries';

/*
 * How a work is handed in, taken back, returned and accepted. A hand-in is four statements: they lock the class and the work; lock the
 * project; look at the caller's rights and write the work; and name the point, so that it is kept. What only changes the work is two.
 */

/** A pupil's or teacher's change. */
export interface WorkChange {
    state: WorkState;
    /** the point to hand in; the present one if left out */
    point?: number;
    note?: string;
}

const writtenColumns = { ...classOutcomeColumns, recipients: 'bigint[]?', data: 'text?' } as const;
type Written = RowOf<typeof writtenColumns>;

/** The event of a write, in the columns `recipients` and `data`. */
interface WithEvent {
    returning?: string;
    also: readonly string[];
    selecting: string;
}

const NO_EVENT: WithEvent = { also: [], selecting: ', null::bigint[] as recipients, null::text as data' };

/** SQL for the work $9 for the assignment $8, if it is one that the caller may know of. */
const WORK = `left join assignments t on t.class_id = c.id and t.id = $8 and ${live('t')}
    left join works w on w.assignment_id = t.id and w.id = $9 and (me.role = 'teacher' or w.user_id = me.user_id)`;

/** The write of a work, with parameters from $10 on. */
const workWrite = (set: string, parameters: readonly string[] = [], event: WithEvent = NO_EVENT) => statement({
    parameters: [...classWriteTypes, 'bigint', 'bigint', ...parameters], row: writtenColumns
}, classWrite({
    ...event,
    update: 'update works w',
    row: 'w',
    join: WORK,
    set,
    from: 'join assignments a on a.id = f.assignment_id',
    columns: 'w.assignment_id,',
    json: workJson
}));

const writes = {
    // The time is that at which nobody can change the point any more: what was written before it is in it, what is written after it is not.
    handIn: workWrite(`
        state = 'handed_in', points = array_append(array_remove(w.points, $10), $10), handed_in_at = clock_timestamp(), taken_back_at = null, ${nextRevision('w')}`, ['integer'], {
        returning: ', w.*',
        also: [handInEvent],
        selecting: ', (select recipients from event) as recipients, (select data from event) as data'
    }),
    // The points stay: schema.sql has the rule.
    takeBack: workWrite(`state = 'started', handed_in_at = null, taken_back_at = clock_timestamp(), ${nextRevision('w')}`),
    review: workWrite(`state = $10, note = coalesce($11, w.note), ${nextRevision('w')}`, ['text', 'text']),
    keep: workWrite('state = w.state')
} as const;

// A point that has a name keeps that.
const keepPoint = statement({ parameters: ['bigint', 'bigint', 'integer', 'text', 'bigint[]', 'json'], row: { revision: 'integer' }, place: writing(inProject(1)) }, `
    with point as (
        ${updateChanges('label = coalesce(c.label, $4)')}
        ${fromLiveProject('$1')} and p.user_id = $2 and c.project_id = p.id and c.revision = $3
        returning p.id as project_id, p.user_id, c.revision
    ), enqueued as (${eventEnqueued('$5::bigint[]', '$6::json')})
    select revision from point`);

/*
 * The label of a point that was handed in, until its pupil gives it another one. It says nothing of the class: whoever reads the history of
 * a project, as its members and moderators do, need not be of the class.
 */

/** By language: those of the site. */
const labels: ReadonlyMap<string, string> = new Map([['ar', 'سُلّم'], ['en', 'Handed in'], ['es', 'Entregado'], ['pt', 'Entregue'], ['ru', 'Сдано']]);

/** The label in a language, or else in English. @param language a tag, such as `pt-BR`; null if none is known */
const handedInLabel = (language: string | null): string => labels.get(language?.split('-', 1).join('').toLowerCase() ?? '') ?? 'Handed in';

/** A step of a work, by the statement that writes it and its own values; with an error, the statement only finds out whether the caller may know of that. */
type Step = readonly [write: keyof typeof writes, values: readonly unknown[], refused?: Error];

const TEACHERS = 'Only the teachers of this class can return or accept a work, and write a note.';
const PUPIL = 'Only the pupil can hand in a work, or take it back.';
const NOT_BACK = 'A teacher has returned or accepted this work, so it cannot be taken back.';
const ACCEPTED = 'A teacher has accepted this work, so it cannot be handed in again.';
const OTHER_POINT = 'This work was handed in already, as it was at another point. Take it back first, then hand it in again.';
const TOO_OFTEN = `This work was handed in ${MAX_HAND_INS} times, so it cannot be handed in once more. Ask your teacher to accept it.`;

/** Whose change it is. */
export const roleFor = ({ state }: WorkChange): ClassRole => (state === 'started' || state === 'handed_in' ? 'pupil' : 'teacher');

/** The next step as its pupil wants it. @param project of the work, locked; undefined if it was deleted */
function stepOfPupil({ state, points }: LockedWork, { state: wanted, point, note }: WorkChange, project: LockedProject | undefined): Step {
    const refused = (error: Error): Step => ['keep', [], error];
    if (note !== undefined) {
        return refused(forbidden(TEACHERS));
    }

    if (wanted === 'started') {
        return state === 'handed_in' ? ['takeBack', []] : state === 'started' ? ['keep', []] : refused(fault('handed_in', NOT_BACK));
    }

    if (project === undefined) {
        return refused(notFound('project'));
    }

    const revision = point ?? project.row.revision;
    if (state === 'accepted') {
        return refused(fault('handed_in', ACCEPTED));
    }

    if (state === 'handed_in') {
        return points?.at(-1) === revision ? ['keep', []] : refused(fault('handed_in', OTHER_POINT));
    }

    if (points !== null && points.length >= MAX_HAND_INS && !points.includes(revision)) {
        return refused(fault('handed_in', TOO_OFTEN));
    }

    return ['handIn', [revision]];
}

/** The next step as a teacher wants it. */
function stepOfTeacher({ state, project_id: project }: LockedWork, { state: wanted, note }: WorkChange): Step {
    return state === 'started' || project === null ? ['keep', [], fault('not_handed_in')] : ['review', [wanted, note ?? null]];
}

/** Names the point that was handed in, so that it is kept, and enqueues the event. @throws 400, 404, 410 if it is no point */
async function keepHandedIn(
    { trx, id: project }: LockedProject, request: Pick<Request, 'auth' | 'headers'>, revision: number, language: string,
    { recipients, data }: Written
): Promise<void> {
    const writer = writerOf(request, 'update');
    if (await runOne(trx, keepPoint, [project, writer.id, revision, handedInLabel(language), recipients, data]) === undefined) {
        await findPoint(trx, [writer.id, project], writer, String(revision), true, 'point');
        throw notFound('project');
    }
}

/**
 * Changes a work.
 * @returns its JSON text
 * @throws 404 if there is no such work, or its project was deleted, 403 if only its pupil or only teachers do this, 409 or 412 if it has
 * changed, 409 if its state does not allow it; 400, 404 or 410 if the point to hand in is none
 */
export async function changeWork(
    trx: Database, request: Sender & Pick<Request, 'headers'>, path: readonly [classId: string, assignment: string, id: string],
    writer: ClassWriter, wanted: WorkChange
): Promise<string> {
    const [, assignment, id] = path;
    const locked = await lockWork(trx, path, writer);
    const { project_id: of, language } = locked.row;
    const project = wanted.state === 'handed_in' && of !== null ? await lockOwnProject(trx, of, writer.id) : undefined;
    const [write, values, refused] = writer.role === 'pupil' ? stepOfPupil(locked.row, wanted, project) : stepOfTeacher(locked.row, wanted);

    const outcome = await runOne(trx, writes[write], [...classWriteValues(locked, writer), assignment, id, ...values]);
    const refusal = (): Error => forbidden(writer.role === 'pupil' ? PUPIL : TEACHERS);
    const json = await writtenInClass(outcome, { trx, request, writer, what: 'work', read: async () => ({ json: await showWork(trx, id) }), refusal });
    if (refused !== undefined) {
        throw refused;
    }

    if (write === 'handIn' && project !== undefined && outcome !== undefined) {
        await keepHandedIn(project, request, Number(values[0]), language, outcome);
    }

    return json;
}
