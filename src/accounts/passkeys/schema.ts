import Joi from 'joi';

import { passkeyLabel } from '../../api/representations/passkey';

const base64 = (most: number): Joi.StringSchema => Joi.string().max(most).pattern(/^[A-Za-z0-9_-]+$/, 'base64url');

/** An answer of an authenticator, as `PublicKeyCredential.toJSON()` gives it. */
const answer = (fields: Joi.PartialSchemaMap): Joi.ObjectSchema => Joi.object({
    id: base64(1400).required(),
    rawId: base64(1400).required(),
    type: Joi.valid('public-key').required(),
    authenticatorAttachment: Joi.string().max(30),
    clientExtensionResults: Joi.object().unknown().required(),
    response: Joi.object({ clientDataJSON: base64(8192).required(), ...fields }).required()
}).description('The answer of the authenticator, as `PublicKeyCredential.toJSON()` gives it.').example({
    id: 'AQID', rawId: 'AQID', type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON: 'e30', ...'signature' in fields ? { authenticatorData: 'AQID', signature: 'AQID' } : { attestationObject: 'AQID' } }
});

/** A sign-in that an authenticator signed. */
export const assertion = answer({ authenticatorData: base64(4096).required(), signature: base64(8192).required(), userHandle: base64(200).allow(null, '') });

/** POST /users/{user}/passkeys */
export const newPasskey = Joi.object({
    label: passkeyLabel.required(),
    passkey: answer({
        attestationObject: base64(32_768).required(), transports: Joi.array().items(Joi.string().max(30)).max(10),
        authenticatorData: base64(8192), publicKey: base64(8192), publicKeyAlgorithm: Joi.number().integer()
    }).required()
});

/** POST /passkeys/options */
export const optionsFor = Joi.object({
    to: Joi.valid('sign_in', 'add').default('sign_in').description('What for: to sign in, or to add a passkey to the account of the token.').example('add')
});
