import Joi from 'joi';

import { guarded, missing, opensAccount } from '../errors/registry';
import { operations } from '../openapi/operation';
import { invitation, member, newInvitation, role } from '../representations/member';
import { project, projectList } from '../representations/project';
import { bodyOf } from '../representations/shapes';
import { MOST_INVITATIONS, MOST_MEMBERS } from '../limits';

export const operation = operations('Members', {
    listMembers: {
        summary: 'List the members of a project',
        notes: 'All of them, in the order in which they joined. For the author, the members and moderators.',
        answers: { 200: bodyOf('success', { members: Joi.array().items(member).max(MOST_MEMBERS).description('All members.') }) },
        errors: guarded
    },
    putMember: {
        summary: 'Let somebody in, or change their role',
        notes: `Only the author can. A project has at most ${MOST_MEMBERS} members. It is then in the member's \`GET /users/me/shared\`.`,
        answers: { 200: bodyOf('updated', { member }), 201: bodyOf('created', { member }) },
        errors: [...guarded, 'member_limit', 'owner_is_no_member']
    },
    deleteMember: {
        summary: 'Remove a member',
        notes: 'The author can remove anybody, and a member themselves. It takes effect at once, everywhere: their event streams end too. An invitation that still works would let them in again, so take that back first.',
        answers: { 200: bodyOf('deleted', { member }) },
        errors: guarded
    },
    createInvitation: {
        summary: 'Make a code to join by',
        notes: `Whoever has the code can join at \`POST /invitations\`, as often as \`uses\` says: one code is enough for a class. It is shown this once. A project has at most ${MOST_INVITATIONS} invitations that work.`,
        answers: { 201: bodyOf('created', { invitation: newInvitation }) },
        headers: ['Location'],
        errors: [...guarded, 'invitation_limit']
    },
    deleteInvitation: {
        summary: 'Take an invitation back',
        notes: 'Nobody can join by its code from then on. Those who have joined stay.',
        answers: { 200: bodyOf('deleted', { invitation }) },
        errors: guarded
    },
    joinProject: {
        summary: 'Join a project by a code',
        notes: 'Joining again changes nothing; an editor stays one. A wrong code, one that is used up and one that has expired are told apart by nothing.',
        answers: { 200: bodyOf('success', { project, role }) },
        errors: [...missing, ...opensAccount, 'member_limit', 'owner_is_no_member']
    },
    listShared: {
        summary: 'List what others share with one',
        notes: 'Projects of which the user is a member, latest change first. One that changes while the list is being read moves to its beginning.',
        answers: { 200: projectList },
        headers: ['ETag', 'Link'],
        errors: guarded
    }
});
