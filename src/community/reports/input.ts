import Joi from 'joi';

import { dateTime } from '../../api/request/schema';
import { feedQuery } from '../../api/request/pagination';
import { reasonText, reportReason } from '../moderation/schema';
import type { Rule } from '../report-reasons';
import { reportKinds } from '../reporters/entry';

/** GET /moderation/reports */
export const queueQuery = feedQuery.keys({ kind: Joi.valid(...reportKinds).description('Reports of these alone.').example('comment') });

/** A decision with what the person concerned reads of it. */
export interface ReasonedDecision {
    moderatorId: string;
    /** one of the reasons of reports */
    rule: Rule;
    reason: string;
    /** when the first of the reports came */
    reportedAt: Date | null;
}

export const commentDecisions = ['kept', 'held', 'removed'] as const;
export const userDecisions = ['kept', 'suspended'] as const;
export type CommentDecision = typeof commentDecisions[number];
export type UserDecision = typeof userDecisions[number];

const note = reasonText.required().description('The reason, for the log and for the person concerned.');
const rule = reportReason.description('The rule that was broken; if left out, the reason of most reports.').example('hurtful');

/** PATCH /moderation/reports/comments/{comment} */
export const commentDecided = Joi.object({
    state: Joi.valid(...commentDecisions).required().description(
        '`kept` shows the comment, also if it was held; `held` hides its text from others; and `removed` removes it.'
    ).example('removed'), note, rule
});

/** PATCH /moderation/reports/users/{user} */
export const userDecided = Joi.object({
    state: Joi.valid(...userDecisions).required().description(
        '`kept` does nothing to the person; `suspended` does the same as PUT …/suspension.'
    ).example('suspended'), note, rule,
    until: dateTime.description('When a suspension ends; if left out, when a moderator ends it.').example('2036-04-01T00:00:00Z')
});
