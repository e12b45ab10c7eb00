import { guarded, missing, onceErrors, revised } from '../../api/errors/registry';
import { listed } from '../../api/request/schema';
import { MAX_ELEMENTS, MAX_PAGE_BYTES, MAX_PROJECT_BYTES, inBytes, inWords } from '../../limits';
import { operations } from '../../api/description/operation';
import { element, elementBody, elementFields, elementList } from '../../api/representations/element';
import { orMerged } from '../../api/representations/shapes';

export const elementOperation = operations('Elements', {
    listElements: {
        summary: 'List the elements of a page',
        notes: 'All of them, in order of creation. The entity tag is that of the page.',
        answers: { 200: elementList },
        headers: ['ETag'],
        errors: missing
    },
    createElement: {
        summary: 'Create an element',
        notes: `A page has at most ${inWords(MAX_ELEMENTS)} elements. All \`attributes\` and \`styles\` of a page together have at most ${inBytes(MAX_PAGE_BYTES)}, and those of a project at most ${inBytes(MAX_PROJECT_BYTES)}.`,
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
        notes: `Replaces the fields in the body, each as a whole; at least one of ${listed(elementFields, '`')} is needed. With \`merge\`, top-level keys of \`attributes\` and \`styles\` that others have changed since \`revision\` keep their new values, unless this request changes them too.`,
        answers: { 200: orMerged(elementBody('updated')) },
        errors: [...revised, 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit'],
        current: element
    },
    deleteElement: {
        summary: 'Delete an element',
        notes: 'It can be restored from the trash for {TRASH_DAYS} days.',
        answers: { 200: elementBody('deleted') },
        errors: revised,
        current: element
    }
});
