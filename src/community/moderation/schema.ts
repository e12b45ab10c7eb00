import Joi from 'joi';

import { text } from '../../api/request/schema';
import { reportReasons } from './report-reasons';

export const reportReason = Joi.valid(...reportReasons).description('The reason.').example('spam');
export const reportText = text(0, 1000).description('More about the reason, for the moderators.').example('The links lead to a shop.');

/** POST /projects/{project}/reports */
export const newReport = Joi.object({ reason: reportReason.required(), text: reportText });

export const decisions = ['kept', 'held', 'removed'] as const;
export type Decision = typeof decisions[number];

export const reasonText = text(1, 1000).example('The links lead to a shop');

/** PATCH /moderation/reports/{project} */
export const decided = Joi.object({
    state: Joi.valid(...decisions).required().description('`kept` leaves the project as it is, `held` holds it, and `removed` moves it to its owner\'s trash, from where only a moderator can restore it.').example('held'),
    note: reasonText.required().description('The reason, for the log; if the project is held, also for its owner.')
});

/** PUT /moderation/projects/{project}/hold */
export const newHold = Joi.object({ reason: reasonText.required().description('The reason, for the owner of the project and the log.') });

/** A time with a time zone, between the years 2000 and 2999. It is converted to UTC. */
const dateTime = Joi.string().pattern(/^2\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/, 'a time with its zone, such as 2036-04-01T00:00:00Z')
    .custom((value: string) => new Date(value).toISOString());

/** PUT /moderation/users/{user}/suspension */
export const newSuspension = Joi.object({
    reason: reasonText.required().description('The reason, for the user and the log.'),
    until: dateTime.description('When it ends; if left out, when a moderator ends it.').example('2036-04-01T00:00:00Z')
});
