import Joi from 'joi';

import { language, revision, text } from '../http/schema';

export const username = Joi.string().pattern(/^[A-Za-z0-9_-]{1,20}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 20 of the letters A-Z and a-z, digits, "_" and "-"' })
    .example('ada');

export const password = text(8, 256);

/** POST /users */
export const newUser = Joi.object({
    username: username.required(),
    password: password.required(),
    language
});

/** PATCH /users/{user} */
export const userChanges = Joi.object({ username, language, revision }).or('username', 'language')
    .messages({ 'object.missing': 'at least one of "username" and "language" is needed' });
