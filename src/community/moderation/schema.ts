import Joi from 'joi';

import { invalid } from '../../api/errors/errors';
import { dateTime, text } from '../../api/request/schema';
import { reportReasons } from '../report-reasons';

export const reportReason = Joi.valid(...reportReasons).description('The reason.').example('spam');
export const reportText = text(0, 1000).description('More about the reason, for the moderators.').example('The links lead to a shop.');

/** POST /projects/{project}/reports */
export const newReport = Joi.object({ reason: reportReason.required(), text: reportText });

export const decisions = ['kept', 'held', 'removed'] as const;
export type Decision = typeof decisions[number];

export const reasonText = text(1, 1000).example('The links lead to a shop');

/** The rule that a decision goes by. */
const decisionRule = reportReason.description(
    'The rule that the decision goes by, for the person concerned; if left out, the reason of most reports, or else `other`.'
);

/** PATCH /moderation/reports/{project} */
export const decided = Joi.object({
    state: Joi.valid(...decisions).required().description('`kept` leaves the project as it is, and ends what the service did about it by itself, `held` holds it, and `removed` moves it to its owner\'s trash, from where only a moderator can restore it.').example('held'),
    note: reasonText.required().description('The reason, for the log; if the project is held, also for its owner.'),
    rule: decisionRule
});

/** PUT /moderation/projects/{project}/hold */
export const newHold = Joi.object({
    reason: reasonText.required().description('The reason, for the owner of the project and the log.'), rule: decisionRule
});

/** PUT /moderation/users/{user}/suspension */
export const newSuspension = Joi.object({
    reason: reasonText.required().description('The reason, for the user and the log.'),
    until: dateTime.description('When it ends; if left out, when a moderator ends it.').example('2036-04-01T00:00:00Z')
});

/** That of a moderator, whose decision is stated. */
export const statedSuspension = newSuspension.keys({ rule: decisionRule });

/** @param until when something ends @param now in milliseconds since 1970 @throws 400 if that is over */
export function checkUntil(until: string | undefined, now: number): void {
    if (until !== undefined && Date.parse(until) <= now) {
        throw invalid([{ path: 'until', message: '"until" must be in the future' }]);
    }
}
