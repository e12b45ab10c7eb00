import Joi from 'joi';

import { password } from '../../api/auth/schema';
import { tokenLabel, scope, tokenProjects } from './json';
import { knownUsername } from '../../api/representations/user';
import { text } from '../../api/request/schema';
import { MAX_TOKEN_TTL } from '../../limits';
import { assertion } from '../passkeys/schema';

/** How long a new token lives. */
export const expiresIn = Joi.number().integer().min(1).max(MAX_TOKEN_TTL).example(86_400)
    .description('Seconds until it expires; the setting `TOKEN_TTL` of the service if left out.');

/** POST /tokens */
export const signIn = Joi.object({
    username: knownUsername,
    password,
    passkey: assertion.description('Instead of a name and a password: the answer of an authenticator to the options of `POST /passkeys/options`, as `PublicKeyCredential.toJSON()` gives it.'),
    recovery_code: text(1, 100).description('Instead of a password: one of the recovery codes of the account, which can be used once. Upper and lower case do not matter.').example('3f2a9c0d5b7e418fa6c1d20e94b87f35'),
    scope: scope.description('What the token can be used for; both if left out.'),
    label: tokenLabel.description('A name by which its owner recognises the token.'),
    expires_in: expiresIn
}).or('password', 'passkey', 'recovery_code').with('password', 'username').with('recovery_code', 'username')
    .custom((value: Partial<Record<'username' | 'password' | 'passkey' | 'recovery_code', unknown>>, helpers) => {
        const ways = [value.password, value.passkey, value.recovery_code].filter((way) => way !== undefined).length;
        return ways > 1 || (value.passkey !== undefined && value.username !== undefined) ? helpers.error('sign-in.ways') : value;
    })
    .messages({ 'object.missing': 'one of "password", "passkey" and "recovery_code" is needed', 'object.with': '"username" is needed', 'sign-in.ways': '"password", "passkey" and "recovery_code" cannot be used together, and "passkey" not with "username"' })
    .example({ username: 'new-author', password: 'correct horse battery', scope: ['user', 'projects'], label: 'The tablet in the kitchen', expires_in: 86_400 });

/** POST /users/{user}/tokens */
export const newPersonalToken = Joi.object({
    label: tokenLabel.required().description('A name by which its owner recognises it.'),
    scope: scope.required(),
    expires_in: expiresIn,
    projects: tokenProjects.description('Ids of the only projects that it is for, of those that the user can read. It reads and writes what is in them, and nothing else that is private. Left out, it is for all.')
});
