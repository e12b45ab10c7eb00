import Joi from 'joi';

import { classFields, pupilName } from '../api/representations/class';
import { keyField } from '../api/request/idempotency';
import { changesOf, ids } from '../api/request/schema';
import { knownUsername } from '../api/representations/user';

const { title, publish, comments } = classFields;

/** POST /users/{user}/classes */
export const newClass = Joi.object({
    title: title.required(),
    publish: publish.default('class'),
    comments: comments.default(true),
    ...keyField
});

/** PATCH /classes/{class} */
export const classChanges = changesOf({ ...classFields, code: Joi.valid(true).description('Makes a new code, and ends the one before.').example(true) });

/** POST /classes */
export const joining = Joi.object({
    code: Joi.string().max(40).pattern(/^[\s-]*(?:[2-9A-Za-z][\s-]*){12}$/, 'a code of a class: 12 letters and digits').required().description('The code of a class. Case, blanks and hyphens do not matter.').example('k7pm-3xwr-d9tz')
});

/** PATCH /classes/{class}/pupils/{user} */
export const pupilChanges = Joi.object({ name: pupilName.required() });

/** Path parameters of a teacher of a class. */
export const teacherPath = ids('class').keys({ username: knownUsername.required() });
