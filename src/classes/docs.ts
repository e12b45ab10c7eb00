import { EVENT_STREAM, operations } from '../api/description/operation';
import { guarded, onceErrors, openingErrors, revised } from '../api/errors/registry';
import { classBody, classCode, classList, classRead, classRole, classShown, projectClass, projectClassList, pupil, unseen } from './json';
import { projectListBody } from '../api/representations/project';
import { bodyOf, eventStream, record } from '../api/representations/shapes';
import { username } from '../api/representations/user';
import { idOf } from '../api/request/schema';
import { MAX_CLASSES, MAX_CLASS_PROJECTS, MAX_PROJECT_CLASSES, MAX_PUPILS, MAX_TEACHERS, MAX_WALLS, inWords } from '../limits';

export const forTeachers = 'Only the teachers of the class can do this. For everybody who is not of it, it does not exist.';

const teacher = record({ id: idOf('user'), username }).description('The teacher.');

export const classOperation = operations('Classes', {
    createClass: {
        summary: 'Make a class',
        notes: `Its maker is its first teacher. Needs the permission \`teacher\`, which an operator or a moderator grants; with \`TEACHERS=open\` everybody has it whose account no class manages. One teaches and attends at most ${MAX_CLASSES} classes.`,
        answers: { 201: bodyOf('created', { class: classShown, code: classCode }) },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'class_limit')
    },
    listClasses: {
        summary: 'List one\'s own classes',
        notes: `The classes that the user teaches or attends, newest first.`,
        answers: { 200: classList },
        headers: ['Link'],
        errors: guarded
    },
    getClass: {
        summary: 'Read a class',
        notes: 'The class and its people. Only they can read it. Pupils see each other by the names that a teacher wrote, and the username of another pupil only if a project of theirs is public. Teachers see all usernames, and, with a token of a sign-in, the code to join by.',
        answers: { 200: classRead },
        errors: guarded
    },
    updateClass: {
        summary: 'Change a class',
        notes: `Replaces the fields in the body; at least one is needed. A tighter \`publish\` makes private at once what it no longer allows: projects and collections of the accounts that the class manages; and it ends memberships in these projects. ${forTeachers}`,
        answers: { 200: bodyOf('updated', { class: classShown, code: classCode }) },
        errors: revised,
        current: classShown
    },
    deleteClass: {
        summary: 'Delete a class',
        notes: `Accounts that it manages become ordinary ones, with their pass-phrases. With \`?accounts=remove\` they are closed, with all that is theirs, and an operator can restore the class with them until it is purged. What was handed in goes with the class. ${forTeachers}`,
        answers: { 200: classBody('deleted') },
        errors: revised,
        current: classShown
    },
    joinClass: {
        summary: 'Join a class with a code',
        notes: `The caller becomes a pupil of the class. Joining again changes nothing. A class has at most ${MAX_PUPILS} pupils.`,
        answers: { 200: bodyOf('success', { class: classShown, role: classRole }) },
        errors: [...guarded, ...openingErrors, 'class_limit', 'pupil_limit']
    },
    deletePupil: {
        summary: 'Take a pupil out of a class',
        notes: 'Teachers can take out any pupil, and pupils themselves, if the class does not manage their account. It takes effect at once. An account that it manages becomes an ordinary one, or is closed with `?account=remove`. What the pupil has handed in stays with the class, until the account is purged.',
        answers: { 200: bodyOf('deleted', { pupil }) },
        errors: [...guarded, 'managed_account']
    },
    putTeacher: {
        summary: 'Add a teacher to a class',
        notes: `They need the permission \`teacher\`. A pupil becomes a teacher. A class has at most ${MAX_TEACHERS}. ${forTeachers}`,
        answers: { 200: bodyOf('updated', { teacher }), 201: bodyOf('created', { teacher }) },
        errors: [...guarded, 'no_teacher', 'teacher_limit', 'class_limit']
    },
    deleteTeacher: {
        summary: 'Take a teacher out of a class',
        notes: `Also oneself, but not the last one. It takes effect at once. ${forTeachers}`,
        answers: { 200: bodyOf('deleted', { teacher }) },
        errors: [...guarded, 'last_teacher']
    },
    listProjectClasses: {
        summary: 'List the classes that a project is in',
        notes: 'With who of each class reads the project. Only its author can see that.',
        answers: { 200: projectClassList },
        errors: guarded
    },
    putProjectClass: {
        summary: 'Put a project into a class',
        notes: `The teachers of the class read the project from then on, and with the audience \`class\` its pupils too, whatever its visibility is: the project, not its history and members. The author does this, and is of the class. Where the class manages the account and \`publish\` is \`nobody\`, only its teachers can be the audience (403 \`publish_bound\`); a class that is tightened so lowers it. In a class that shows projects \`after a look\`, a pupil\'s waits until a teacher shows it (\`state\`). A project is in at most ${MAX_PROJECT_CLASSES} classes, and a class has at most ${inWords(MAX_CLASS_PROJECTS)} projects.`,
        answers: { 200: bodyOf('updated', { class: projectClass }), 201: bodyOf('created', { class: projectClass }) },
        errors: [...guarded, 'class_full', 'project_class_limit', 'publish_bound']
    },
    deleteProjectClass: {
        summary: 'Take a project out of a class',
        notes: 'It takes effect at once. The author does this. It also happens if the author leaves the class, or the class is deleted.',
        answers: { 200: bodyOf('deleted', { class: projectClass }) },
        errors: guarded
    },
    listClassProjects: {
        summary: 'List the projects of a class',
        notes: 'Those that were put into the class and that the caller may read, the last changed first: teachers see all of them, pupils those for the whole class, public ones and their own. `unseen` says which of them the class does not see: the author and the teachers do. A project that changes while the list is being read moves to its beginning.',
        answers: { 200: projectListBody.keys({ unseen: unseen.required() }) },
        headers: ['ETag', 'Link'],
        errors: guarded
    },
    watchClass: {
        summary: 'Watch a class for changes of its projects',
        notes: `A stream of server-sent events (WHATWG HTML, section 9.2). The first \`event: change\` comes at once, and another one within a second or two whenever what the caller sees in \`GET /classes/{class_id}/projects\` is not what it was: read that again then. Its \`data\` is \`{state}\`, which is the same as before if nothing has changed since the stream before this one.

A comment is sent every 15 seconds. The stream ends after five to eight minutes; \`retry\` says after how many milliseconds to connect again. If the caller may no longer see the class, the last event is \`event: gone\` with \`{}\` as its \`data\`. A user has at most ${MAX_WALLS} such streams at an instance: one more ends the oldest.`,
        answers: { 200: eventStream('retry: 2718\n\nevent: change\ndata: {"state":"9f86d081884c7d65"}\n\n') },
        type: EVENT_STREAM,
        errors: guarded
    }
});
