import Joi from 'joi';

import { audience, classFields, hideReason, placeState, pupilName } from './json';
import { keyField } from '../api/request/idempotency';
import { feedQuery } from '../api/request/pagination';
import { changesOf, dateTime, id, ids } from '../api/request/schema';
import { knownUsername } from '../api/representations/user';
import { MAX_NAMES } from '../limits';

const { title, publish, comments, show, picture_sign_in: pictureSignIn } = classFields;

/** POST /users/{user}/classes */
export const newClass = Joi.object({
    title: title.required(),
    publish: publish.default('class'),
    comments: comments.default(true),
    show: show.default('at once'),
    picture_sign_in: pictureSignIn.default(false),
    ...keyField
});

/** PATCH /classes/{class_id} */
export const classChanges = changesOf({ ...classFields, code: Joi.valid(true).description('Makes a new code, and ends the one before.').example(true) });

/** POST /classes */
export const joining = Joi.object({
    code: Joi.string().max(40).pattern(/^[\s-]*(?:[2-9A-Za-z][\s-]*){12}$/, 'a code of a class: 12 letters and digits').required().description('The code of a class. Case, blanks and hyphens do not matter.').example('k7pm-3xwr-d9tz')
});

/** POST /classes/{class_id}/pupils */
export const newPupils = Joi.object({
    names: Joi.array().items(pupilName).min(1).max(MAX_NAMES).required().description('The names by which the class is to know them. Two can be the same.').example(['Ana S.', 'Ben B.']),
    ...keyField
});

/** PATCH /classes/{class_id}/pupils/{pupil} */
export const pupilChanges = Joi.object({
    name: pupilName,
    passphrase: Joi.valid(true).description('Makes a new pass-phrase.').example(true),
    pictures: Joi.boolean().description('Gives new pictures to sign in with, or takes them away.').example(true)
}).or('name', 'passphrase', 'pictures').messages({ 'object.missing': '"name", "passphrase" or "pictures" is needed' });

/** PUT /users/{user}/projects/{project}/classes/{class_id} */
export const placing = Joi.object({ audience: audience.required() });

/** GET /classes/{class_id}/projects */
export const galleryQuery = feedQuery.keys({ pupil: id.description('Only projects of this user.').example('7'), state: placeState.description('Only projects in this state: `waiting` for those that a teacher has to look at. Pupils find their own.') });

const remove = (what: string): Joi.Schema => Joi.valid('remove').description(`\`remove\` closes ${what}, with all that is theirs. If left out, they become ordinary ones.`).example('remove');

/** DELETE /classes/{class_id} */
export const deletedClass = Joi.object({ accounts: remove('the accounts that the class manages') });

/** DELETE /classes/{class_id}/pupils/{pupil} */
export const deletedPupil = Joi.object({ account: remove('the account, which the class manages') });

/** Path parameters of a teacher of a class. */
export const teacherPath = ids('class_id').keys({ username: knownUsername.required() });

/** PATCH /classes/{class_id}/projects/{project} */
export const showing = Joi.object({
    state: Joi.valid('shown', 'hidden').required().description('`shown` shows it to the class, also one that waits for a look; `hidden` hides it.').example('hidden'),
    reason: hideReason
}).custom((value, helpers) => ((value.state === 'hidden') === (value.reason !== undefined) ? value : helpers.error('showing.reason'))).messages({ 'showing.reason': '"reason" is needed with "hidden", and with nothing else' });

/** PUT /classes/{class_id}/pupils/{pupil}/pause */
export const pause = Joi.object({ until: dateTime.required().description('Until when the account writes nothing.').example('2036-04-01T12:00:00Z') });
