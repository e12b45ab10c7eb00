import { guarded, onceErrors, opensAccount, revised } from '../errors/registry';
import type { Errors } from '../errors/registry';
import { operations } from '../openapi/operation';
import { signedIn } from '../representations/token';
import { user, userBody } from '../representations/user';

const signUp: Errors = ['invitation_invalid', ...opensAccount];

export const operation = operations('Users', {
    createUser: {
        summary: 'Open an account',
        notes: `Returns the new user with a first token of both scopes, whose secret is not shown again.
The operator decides who may open an account: anybody, nobody, or whoever has a \`code\`.
A service that takes the tokens of another identity provider describes this operation otherwise: it needs such a token, with the scope \`user\`, and no body.`,
        answers: { 201: signedIn },
        headers: ['Location'],
        errors: onceErrors(...signUp, 'username_taken')
    },
    openAccount: {
        summary: 'Open the account that the token is of',
        notes: `The user is named and has the language as the identity provider says, and may change both. An account that exists already
is returned as it is, with 200, whether or not new ones can be opened. A first write also opens the account, unless that needs a \`code\`: a project
or a bulk under \`/users/me\`, or a remix.`,
        answers: { 200: userBody('success'), 201: userBody('created') },
        headers: ['Location'],
        errors: [...signUp, 'username_taken']
    },
    getUser: {
        summary: 'Read one\'s own account',
        answers: { 200: userBody('success') },
        headers: ['ETag'],
        errors: guarded
    },
    updateUser: {
        summary: 'Change one\'s own account',
        notes: 'Replaces the fields it names; at least one of `username` and `language` is needed.',
        answers: { 200: userBody('updated') },
        errors: [...revised, 'username_taken'],
        current: user
    },
    changePassword: {
        summary: 'Change one\'s own password',
        notes: 'Takes the current one, since a token alone may be somebody else\'s by now. All tokens but the one that it is asked with are dead at once, everywhere. The revision stays: the password is not shown.',
        answers: { 200: userBody('updated') },
        errors: ['forbidden', 'wrong_password', 'not_found', 'not_local']
    },
    deleteUser: {
        summary: 'Delete one\'s own account',
        notes: 'The user, every project of theirs and every token of theirs stop answering at once. The name stays taken until an operator purges it.',
        answers: { 200: userBody('deleted') },
        errors: revised,
        current: user
    }
});
