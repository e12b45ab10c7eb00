import Joi from 'joi';

import { bool, historyJson, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENT_TITLE, MAX_HAND_INS, MAX_LISTED, MAX_LISTED_TEXT, MAX_NOTE } from '../../limits';
import { dateTime, id, idOf, nameLine, shownId, text } from '../../api/request/schema';
import { pupilName } from '../json';
import { bodyOf, history, next, record, shownRevision, time } from '../../api/representations/shapes';
import { somebody, somebodyJson } from '../../api/representations/user';

/** How far a work is. The constraint works_state_known has the same. */
export const workStates = ['started', 'handed_in', 'returned', 'accepted'] as const;

export type WorkState = typeof workStates[number];

const assignmentWith = (shownText: string): string => jsonObject({
    id: plainQuoted('a.id'),
    class_id: plainQuoted('a.class_id'),
    title: quoted('a.title'),
    text: quoted(shownText),
    template: orNull(plainQuoted('a.template_id')),
    due_at: timeOrNull('a.due_at'),
    revision: 'a.revision',
    history: historyJson('a')
});

/** SQL for the JSON text of the assignment in the row `a`. */
export const assignmentJson = assignmentWith('a.text');

/** SQL for the JSON text of what lists have of it: only the beginning of its text. */
export const listedAssignmentJson = assignmentWith(`left(a.text, ${MAX_LISTED_TEXT})`);

/** SQL for whether its text goes on. */
export const goesOn = bool(`char_length(a.text) > ${MAX_LISTED_TEXT}`);

/** SQL for whether the work in the row `w`, of the assignment in `a`, was handed in after the time that was set. */
export const isLate = 'coalesce(w.handed_in_at > a.due_at, false)';

/** SQL for the point that was handed in with the work in the row `w`. */
export const handedInPoint = `case when w.state <> 'started' then w.points[cardinality(w.points)] end`;

/** SQL for the JSON text of the work in the row `w`, of the assignment in `a`. */
export const workJson = jsonObject({
    id: plainQuoted('w.id'),
    assignment_id: plainQuoted('w.assignment_id'),
    user_id: orNull(plainQuoted('w.user_id')),
    project_id: orNull(plainQuoted('w.project_id')),
    state: plainQuoted('w.state'),
    point: orNull(`(${handedInPoint})::text`),
    points: 'array_to_json(w.points)::text',
    handed_in_at: timeOrNull('w.handed_in_at'),
    taken_back_at: timeOrNull('w.taken_back_at'),
    late: bool(isLate),
    note: quoted('w.note'),
    withdrawn: bool('w.project_id is null'),
    revision: 'w.revision',
    history: historyJson('w')
});

/** SQL for the JSON text of the numbers of works of the assignment in the row `a`. */
export const workCountsJson = `(select ${jsonObject({
    ...Object.fromEntries(workStates.map((state) => [state, `count(*) filter (where w.state = '${state}')`])), late: `count(*) filter (where ${isLate})`
})} from works w where w.assignment_id = a.id)`;

/** SQL for the JSON text of the pupil whose work it is: in the row `k` of class_people and the user `u`, which are null if they are not there any more. */
export const workerJson = `case when u.id is null then 'null' else ${jsonObject({ user: somebodyJson, name: orNull(quoted('k.name')) })} end`;

/** The fields of an assignment that teachers write; null for none. */
export interface AssignmentFields {
    title: string;
    text: string;
    template: string | null;
    due_at: string | null;
}

const title = nameLine(MAX_ASSIGNMENT_TITLE).description('What the assignment is called; not only blanks.').example('A story with a choice');
const description = text(0, MAX_ASSIGNMENT_TEXT).description('What is to be done.').example('Write a story of at least three pages.');
const template = id.description('The project that works begin with. The teacher has to be able to read it, by more than the class.').example('12');
const due = dateTime.description('Until when it is to be handed in. Works that are handed in later say that they are late.').example('2036-04-01T12:00:00Z');

