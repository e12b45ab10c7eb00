import { operations } from '../../api/description/operation';
import { signedIn, signedOut, tokenBody, tokenList } from '../../api/representations/token';
import { MOST_TOKENS, inWords } from '../../limits';

export const operation = operations('Tokens', {
    createToken: {
        summary: 'Sign in',
        notes: `Creates a token. Its secret is shown only in this response. The error is the same for an unknown name and for a wrong password, and takes the same time. An account has at most ${inWords(MOST_TOKENS)} tokens; one more revokes the oldest.`,
        answers: { 201: signedIn },
        errors: ['wrong_credentials', 'not_local']
    },
    listTokens: {
        summary: 'List one\'s own tokens',
        notes: 'All that have not expired, newest first, without their secrets.',
        answers: { 200: tokenList },
        errors: ['not_local']
    },
    deleteTokens: {
        summary: 'Sign out everywhere',
        notes: 'Revokes all of one\'s own tokens at once, including the one of this request.',
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
