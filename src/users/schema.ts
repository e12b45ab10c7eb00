import Joi from 'joi';

import { bodyOf, history, record, shownRevision } from '../representations/shapes';
import { idOf, language, revision, text } from '../http/schema';

const languageText = 'Language tag: finds them readers of their own language.';

export const username = Joi.string().pattern(/^[A-Za-z0-9_-]{1,20}$/, '1 to 20 of the letters A-Z and a-z, digits, "_" and "-"')
    .description('Unique without regard to case. The name of a deleted account stays taken until it is purged.')
    .example('tiago-luz');

export const password = text(8, 256).description('Kept as an Argon2id hash alone.').example('correct horse battery');

/** POST /users */
export const newUser = Joi.object({
    username: username.required(),
    password: password.required(),
    language: language.description(`${languageText} \`en\` if left out.`)
});

/** PUT /users/{user}/password */
export const passwordChange = Joi.object({
    current_password: password.required().description('The one that it has been until now.'),
    password: password.required()
});

/** PATCH /users/{user} */
export const userChanges = Joi.object({ username, language: language.description(languageText), revision }).or('username', 'language')
    .messages({ 'object.missing': 'at least one of "username" and "language" is needed' });

/** A user, as they are shown. */
export const user = record({
    id: idOf('user'),
    username,
    revision: shownRevision.description('Counts changes of the account alone.'),
    locale: record({ language: language.description(languageText) }).description('What they read.'),
    history,
    permissions: record({
        staff: Joi.boolean().description('Whether they work for whoever runs this place.').example(false),
        moderator: Joi.boolean().description('Whether they may feature and delete what is anybody\'s.').example(false)
    }).description('Granted by an operator alone.')
}).id('User').description('Whoever owns projects.');

export const userBody = (status: 'success' | 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { user });
