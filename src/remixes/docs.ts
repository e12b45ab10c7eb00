import { missing, onceErrors, opensAccount } from '../errors/registry';
import { operations } from '../openapi/operation';
import { projectBody, projectList } from '../representations/project';

export const operation = operations('Remixes', {
    listRemixes: {
        summary: 'List the remixes of a project',
        notes: 'Newest first: the public ones. If the project itself is not public, also those that the caller may see.',
        answers: { 200: projectList },
        headers: ['ETag', 'Link'],
        errors: missing
    },
    createRemix: {
        summary: 'Remix a project',
        notes: `Copies its title, thumbnail, pages and elements, whatever their number, for the user of the token, who may remix their own.
The description, its tags, its members, the featuring and the counters are not copied. A \`link\` element that leads into the source is
pointed at the copy: its \`targetProjectId\`, \`targetUserId\` and \`targetPageId\`, the last left out where the source has no such
page. All other links stay as they are. Whoever may see a project may remix it, unless moderators hold it. The remix is for the same people as
its source, unless \`visibility\` says otherwise. A project that is larger than the limits, or has a page that is, cannot be remixed.`,
        answers: { 201: projectBody('remixed') },
        headers: ['Location'],
        // Only with `me`: a remix of somebody else's project opens the account.
        errors: onceErrors(...missing, 'no_account', ...opensAccount, 'held', 'page_size_limit', 'project_size_limit')
    }
});
