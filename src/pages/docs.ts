import { guarded, missing, onceErrors, revised } from '../errors/registry';
import { listed } from '../http/schema';
import { MOST_PAGES, MOST_PAGE_BYTES, MOST_PROJECT_BYTES, inMib, inWords } from '../limits';
import { operations } from '../openapi/operation';
import { pageBody, pageFields, pageList, writtenPage, writtenPageBody } from '../representations/page';
import { orMerged } from '../representations/shapes';

export const operation = operations('Pages', {
    listPages: {
        summary: 'Read all pages of a project',
        notes: 'Whole, with their elements, in order of creation: all that an editor needs to open a project.',
        answers: { 200: pageList },
        headers: ['ETag'],
        errors: missing
    },
    createPage: {
        summary: 'Make a page',
        notes: `A project holds at most ${inWords(MOST_PAGES)} of them, each at coordinates of its own, and at most ${inMib(MOST_PROJECT_BYTES)} of \`attributes\` and \`styles\` in all. A page holds at most ${inMib(MOST_PAGE_BYTES)} of them, with its elements.`,
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
        notes: `Replaces the fields it names, whole; at least one of ${listed(pageFields, '`')} is needed. With \`merge\`, what others have changed since \`revision\` stays as they left it: the position, as one, and each top-level key of \`styles\`. Elements have their own revisions, but a change of one counts for its page too.`,
        answers: { 200: orMerged(writtenPageBody('updated')) },
        errors: [...revised, 'coordinates_taken', 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit'],
        current: writtenPage
    },
    deletePage: {
        summary: 'Delete a page',
        notes: 'For its author and for moderators. Its elements go with it, and its coordinates are free at once.',
        answers: { 200: writtenPageBody('deleted') },
        errors: revised,
        current: writtenPage
    }
});
