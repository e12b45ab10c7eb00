import { operations } from '../openapi/operation';
import { signedIn, signedOut, tokenBody, tokenList } from '../representations/token';
import { MAX_TOKENS } from './queries';

export const operation = operations('Tokens', {
    createToken: {
        summary: 'Sign in',
        notes: `Makes a token, whose secret is shown this once. A wrong name and a wrong password are told apart by nothing, timing included. An account has at most ${MAX_TOKENS.toLocaleString('en')} tokens: one more ends the oldest.`,
        answers: { 201: signedIn },
        errors: ['wrong_credentials', 'not_local']
    },
    listTokens: {
        summary: 'List one\'s own tokens',
        notes: 'Those that have not expired, newest first, without their secrets.',
        answers: { 200: tokenList },
        errors: ['not_local']
    },
    deleteTokens: {
        summary: 'Sign out everywhere',
        notes: 'Revokes all of one\'s own tokens, the one that it is asked with included. They are dead at once, everywhere.',
        answers: { 200: signedOut },
        errors: ['not_local']
    },
    deleteToken: {
        summary: 'Revoke one of one\'s own tokens',
        notes: 'It is dead at once, everywhere. Another user\'s is not found.',
        answers: { 200: tokenBody },
        errors: ['not_found', 'not_local']
    }
});
