import Joi from 'joi';

import { password } from '../auth/schema';
import { revision } from '../http/schema';
import { userLanguage, username } from '../representations/user';

/** POST /users */
export const newUser = Joi.object({
    username: username.required(),
    password: password.required(),
    language: userLanguage(' `en` if left out.')
});

/** PUT /users/{user}/password */
export const passwordChange = Joi.object({
    current_password: password.required().description('The one that it has been until now.'),
    password: password.required()
});

/** PATCH /users/{user} */
export const userChanges = Joi.object({ username, language: userLanguage(), revision }).or('username', 'language')
    .messages({ 'object.missing': 'at least one of "username" and "language" is needed' });
