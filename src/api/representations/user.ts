import Joi from 'joi';

import { bool, history as historyJson, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import type { History } from '../../database/statements/json-sql';
import { idOf, language } from '../request/schema';
import { bodyOf, history, record, shownRevision } from './shapes';

/** SQL for the JSON text of a user in the row `u`. */
export const userJson = jsonObject({
    id: plainQuoted('u.id'),
    username: plainQuoted('u.username'),
    revision: 'u.revision',
    locale: jsonObject({ language: quoted('u.language') }),
    history: historyJson('u'),
    permissions: jsonObject({ staff: bool('u.staff'), moderator: bool('u.moderator') })
});

/** The JSON that `userJson` makes, parsed. */
export interface User {
    id: string;
    username: string;
    revision: number;
    locale: { language: string };
    history: History;
    permissions: { staff: boolean; moderator: boolean };
}

const languageText = 'Language tag: finds them readers of their own language.';

export const username = Joi.string().pattern(/^[A-Za-z0-9_-]{1,20}$/, '1 to 20 of the letters A-Z and a-z, digits, "_" and "-"')
    .description('Unique; case does not matter. The name of a deleted account stays taken until that is purged.')
    // Prefilled at /docs, so nobody in seeds/ may have it.
    .example('new-author');

/** The language of a user; `more` is added to its description. */
export const userLanguage = (more = ''): Joi.Schema => language.description(`${languageText}${more}`);

/** A user as responses show them. */
export const user = record({
    id: idOf('user'),
    username,
    revision: shownRevision.description('Changes of the account only, not of its projects.'),
    locale: record({ language: userLanguage() }).description('The language of the user.'),
    history,
    permissions: record({
        staff: Joi.boolean().description('Whether the user belongs to the operators of the service.').example(false),
        moderator: Joi.boolean().description('Whether the user can moderate: feature, hold and delete projects of anybody.').example(false)
    }).description('Only an operator can grant these.')
}).id('User').description('An account.');

export const userBody = (status: 'success' | 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { user });
