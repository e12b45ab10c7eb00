import Joi from 'joi';

import { guarded, onceErrors, openingErrors, revised } from '../../api/errors/registry';
import type { Errors } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { signedIn } from '../tokens/json';
import { bodyOf } from '../../api/representations/shapes';
import { account, accountBody, named } from '../../api/representations/user';

const signUp: Errors = ['invitation_invalid', ...openingErrors];

export const userOperation = operations('Users', {
    createUser: {
        summary: 'Open an account',
        notes: `Returns the new user and a first token with both scopes, whose secret is not shown again.
The operator decides who can open an account: anybody, nobody, or anybody with a \`code\`.
If the service uses the tokens of another identity provider, this operation needs such a token with the scope \`user\`, and no body.`,
        answers: { 201: signedIn },
        headers: ['Location'],
        errors: onceErrors(...signUp, 'username_taken', 'username_blocked')
    },
    openAccount: {
        summary: 'Open the account of the token\'s user',
        notes: `The name and the language come from the identity provider, and the user can change both. An account that already exists
is returned with 200, even if new ones cannot be opened. A first write also opens the account, unless that needs a \`code\`: a project
or a bulk under \`/users/me\`, or a remix.`,
        answers: { 200: accountBody('success'), 201: accountBody('created') },
        headers: ['Location'],
        errors: [...signUp, 'username_taken']
    },
    getUser: {
        summary: 'Read one\'s own account',
        notes: 'With the scope `projects` alone, `user` has only `id` and `username`: whose token it is.',
        answers: { 200: bodyOf('success', { user: Joi.alternatives(account, named).description('The account; to a token without the scope `user` its id and name alone.') }) },
        headers: ['ETag'],
        errors: guarded
    },
    updateUser: {
        summary: 'Change one\'s own account',
        notes: 'Replaces the fields in the body; at least one of `username`, `language` and `about` is needed.',
        answers: { 200: accountBody('updated') },
        errors: [...revised, 'username_taken', 'username_blocked', 'sign_in_needed', 'managed_account'],
        current: account
    },
    changePassword: {
        summary: 'Change one\'s own password',
        notes: 'Needs the current password, since somebody else might have got hold of the token. All other tokens of the account are revoked at once, those of scripts too, and apps have to ask again to be let in. The revision of the account stays the same.',
        answers: { 200: accountBody('updated') },
        errors: ['forbidden', 'wrong_password', 'not_found', 'not_local']
    },
    deleteUser: {
        summary: 'Delete one\'s own account',
        notes: 'Deletes the account with all its projects, and revokes all its tokens at once. The name stays taken until an operator purges the account.',
        answers: { 200: accountBody('deleted') },
        errors: [...revised, 'last_teacher'],
        current: account
    }
});
