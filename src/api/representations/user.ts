import Joi from 'joi';

import { bool, history as historyJson, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import type { History } from '../../database/statements/json-sql';
import { MOST_ABOUT } from '../../limits';
import { idOf, language, text } from '../request/schema';
import { bodyOf, history, record, shownRevision } from './shapes';

const fields = {
    id: plainQuoted('u.id'),
    username: plainQuoted('u.username'),
    revision: 'u.revision',
    locale: jsonObject({ language: quoted('u.language') }),
    history: historyJson('u'),
    permissions: jsonObject({ staff: bool('u.staff'), moderator: bool('u.moderator') })
};

/** SQL for the JSON text of a user in the row `u`, as projects show their author. */
export const userJson = jsonObject(fields);

/** SQL for the JSON text of the account in the row `u`, for its own user. */
export const accountJson = jsonObject({ ...fields, about: quoted('u.about') });

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

/** One line: without control characters and line breaks. */
export const about = text(0, MOST_ABOUT).pattern(/^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$/, 'one line of text')
    .description('A line about themselves, which everybody can read on their page.').example('I grow basil on a window-sill. 🌿');

const shown = {
    id: idOf('user'),
    username,
    revision: shownRevision.description('Changes of the account only, not of its projects.'),
    locale: record({ language: userLanguage() }).description('The language of the user.'),
    history,
    permissions: record({
        staff: Joi.boolean().description('Whether the user belongs to the operators of the service.').example(false),
        moderator: Joi.boolean().description('Whether the user can moderate: feature, hold and delete projects of anybody.').example(false)
    }).description('Only an operator can grant these.')
};

/** A user as projects show their author. */
export const user = record(shown).id('User').description('A user.');

/** A user as their own account shows them. */
export const account = record({ ...shown, about }).id('Account').description('An account.');

export const accountBody = (status: 'success' | 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { user: account });