export const assignmentFields = { title, text: description, template, due_at: due };

/** An assignment, as it is shown. */
export const assignment = record({
    id: idOf('assignment'),
    class_id: idOf('class'),
    title,
    text: description,
    template: shownId.allow(null).description('The project that works begin with; null if they begin empty.').example('12'),
    due_at: time.allow(null).description('Until when it is to be handed in; null if no time is set.').example('2036-04-01T12:00:00.000Z'),
    revision: shownRevision.description('Changes of the assignment itself, not of works.'),
    history
}).id('Assignment').description('Something that the pupils of a class are to do.');

export const workState = Joi.valid(...workStates).description('How far it is.').example('handed_in');
export const note = text(0, MAX_NOTE).description('What a teacher wrote about it; empty if nothing.').example('A good beginning. Give the choice a third way.');

/** A point of a history: a revision at which a change ended. */
export const handedIn = Joi.number().integer().min(1).max(2 ** 31 - 1);

/** A work, as it is shown. */
export const work = record({
    id: idOf('work'),
    assignment_id: idOf('assignment'),
    user_id: idOf('user').allow(null).description('Id of the pupil; null if the account is gone for good.'),
    project_id: idOf('project').allow(null).description('Id of the project; null if it is gone for good.'),
    state: workState,
    point: handedIn.allow(null).description('The revision of the project that was handed in; null if it is not handed in. Teachers read it with `GET …/history/{revision}`.').example(7),
    points: Joi.array().items(handedIn).max(MAX_HAND_INS).description('All revisions that were ever handed in, the last one last; also those that were taken back. The list only grows. Teachers read each of them.').example([4, 7]),
    handed_in_at: time.allow(null).description('When it was handed in, in UTC; null if it is not handed in.').example('2036-04-01T11:58:30.120Z'),
    taken_back_at: time.allow(null).description('When it was taken back, in UTC; null if it was not, or was handed in again.').example(null),
    late: Joi.boolean().description('Whether that was after `due_at` of the assignment.').example(false),
    note,
    withdrawn: Joi.boolean().description('Whether the project, or the account, is gone for good.').example(false),
    revision: shownRevision.description('Changes of the work itself, not of its project.'),
    history
}).id('Work').description('What a pupil does for an assignment.');

const count = Joi.number().integer().min(0).example(3);

/** The numbers of works of an assignment. */
const workCounts = record({ ...Object.fromEntries(workStates.map((state) => [state, count.description(`Works that are \`${state}\`.`)])), late: count.description('Works that were handed in late.') });

const forRole = {
    counts: workCounts.optional().description('For teachers: how many works are how far.'),
    work: Joi.alternatives(work, Joi.valid(null)).optional().description('For pupils: their own work; null if they have not begun.')
};

export const assignmentRead = bodyOf('success', { assignment, ...forRole });

const listedAssignment = record({
    assignment: assignment.description(`The assignment, with the first ${MAX_LISTED_TEXT} letters of its \`text\`.`),
    more: Joi.boolean().description('Whether its `text` goes on: `GET /classes/{class_id}/assignments/{assignment}` has all of it.').example(false),
    ...forRole
});

export const assignmentList = bodyOf('success', { assignments: Joi.array().items(listedAssignment).max(MAX_LISTED).description('Newest first.'), next });

const worker = record({ user: somebody.description('Their account.'), name: pupilName.allow(null).description('The name by which the class knows them; null if it has none.') });

/** Teachers see more rows than a class has pupils: also the works of those who have left. */
export const workList = bodyOf('success', {
    works: Joi.array().items(record({
        pupil: worker.allow(null).description('Whose work it is; null if the account is gone for good.'),
        work: Joi.alternatives(work, Joi.valid(null)).description('Their work; null if they have not begun.')
    })).max(MAX_LISTED).description('For teachers, one for each pupil, by the ids of their accounts, also for those who have not begun or have left the class. For pupils, their own.'),
    next
});
