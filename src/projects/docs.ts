import { guarded, missing, onceErrors, opensAccount, revised } from '../errors/registry';
import { listed } from '../http/schema';
import { operations } from '../openapi/operation';
import { madeProject, project, projectBody, projectFields, projectList } from '../representations/project';
import { orMerged } from '../representations/shapes';

export const operation = operations('Projects', {
    listUserProjects: {
        summary: 'List a user\'s projects',
        notes: 'Newest first: the public ones. With `visibility`, which needs a token of that user, also those that are not public.',
        answers: { 200: projectList },
        headers: ['ETag', 'Link'],
        errors: [...missing, 'forbidden', 'insufficient_scope']
    },
    createProject: {
        summary: 'Make a project',
        notes: 'It comes with a first page, at (0, 0).',
        answers: { 201: madeProject },
        headers: ['Location'],
        errors: onceErrors(...guarded, ...opensAccount)
    },
    getProject: {
        summary: 'Read a project',
        notes: 'What its author has written is what this answers next, whoever asks. A private project is there only for its author, its members and moderators: for all others it does not exist.',
        answers: { 200: projectBody('success') },
        headers: ['ETag'],
        errors: missing
    },
    updateProject: {
        summary: 'Change a project',
        notes: `Replaces the fields it names, whole; at least one of ${listed(projectFields, '`')} is needed. Only the author can change \`visibility\`. With \`merge\`, each field that others have changed since \`revision\` stays as they left it, if this does not change it.`,
        answers: { 200: orMerged(projectBody('updated')) },
        errors: revised,
        current: project
    },
    deleteProject: {
        summary: 'Delete a project',
        notes: 'For its author and for moderators. Its pages and their elements go with it; remixes of it stay.',
        answers: { 200: projectBody('deleted') },
        errors: revised,
        current: project
    },
    featureProject: {
        summary: 'Feature a project, or take that back',
        notes: 'For moderators. Without `featured`, it becomes whichever it is not.',
        answers: { 200: projectBody('updated') },
        errors: revised,
        current: project
    }
});
