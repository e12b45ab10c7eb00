import Joi from 'joi';

import { password } from '../../api/auth/schema';
import { MAX_TOKEN_TTL } from '../../config';
import { label, scope } from '../../api/representations/token';
import { knownUsername } from '../../api/representations/user';

/** POST /tokens */
export const signIn = Joi.object({
    username: knownUsername.required(),
    password: password.required(),
    scope: scope.description('What the token can be used for; both if left out.'),
    label: label.description('A name by which its owner recognises the token.'),
    expires_in: Joi.number().integer().min(1).max(MAX_TOKEN_TTL).description('Seconds until it expires; the setting `TOKEN_TTL` of the service if left out.').example(86_400)
});
