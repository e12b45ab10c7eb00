import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { inWords } from '../../limits';
import { blockBody, blockList, MAX_BLOCKS } from './json';

export const blockOperation = operations('People', {
    listBlocks: {
        summary: 'List whom one has blocked',
        notes: 'Newest first. Nobody else can read this.',
        answers: { 200: blockList },
        headers: ['Link'],
        errors: guarded
    },
    blockUser: {
        summary: 'Block somebody',
        notes: [
            'They can no longer comment on one\'s projects, mention or invite one, also as a teacher of a class, and cause no notice. They are not told.',
            `Neither follows the other any more; memberships stay. An account blocks at most ${inWords(MAX_BLOCKS)} people.`
        ].join(' '),
        answers: { 200: blockBody('updated'), 201: blockBody('created') },
        errors: [...guarded, 'block_limit', 'not_oneself']
    },
    unblockUser: {
        summary: 'Unblock somebody',
        notes: 'Following does not come back.',
        answers: { 200: blockBody('deleted') },
        errors: guarded
    }
});
