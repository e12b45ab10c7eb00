import { guarded, missing, onceErrors, revised } from '../errors/registry';
import { listed } from '../http/schema';
import { MOST_ELEMENTS, MOST_PAGE_BYTES, MOST_PROJECT_BYTES, inMib, inWords } from '../limits';
import { operations } from '../openapi/operation';
import { element, elementBody, elementFields, elementList } from '../representations/element';
import { orMerged } from '../representations/shapes';

export const operation = operations('Elements', {
    listElements: {
        summary: 'List the elements of a page',
        notes: 'Whole, in order of creation. The entity tag is the page\'s.',
        answers: { 200: elementList },
        headers: ['ETag'],
        errors: missing
    },
    createElement: {
        summary: 'Put an element on a page',
        notes: `A page holds at most ${inWords(MOST_ELEMENTS)} of them, and at most ${inMib(MOST_PAGE_BYTES)} of \`attributes\` and \`styles\` in all; its project, ${inMib(MOST_PROJECT_BYTES)}.`,
        answers: { 201: elementBody('created') },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'element_limit', 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit')
    },
    getElement: {
        summary: 'Read an element',
        answers: { 200: elementBody('success') },
        headers: ['ETag'],
        errors: missing
    },
    updateElement: {
        summary: 'Change an element',
        notes: `Replaces the fields it names, whole; at least one of ${listed(elementFields, '`')} is needed. With \`merge\`, each top-level key of \`attributes\` and \`styles\` that others have changed since \`revision\` stays as they left it.`,
        answers: { 200: orMerged(elementBody('updated')) },
        errors: [...revised, 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit'],
        current: element
    },
    deleteElement: {
        summary: 'Take an element off its page',
        notes: 'For its author and for moderators.',
        answers: { 200: elementBody('deleted') },
        errors: revised,
        current: element
    }
});
