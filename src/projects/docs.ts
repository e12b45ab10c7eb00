import { guarded, missing, onceErrors, openingErrors, revised } from '../api/errors/registry';
import { listed } from '../api/request/schema';
import { HTML, MARKDOWN, operations } from '../api/description/operation';
import { madeProject, project, projectBody, projectFields, userProjectsBody } from '../api/representations/project';
import { orMerged } from '../api/representations/shapes';

export const projectOperation = operations('Projects', {
    listUserProjects: {
        summary: 'List a user\'s projects',
        notes: 'Public projects, newest first. With `visibility` and a token of that user, also those that are not public, and how many like each.',
        answers: { 200: userProjectsBody },
        headers: ['ETag', 'Link'],
        errors: [...missing, 'forbidden', 'insufficient_scope']
    },
    createProject: {
        summary: 'Create a project',
        notes: `The new project has one page, at (0, 0).
A story of Twine 2 (\`text/html\`) and Markdown (\`text/markdown\`) become projects as by \`POST /users/{user}/imports\`, with its limits and its parameter \`visibility\`; \`page\` is the first page then.`,
        answers: { 201: madeProject },
        takes: [HTML, MARKDOWN],
        headers: ['Location'],
        errors: onceErrors(...guarded, ...openingErrors, 'page_limit', 'element_limit', 'page_size_limit', 'project_size_limit', 'type_mismatch', 'publish_bound')
    },
    getProject: {
        summary: 'Read a project',
        notes: 'The response has the latest state, never an older one from a cache. A private project is 404 for everybody except its author, its members and moderators.',
        answers: { 200: projectBody('success') },
        headers: ['ETag'],
        errors: missing
    },
    updateProject: {
        summary: 'Change a project',
        notes: `Replaces the fields in the body, each as a whole; at least one of ${listed(projectFields, '`')} is needed. Only the author can change \`visibility\`. With \`merge\`, fields that others have changed since \`revision\` keep their new values, unless this request changes them too.`,
        answers: { 200: orMerged(projectBody('updated')) },
        errors: [...revised, 'publish_bound'],
        current: project
    },
    deleteProject: {
        summary: 'Delete a project',
        notes: 'The author and moderators can do this. Its pages and elements are deleted with it; its remixes stay. It can be restored from the trash for {TRASH_DAYS} days.',
        answers: { 200: projectBody('deleted') },
        errors: revised,
        current: project
    },
    featureProject: {
        summary: 'Feature a project, or stop featuring it',
        notes: 'Only moderators can do this. Without `featured`, the state changes to its opposite.',
        answers: { 200: projectBody('updated') },
        errors: revised,
        current: project
    }
});
