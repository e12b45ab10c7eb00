import Joi from 'joi';

import { providerId } from './json';
import { tokenLabel } from '../tokens/json';
import { text } from '../../api/request/schema';

/** POST /sign-ins */
export const newSignIn = Joi.object({
    provider: providerId.required(),
    to: Joi.valid('sign_in', 'add').default('sign_in').description('What for: to sign in, or to add an identity to the account of the token.').example('sign_in')
});

const finished = {
    provider: providerId.required(),
    key: Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/, 'the key of a sign-in').required().description('The `key` of `POST /sign-ins`.').example('q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4'),
    answer: text(1, 8192).required().description('The query of the address to which the provider sent people back, without the question mark.').example('code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj')
};

/** POST /sign-ins/answers */
export const signInAnswer = Joi.object({
    ...finished,
    code: text(1, 100).description('An invitation code, if a new account needs one.').example('3f2a9c0d5b7e418fa6c1d20e94b87f35'),
    label: tokenLabel.description('A name by which its owner recognises the token.')
});

/** POST /users/{user}/identities */
export const newIdentity = Joi.object(finished);

/** POST /sign-ins/renewals and /sign-ins/revocations */
export const refreshTokenOf = Joi.object({
    provider: providerId.required(),
    refresh_token: text(1, 8192).required().description('The `refresh_token` that came with the token. Providers may take it once.').example('tGzv3JOkF0XG5Qx2TlKWIA')
});
