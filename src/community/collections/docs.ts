import { guarded, missing, onceErrors } from '../../api/errors/registry';
import { inWords, MAX_COLLECTED, MAX_COLLECTIONS } from '../../limits';
import { operations } from '../../api/description/operation';
import { collection, collectionBody, collectionList } from './json';
import { projectListBody } from '../../api/representations/project';

const headers = ['ETag', 'Link'] as const;

/** Fields that only some readers get. */
const seen = 'A token is optional. An invalid one is ignored if the response is public, and 401 otherwise.';

export const collectionOperation = operations('Collections', {
    listCollections: {
        summary: 'List a user\'s collections',
        notes: `Newest first. With the user\'s own token, the list also has collections that are not public. ${seen}`,
        answers: { 200: collectionList },
        headers,
        errors: missing
    },
    createCollection: {
        summary: 'Create a collection',
        notes: `The new collection is empty, and public unless \`visibility\` says otherwise. A user has at most ${inWords(MAX_COLLECTIONS)}.`,
        answers: { 201: collectionBody('created') },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'collection_limit', 'publish_bound')
    },
    getCollection: {
        summary: 'Read a collection',
        notes: `Lists the public projects in it, and those that the caller owns or is a member of, in the order of the collection. Other and deleted projects are left out. Only its owner can read a private collection. ${seen}`,
        answers: { 200: projectListBody.keys({ collection }) },
        headers,
        errors: [...missing, 'invalid_token']
    },
    updateCollection: {
        summary: 'Change a collection',
        notes: 'Replaces the fields in the body; at least one is needed.',
        answers: { 200: collectionBody('updated') },
        errors: [...guarded, 'publish_bound']
    },
    deleteCollection: {
        summary: 'Delete a collection',
        notes: 'This cannot be undone. The projects in it stay.',
        answers: { 200: collectionBody('deleted') },
        errors: guarded
    },
    putIntoCollection: {
        summary: 'Put a project into a collection, or move it there',
        notes: `It can be any project that the caller can read. A collection has at most ${inWords(MAX_COLLECTED)} projects, including those that its list leaves out. Somebody else\'s unlisted project is stored, but not shown until it is public.`,
        answers: { 200: collectionBody('updated') },
        errors: [...guarded, 'collection_full']
    },
    takeFromCollection: {
        summary: 'Take a project out of a collection',
        notes: 'The project itself stays.',
        answers: { 200: collectionBody('updated') },
        errors: guarded
    }
});
