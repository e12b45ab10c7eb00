import { operations } from '../../api/description/operation';
import { guarded, onceErrors, revised } from '../../api/errors/registry';
import { assignment, assignmentList, assignmentRead, work, workList } from './json';
import { bodyOf } from '../../api/representations/shapes';
import { MAX_ASSIGNMENTS } from '../../limits';
import { forTeachers } from '../docs';

export const assignmentOperation = operations('Classes', {
    createAssignment: {
        summary: 'Give a class an assignment',
        notes: `With a \`template\`, works begin as copies of it: a project that the teacher can read, by more than the class. A class has at most ${MAX_ASSIGNMENTS} assignments. ${forTeachers}`,
        answers: { 201: bodyOf('created', { assignment }) },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'assignment_limit')
    },
    listAssignments: {
        summary: 'List the assignments of a class',
        notes: `Newest first, for all people of the class. Teachers see how many works are how far, and pupils their own work. A long \`text\` is not whole here.`,
        answers: { 200: assignmentList },
        headers: ['Link'],
        errors: guarded
    },
    getAssignment: {
        summary: 'Read an assignment',
        notes: 'With all of its `text`, for all people of the class. Teachers see how many works are how far, and pupils their own work.',
        answers: { 200: assignmentRead },
        errors: guarded
    },
    updateAssignment: {
        summary: 'Change an assignment',
        notes: `Replaces the fields in the body; at least one is needed. ${forTeachers}`,
        answers: { 200: bodyOf('updated', { assignment }) },
        errors: revised,
        current: assignment
    },
    deleteAssignment: {
        summary: 'Delete an assignment',
        notes: `Projects of pupils stay, and so do the points that they handed in: teachers can read them as long as the class exists. ${forTeachers}`,
        answers: { 200: bodyOf('deleted', { assignment }) },
        errors: revised,
        current: assignment
    },
    startWork: {
        summary: 'Begin a work for an assignment',
        notes: `Makes a private project, a copy of the template or an empty one, that the teachers of the class can read. Who has begun gets the same work again (200), also for simultaneous requests. If its project was deleted and nothing was handed in, it gets a new one. Only for pupils.`,
        answers: { 200: bodyOf('success', { work }), 201: bodyOf('created', { work }) },
        errors: [...guarded, 'held', 'asset_missing', 'page_size_limit', 'project_size_limit']
    },
    listWorks: {
        summary: 'List the works for an assignment',
        notes: `Teachers see every pupil of the class, with their work if they have begun, and the works of those who have left; pupils see their own. What was handed in is read with \`GET /users/{user}/projects/{project}/history/{revision}\` and \`GET /users/{user}/projects/{project}/export?point={revision}\`.`,
        answers: { 200: workList },
        headers: ['Link'],
        errors: guarded
    },
    updateWork: {
        summary: 'Hand in a work, take it back, return or accept it',
        notes: `Handing in names a point of the history, which is kept as long as the class exists: its label cannot be removed, and what it shows cannot be deleted for good. The teachers of the class read it, also if the pupil goes on writing, or deletes the project. \`late\` is exact: without \`point\`, all that was written before \`handed_in_at\` is in it, and nothing that was written later.
Taking back (\`started\`) removes no point: what was handed in only grows, and \`taken_back_at\` says when it was taken back. Only the pupil hands in a work and takes it back; only teachers return and accept it. Who hands in the same point again gets the same response.`,
        answers: { 200: bodyOf('updated', { work }) },
        errors: [...revised, 'handed_in', 'not_handed_in', 'not_a_point', 'history_gone'],
        current: work
    }
});
