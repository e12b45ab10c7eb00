import { guarded, missing, onceErrors } from '../errors/registry';
import { inWords, MOST_COLLECTED, MOST_COLLECTIONS } from '../limits';
import { operations } from '../openapi/operation';
import { collection, collectionBody, collectionList } from '../representations/collection';
import { projectList } from '../representations/project';

const headers = ['ETag', 'Link'] as const;

/** What some see and others do not. */
const seen = 'A token is looked at if there is one. One that is not valid counts only where nothing is there for everybody: 401.';

export const operation = operations('Collections', {
    listCollections: {
        summary: 'List a user\'s collections',
        notes: `Newest first. With the user\'s own token, also those that are not public. ${seen}`,
        answers: { 200: collectionList },
        headers,
        errors: missing
    },
    createCollection: {
        summary: 'Make a collection',
        notes: `It is empty and, if nothing else is said, public. A user has at most ${inWords(MOST_COLLECTIONS)}.`,
        answers: { 201: collectionBody('created') },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'collection_limit')
    },
    getCollection: {
        summary: 'Read a collection',
        notes: `In its order: the public projects in it, and those of the caller or shared with the caller. The others are left out, and so is what was deleted. A private collection is for its owner alone. ${seen}`,
        answers: { 200: projectList.keys({ collection }) },
        headers,
        errors: [...missing, 'invalid_token']
    },
    updateCollection: {
        summary: 'Change a collection',
        notes: 'Replaces the fields it names, whole; at least one is needed.',
        answers: { 200: collectionBody('updated') },
        errors: guarded
    },
    deleteCollection: {
        summary: 'Delete a collection',
        notes: 'For good. The projects in it stay.',
        answers: { 200: collectionBody('deleted') },
        errors: guarded
    },
    putIntoCollection: {
        summary: 'Put a project into a collection, or move it there',
        notes: `Any project that the caller may read, up to ${inWords(MOST_COLLECTED)} in a collection; those that the list leaves out count too. An unlisted project of somebody else is kept, but shown only once it is public.`,
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
