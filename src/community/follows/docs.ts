import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { projectListBody } from '../../api/representations/project';
import { inWords } from '../../limits';
import { followBody, followedList, MAX_FOLLOWED } from './json';

export const followOperation = operations('People', {
    listFollowing: {
        summary: 'List whom one follows',
        notes: 'The latest first. Nobody else can read this.',
        answers: { 200: followedList },
        headers: ['Link'],
        errors: guarded
    },
    followUser: {
        summary: 'Follow somebody',
        notes: [
            'Their new public projects are in `GET /users/me/feed`. They have a notice of it, once.',
            'An account that a class manages can be followed by the people of the class alone, and is named in notices there alone.',
            `A user follows at most ${inWords(MAX_FOLLOWED)} people.`
        ].join(' '),
        answers: { 200: followBody('updated'), 201: followBody('created') },
        errors: [...guarded, 'follow_limit', 'not_oneself']
    },
    unfollowUser: {
        summary: 'End following somebody',
        notes: 'They are not told.',
        answers: { 200: followBody('deleted') },
        errors: guarded
    },
    listFeed: {
        summary: 'List the projects of those whom one follows',
        notes: `Their public projects, newest first.`,
        answers: { 200: projectListBody },
        headers: ['ETag', 'Link'],
        errors: guarded
    }
});
