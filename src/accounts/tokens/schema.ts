import Joi from 'joi';

import { password } from '../../api/auth/schema';
import { MAX_TOKEN_TTL } from '../../config';
import { tokenLabel, scope, tokenProjects } from '../../api/representations/token';
import { knownUsername } from '../../api/representations/user';

const expiresIn = Joi.number().integer().min(1).max(MAX_TOKEN_TTL).description('Seconds until it expires; the setting `TOKEN_TTL` of the service if left out.').example(86_400);

/** POST /tokens */
export const signIn = Joi.object({
    username: knownUsername.required(),
    password: password.required(),
    scope: scope.description('What the token can be used for; both if left out.'),
    label: tokenLabel.description('A name by which its owner recognises the token.'),
    expires_in: expiresIn
});

/** POST /users/{user}/tokens */
export const newPersonalToken = Joi.object({
    label: tokenLabel.required().description('A name by which its owner recognises it.'),
    scope: scope.required(),
    expires_in: expiresIn,
    projects: tokenProjects.description('Ids of the only projects that it is for, of those that the user can read. It reads and writes what is in them, and nothing else that is private. Left out, it is for all.')
});
