import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { inWords } from '../../limits';
import { likeBody, MAX_LIKES } from './json';

export const likeOperation = operations('People', {
    getLike: {
        summary: 'Read whether one likes a project',
        notes: 'Nobody else can read this. The author reads how many like it, with `visibility` in `GET /users/{user}/projects`.',
        answers: { 200: likeBody('success') },
        errors: guarded
    },
    likeProject: {
        summary: 'Like a project',
        notes: `It can be any project of others that the caller can read. A user likes at most ${inWords(MAX_LIKES)} projects.`,
        answers: { 200: likeBody('updated') },
        errors: [...guarded, 'like_limit']
    },
    unlikeProject: {
        summary: 'Take a like back',
        notes: 'The same if there is none.',
        answers: { 200: likeBody('updated') },
        errors: guarded
    }
});
