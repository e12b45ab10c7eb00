import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { password } from '../../api/auth/schema';
import { changesOf, text } from '../../api/request/schema';
import { about, userLanguage, username } from '../../api/representations/user';

const code = text(1, 100).description('The code of an invitation. Needed if sign-up is by invitation (`SIGN_UP=invite`), and ignored otherwise. Upper and lower case do not matter.')
    .example('3f2a9c0d5b7e418fa6c1d20e94b87f35');

/** POST /users with the token of another identity provider */
export const newAccount = Joi.object({ code, ...keyField });

/** POST /users */
export const newUser = Joi.object({
    username: username.required(),
    password: password.required(),
    language: userLanguage(' `en` if left out.'),
    code,
    ...keyField
});

/** PUT /users/{user}/password */
export const passwordChange = Joi.object({
    current_password: password.required().description('The current password.'),
    password: password.required()
});

/** PATCH /users/{user} */
export const userChanges = changesOf({ username, language: userLanguage(), about });
