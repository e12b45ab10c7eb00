import Joi from 'joi';

import { guarded, onceErrors, missing, openingErrors } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { invitation, listedInvitation, member, newInvitation, role } from './json';
import { project, projectListBody } from '../../api/representations/project';
import { bodyOf } from '../../api/representations/shapes';
import { MAX_INVITATIONS, MAX_MEMBERS } from '../../limits';

export const memberOperation = operations('Members', {
    listMembers: {
        summary: 'List the members of a project',
        notes: 'All of them, in the order in which they joined. The author, the members and moderators can read this.',
        answers: { 200: bodyOf('success', { members: Joi.array().items(member).max(MAX_MEMBERS).description('All members.') }) },
        errors: guarded
    },
    putMember: {
        summary: 'Add a member, or change their role',
        notes: `Only the author can do this. A project has at most ${MAX_MEMBERS} members. Members find the project with \`GET /users/me/shared\`.`,
        answers: { 200: bodyOf('updated', { member }), 201: bodyOf('created', { member }) },
        errors: [...guarded, 'member_limit', 'not_in_class', 'owner_is_no_member']
    },
    deleteMember: {
        summary: 'Remove a member',
        notes: 'The author can remove anybody, and members can remove themselves. It takes effect at once; their event streams end too. If the author removes somebody, the invitations that they joined by are revoked, so that they cannot come back; others who joined by them stay, and whoever has not joined yet needs a new one.',
        answers: { 200: bodyOf('deleted', { member }) },
        errors: guarded
    },
    listInvitations: {
        summary: 'List the invitations to a project',
        notes: 'Those that still work, the oldest first, with who has joined by each. Only the author can read this. The codes are not in it, as the service does not know them.',
        answers: { 200: bodyOf('success', { invitations: Joi.array().items(listedInvitation).max(MAX_INVITATIONS).description('All invitations that still work.') }) },
        errors: guarded
    },
    createInvitation: {
        summary: 'Create an invitation',
        notes: `Anybody with its code can join with \`POST /invitations\`. \`uses\` says how many can, so one code is enough for a class. The code is shown only in this response. A project has at most ${MAX_INVITATIONS} valid invitations.`,
        answers: { 201: bodyOf('created', { invitation: newInvitation }) },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'invitation_limit')
    },
    deleteInvitation: {
        summary: 'Revoke an invitation',
        notes: 'Nobody can use its code any more. Members who have joined with it stay.',
        answers: { 200: bodyOf('deleted', { invitation }) },
        errors: guarded
    },
    joinProject: {
        summary: 'Join a project with a code',
        notes: 'Joining again changes nothing, also when the code is used up, and an editor stays an editor. The error is the same for a wrong, a used-up and an expired code.',
        answers: { 200: bodyOf('success', { project, role }) },
        errors: [...missing, ...openingErrors, 'member_limit', 'not_in_class', 'owner_is_no_member']
    },
    listShared: {
        summary: 'List the projects that others share with one',
        notes: 'All projects of which the user is a member, the last changed first. A project that changes while the list is being read moves to its beginning.',
        answers: { 200: projectListBody },
        headers: ['ETag', 'Link'],
        errors: guarded
    }
});
