import { missing, onceErrors, openingErrors } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { projectBody, projectListBody } from '../../api/representations/project';

export const remixOperation = operations('Remixes', {
    listRemixes: {
        summary: 'List the remixes of a project',
        notes: 'Public remixes, newest first. If the project itself is private, also the other remixes that the caller can see.',
        answers: { 200: projectListBody },
        headers: ['ETag', 'Link'],
        errors: missing
    },
    createRemix: {
        summary: 'Remix a project',
        notes: `Copies the title, the thumbnail, all pages and all elements for the user of the token, who can also remix their own projects.
The description with its tags, the members, featuring and the counters are not copied. In \`link\` elements that lead into the source,
\`targetProjectId\`, \`targetUserId\` and \`targetPageId\` are changed to lead to the copy; \`targetPageId\` is left out if the source has no such
page. All other links stay as they are. Everybody who can see a project can remix it, unless moderators hold it; but a moderator can remix a private project only as its owner or member. The remix has the same visibility as
its source, unless \`visibility\` says otherwise. A project that is larger than the limits, has such a page, or refers to an asset that does not exist, cannot be remixed.`,
        answers: { 201: projectBody('remixed') },
        headers: ['Location'],
        // Only with `me`: a remix of somebody else's project opens the account.
        errors: onceErrors(...missing, 'no_account', ...openingErrors, 'forbidden', 'held', 'publish_bound', 'asset_missing', 'page_size_limit', 'project_size_limit')
    }
});
