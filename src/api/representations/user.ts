import Joi from 'joi';

import { bool, historyJson, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import type { History } from '../../database/statements/json-sql';
import { MAX_ABOUT, MAX_USERNAME } from '../../limits';
import { hasAtMost, idOf, language, line, text } from '../request/schema';
import { publishLevels } from '../../classes/publish-levels';
import { bodyOf, history, record, shownRevision } from './shapes';
import { MAX_SENT, normalUsername, notUsername, usernameFault } from './username';
import type { UsernameFault } from './username';

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
export const accountJson = jsonObject({
    ...fields,
    permissions: jsonObject({ staff: bool('u.staff'), moderator: bool('u.moderator'), teacher: bool('u.teacher') }),
    about: quoted('u.about'),
    managed: orNull(`case when u.publish is not null then ${jsonObject({ class: plainQuoted('u.managed_by'), publish: plainQuoted('u.publish') })} end`)
});

/** SQL for the JSON text of the user in the row `u`, by id and name alone. */
export const somebodyJson = jsonObject({ id: fields.id, username: fields.username });

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

/** ASCII that can be in a name, as a pattern that every regular expression engine reads. */
export const portable = /^[^\x00-,./:-@\[-^\x60{-\x7f]+$/;
const words = `1 to ${MAX_USERNAME} letters with their marks, digits, "_" and "-", without blanks and invisible characters`;

/** A username in a request. Validation returns its normal form. */
const usernameThat = (faultOf: (text: string) => UsernameFault | undefined): Joi.StringSchema => text(1, MAX_SENT).pattern(portable, words).custom((value: string, helpers) => {
    // That it is too long, and what ASCII cannot be in it, is said already.
    const fault = hasAtMost(MAX_SENT, value) && portable.test(value) ? faultOf(value) : undefined;
    return fault === undefined ? normalUsername(value) : helpers.error(fault === 'scripts' ? 'username.scripts' : 'username.characters', { name: words });
})
    .messages({ 'string.max': `{{#label}} must be ${words}` })
    // Prefilled at /docs, so nobody in seeds/ may have it.
    .example('new-author');

/** The name of a new account, and any in a response. */
export const username = usernameThat(usernameFault).description(`1 to ${MAX_USERNAME} letters with their marks, digits, \`_\` and \`-\`, all in one script, or in Latin together with Chinese, Japanese or Korean. It is kept in the normal form NFC, in which the characters count.
Unique: names that differ only in case, width or composition are the same. The name of a deleted account stays taken until that is purged.`);

/** The name of a user who is there, or may be. It is not checked in full, as the next release of Unicode may know more of it. */
export const knownUsername = usernameThat(notUsername).description('The username; case, width and composition do not matter.');

/** A user, by id and name alone. */
export const somebody = record({ id: idOf('user'), username });

/** An account, as it is shown to a token without the scope `user`. */
export const named = somebody.id('NamedUser').description('The account, to a token without the scope `user`.');

/** The language of a user; `more` is added to its description. */
export const userLanguage = (more = ''): Joi.Schema => language.description(`${languageText}${more}`);

export const about = line(0, MAX_ABOUT).description('A line about themselves, which everybody can read on their page.').example('I grow basil on a window-sill. 🌿');

const permissions = {
    staff: Joi.boolean().description('Whether the user is of the staff, who run the place.').example(false),
    moderator: Joi.boolean().description('Whether the user can moderate: feature, hold and delete projects of anybody.').example(false)
};

const shown = {
    id: idOf('user'),
    username,
    revision: shownRevision.description('Changes of the account only, not of its projects.'),
    locale: record({ language: userLanguage() }).description('The language of the user.'),
    history,
    permissions: record(permissions).description('Only an operator can grant these.')
};

/** A user as projects show their author. */
export const user = record(shown).id('User').description('A user.');

/** A user as their own account shows them. */
export const account = record({
    ...shown,
    permissions: record({ ...permissions, teacher: Joi.boolean().description('Whether the user can make classes. With `TEACHERS=open`, so can everybody else whose account no class manages.').example(false) })
        .description('Only an operator can grant these; `teacher` a moderator, too.'),
    about,
    managed: record({ class: idOf('class'), publish: Joi.valid(...publishLevels).description('What it lets the account make visible, as the class has it.').example('class') }).allow(null)
        .description('The class that manages the account; null if none does. Such an account cannot change its name or be closed by its user.').example(null)
}).id('Account').description('An account.');

export const accountBody = (status: 'success' | 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { user: account });
