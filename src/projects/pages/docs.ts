import { guarded, missing, onceErrors, revised } from '../../api/errors/registry';
import { listed } from '../../api/request/schema';
import { MAX_PAGES, MAX_PAGE_BYTES, MAX_PROJECT_BYTES, inBytes, inWords } from '../../limits';
import { operations } from '../../api/description/operation';
import { pageBody, pageFields, pageList, writtenPage, writtenPageBody } from '../../api/representations/page';
import { orMerged } from '../../api/representations/shapes';

export const pageOperation = operations('Pages', {
    listPages: {
        summary: 'Read all pages of a project',
        notes: 'All pages with their elements, in order of creation. This is everything that an editor needs to open a project.',
        answers: { 200: pageList },
        headers: ['ETag'],
        errors: missing
    },
    createPage: {
        summary: 'Create a page',
        notes: `A project has at most ${inWords(MAX_PAGES)} pages, each at different coordinates. All \`attributes\` and \`styles\` of a project together have at most ${inBytes(MAX_PROJECT_BYTES)}, and those of a page and its elements at most ${inBytes(MAX_PAGE_BYTES)}.`,
        answers: { 201: writtenPageBody('created') },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'asset_limit', 'asset_missing', 'coordinates_taken', 'page_limit', 'project_size_limit')
    },
    getPage: {
        summary: 'Read a page with its elements',
        answers: { 200: pageBody },
        headers: ['ETag'],
        errors: missing
    },
    updatePage: {
        summary: 'Move or restyle a page',
        notes: `Replaces the fields in the body, each as a whole; at least one of ${listed(pageFields, '`')} is needed. With \`merge\`, changes of others since \`revision\` are kept: of the position as a whole, and of each top-level key of \`styles\`. Elements have their own revisions, but every change of an element also raises the revision of its page.`,
        answers: { 200: orMerged(writtenPageBody('updated')) },
        errors: [...revised, 'coordinates_taken', 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit'],
        current: writtenPage
    },
    deletePage: {
        summary: 'Delete a page',
        notes: 'Its elements are deleted with it, and its coordinates are free at once. It can be restored from the trash for {TRASH_DAYS} days.',
        answers: { 200: writtenPageBody('deleted') },
        errors: revised,
        current: writtenPage
    }
});
