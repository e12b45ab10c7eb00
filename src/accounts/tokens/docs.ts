import { operations } from '../../api/description/operation';
import { signedIn, signedOut, tokenBody, tokenList, tokenMade } from './json';
import { guarded, onceErrors } from '../../api/errors/registry';
import { MAX_PERSONAL_TOKENS, MAX_TOKENS, MAX_TOKEN_PROJECTS, inWords } from '../../limits';

export const tokenOperation = operations('Tokens', {
    createToken: {
        summary: 'Sign in',
        notes: `Creates a token, with a name and a password, with a passkey (and no name), or with a name and a recovery code. Its secret is shown only in this response. The error is the same for an unknown name and for a wrong password, and takes the same time. An account has at most ${inWords(MAX_TOKENS)} tokens of sign-ins; one more revokes the oldest.`,
        answers: { 201: signedIn },
        errors: ['wrong_credentials', 'not_local']
    },
    createPersonalToken: {
        summary: 'Make a token for a script',
        notes: `Creates a token of one's own for a script or a program, without its password. Its secret is shown only in this response. An account has at most ${inWords(MAX_PERSONAL_TOKENS)} of them.
With \`projects\`, at most ${inWords(MAX_TOKEN_PROJECTS)}, it reads and writes what is in these projects and nothing else that is private: all other requests with it are 403 \`outside_token\`.
No such token can change the password, make or list tokens, or moderate: that needs one that its user signed in for.`,
        answers: { 201: tokenMade },
        errors: onceErrors(...guarded, 'not_local', 'token_limit')
    },
    listTokens: {
        summary: 'List one\'s own tokens',
        notes: 'All that have not expired, newest first, without their secrets.',
        answers: { 200: tokenList },
        headers: ['Link'],
        errors: ['not_local']
    },
    deleteTokens: {
        summary: 'Sign out everywhere',
        notes: 'Revokes all of one\'s own tokens at once, including the one of this request, and ends what apps were let do: they have to ask again.',
        answers: { 200: signedOut },
        errors: ['not_local']
    },
    deleteToken: {
        summary: 'Revoke one of one\'s own tokens',
        notes: 'It cannot be used any more from this moment. 404 for the token of another user.',
        answers: { 200: tokenBody },
        errors: ['not_found', 'not_local']
    }
});
