import Joi from 'joi';

import { passkeyLabel } from './json';
import { text } from '../../api/request/schema';

const base64 = (most: number): Joi.StringSchema => Joi.string().max(most).pattern(/^[A-Za-z0-9_-]+$/, 'base64url');

/** An answer of an authenticator, as `PublicKeyCredential.toJSON()` gives it. */
const answer = (fields: Joi.PartialSchemaMap): Joi.ObjectSchema => Joi.object({
    id: base64(1400).required().description('Id of the passkey that the authenticator gave it.'),
    rawId: base64(1400).required().description('The same id.'),
    type: Joi.string().valid('public-key').required().description('The kind of credential.'),
    authenticatorAttachment: text(1, 30).description('Whether the authenticator is part of the device (`platform`) or apart from it (`cross-platform`).'),
    clientExtensionResults: Joi.object().unknown().required().description('Results of extensions. They are not used.'),
    response: Joi.object({ clientDataJSON: base64(8192).required().description('What the browser signed for: challenge, origin and purpose, in base64url.'), ...fields }).required().description('What the authenticator made.')
}).description('The answer of the authenticator, as `PublicKeyCredential.toJSON()` gives it.').example({
    id: 'AQID', rawId: 'AQID', type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON: 'e30', ...'signature' in fields ? { authenticatorData: 'AQID', signature: 'AQID' } : { attestationObject: 'AQID' } }
});

/** A sign-in that an authenticator signed. */
export const assertion = answer({
    authenticatorData: base64(4096).required().description('Origin, flags and counter of the authenticator, in base64url.'),
    signature: base64(8192).required().description('Its signature, in base64url.'),
    userHandle: base64(200).allow(null, '').description('The account for which the passkey was made. It is not used.')
});

/** POST /users/{user}/passkeys */
export const newPasskey = Joi.object({
    label: passkeyLabel.required(),
    passkey: answer({
        attestationObject: base64(32_768).required().description('The new public key with what says where it is from, in base64url.'),
        transports: Joi.array().items(text(1, 30)).max(10).description('How the authenticator is reached.'),
        authenticatorData: base64(8192).description('A part of `attestationObject`. It is not used.'),
        publicKey: base64(8192).description('A part of `attestationObject`. It is not used.'),
        publicKeyAlgorithm: Joi.number().integer().description('The kind of its key. It is not used.')
    }).required()
});

/** POST /passkeys/options */
export const optionsFor = Joi.object({
    to: Joi.valid('sign_in', 'add').default('sign_in').description('What for: to sign in, or to add a passkey to the account of the token.').example('add')
});
