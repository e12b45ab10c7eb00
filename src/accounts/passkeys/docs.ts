import { operations } from '../../api/description/operation';
import { guarded, onceErrors } from '../../api/errors/registry';
import { newRecoveryCodes, passkeyAdded, passkeyList, passkeyOptions, passkeyRemoved } from './json';
import { MAX_PASSKEYS, RECOVERY_CODES, inWords } from '../../limits';

export const operation = operations('Passkeys', {
    getPasskeyOptions: {
        summary: 'Begin to sign in with a passkey, or to add one',
        notes: 'Returns what the browser needs. To sign in, no name and no token are needed; to add a passkey, a token with the scope `user` that somebody signed in for. Passkeys belong to the host of `PUBLIC_URL`.',
        answers: { 200: passkeyOptions },
        errors: ['no_account', 'not_local', 'insufficient_scope', 'sign_in_needed']
    },
    listPasskeys: {
        summary: 'List one\'s own passkeys, and say which other ways in there are',
        answers: { 200: passkeyList },
        errors: [...guarded, 'not_local']
    },
    addPasskey: {
        summary: 'Add a passkey to one\'s own account',
        notes: `Takes the answer of the authenticator to the options for \`add\`. An account has at most ${inWords(MAX_PASSKEYS)}.`,
        answers: { 201: passkeyAdded },
        errors: [...guarded, 'not_local', 'passkey_invalid', 'passkey_limit']
    },
    deletePasskey: {
        summary: 'Remove a passkey of one\'s own',
        notes: 'Nobody can sign in with it any more, and the tokens that came of it end at once. The last way to sign in cannot be removed.',
        answers: { 200: passkeyRemoved },
        errors: [...guarded, 'not_local', 'last_way_in']
    },
    createRecoveryCodes: {
        summary: 'Make recovery codes',
        notes: `Returns ${inWords(RECOVERY_CODES)} codes, in place of all earlier ones. With each of them and one's username, one can sign in once: \`POST /tokens\` with \`recovery_code\`.`,
        answers: { 201: newRecoveryCodes },
        errors: onceErrors(...guarded, 'not_local')
    }
});
