import Joi from 'joi';

import { isoTime, jsonObject, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { MAX_PASSKEYS, RECOVERY_CODES } from '../../limits';
import { idOf, text } from '../../api/request/schema';
import { bodyOf, record, time } from '../../api/representations/shapes';

/** SQL for the JSON text of a passkey in the row `k`. */
export const passkeyJson = jsonObject({
    id: plainQuoted('k.id'),
    label: quoted('k.label'),
    created_at: plainQuoted(isoTime('k.created_at')),
    last_used_at: timeOrNull('k.last_used_at')
});

export const passkeyLabel = text(1, 100).description('A name by which its owner recognises it.').example('My phone');

const passkey = record({
    id: idOf('passkey'),
    label: passkeyLabel,
    created_at: time.description('When it was added, in UTC.').example('2026-03-01T18:30:00.000Z'),
    last_used_at: time.allow(null).description('When somebody last signed in with it, in UTC; null if nobody did yet.').example('2026-03-02T18:31:00.000Z')
}).id('Passkey').description('A passkey of an account.');

export const passkeyList = bodyOf('success', {
    passkeys: Joi.array().items(passkey).max(MAX_PASSKEYS).description('All of them, newest first.'),
    recovery_codes: Joi.number().integer().min(0).max(RECOVERY_CODES).description('How many recovery codes are left.').example(RECOVERY_CODES),
    has_password: Joi.boolean().description('Whether the account has a password. One that another provider opened has none.').example(true)
});

export const passkeyAdded = bodyOf('created', { passkey });

export const passkeyRemoved = bodyOf('deleted', { passkey });

export const passkeyOptions = bodyOf('success', {
    options: Joi.object().unknown().description('What `navigator.credentials.get` or `create` takes as `publicKey`, as JSON (Web Authentication Level 3, `parseRequestOptionsFromJSON`). It can be used once, within five minutes.').example({ challenge: 'q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4', rpId: 'pages.example' })
});

export const newRecoveryCodes = bodyOf('created', {
    codes: Joi.array().items(Joi.string().pattern(/^[0-9a-f]{32}$/)).length(RECOVERY_CODES).description('Codes to sign in with, each once. They are shown only in this response.')
        .example(Array.from({ length: RECOVERY_CODES }, (_code, n) => `3f2a9c0d5b7e418fa6c1d20e94b87f3${n}`))
});
