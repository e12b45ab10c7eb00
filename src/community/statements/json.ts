import Joi from 'joi';

import { fromProject } from '../../projects/fragments';
import { shownId, text } from '../../api/request/schema';
import { bodyOf, listBody, record, time, when } from '../../api/representations/shapes';
import { thingTypes } from '../../api/representations/things';
import { somebody } from '../../api/representations/user';
import { live } from '../../database/statements/deletion';
import { isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { isOpen } from '../../rules/visibility';
import { reportReasons } from '../report-reasons';

export const decisions = ['hold', 'remove', 'suspend'] as const;
export type Decision = typeof decisions[number];

export const facts = ['report', 'own', 'automatic'] as const;
export type Facts = typeof facts[number];

export const statedTypes = [...thingTypes, 'comment', 'user', 'picture'] as const;
export type StatedType = typeof statedTypes[number];

export const outcomes = ['upheld', 'reversed'] as const;
export type AppealOutcome = typeof outcomes[number];

/** SQL for the JSON text of the statement in the row `s`. The title of somebody else's project is there only if everybody can read it. */
export const statementJson = jsonObject({
    id: plainQuoted('s.id'),
    decision: plainQuoted('s.decision'),
    type: plainQuoted('s.type'),
    thing_id: plainQuoted('s.thing_id'),
    project_id: orNull(plainQuoted('nullif(s.project_id, 0)')),
    sha256: orNull(plainQuoted('s.picture')),
    title: orNull(
        `(select ${quoted('p.title')} ${fromProject('s.project_id')} and (p.user_id = s.user_id or ${live('p')} and ${isOpen('p')}))`
    ),
    rule: plainQuoted('s.rule'),
    reason: quoted('s.reason'),
    facts: plainQuoted('s.facts'),
    at: plainQuoted(isoTime('s.at')),
    until: timeOrNull('s.until'),
    ended_at: timeOrNull('s.ended_at'),
    appeal: orNull(jsonObject({
        text: quoted('s.appeal'), at: plainQuoted(isoTime('s.appealed_at')), outcome: orNull(plainQuoted('s.outcome')),
        reason: orNull(quoted('s.outcome_reason')), decided_at: timeOrNull('s.decided_at')
    }))
});

const shortText = text(1, 1000);

/** Most characters of an appeal. The constraint statements_appeal_length has the same number. */
export const MAX_APPEAL = 2000;

export const appealText = text(1, MAX_APPEAL).description('Why the decision is wrong.').example(
    'The links lead to my school, and to no shop.'
);
export const outcomeReason = shortText.description('Why. The person concerned reads it.').example('The links lead to a school.');
const rule = Joi.valid(...reportReasons).description('The rule that the decision goes by: one of the reasons of reports.').example('spam');

export const appealOutcome = Joi.valid(...outcomes).description(
    '`upheld` leaves the decision as it is, and `reversed` undoes it.'
).example('reversed');

/** A statement, as the person concerned reads it. */
export const statementSchema = record({
    id: shownId.description('Id of the statement.').example('14'),
    decision: Joi.valid(...decisions).description('What was decided.').example('hold'),
    type: Joi.valid(...statedTypes).description('The type of what it is about.').example('project'),
    thing_id: shownId.description('Its id; of a picture, that of the user who has sent it.').example('12'),
    project_id: shownId.allow(null).description(
        'Id of the project itself, or of the project that it is in; null for a user or a picture.'
    ).example('12'),
    sha256: Joi.string().pattern(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower-case hexadecimal digits').allow(null).description(
        'SHA-256 of the picture that it is about; null if it is about something else.'
    ).example(null),
    title: Joi.string().max(256).allow(null).description('Title of the project; null if there is none to show.').example('Win a phone'),
    rule,
    reason: shortText.description('The reason, in words.').example('All links lead to a shop'),
    facts: Joi.valid(...facts).description(
        'Where it comes from: reports of users, what a moderator saw (`own`), or a filter of the service (`automatic`).'
    ).example('report'),
    at: when('When it was decided'),
    until: time.allow(null).description('When it ends, in UTC; null if no end was set.').example(null),
    ended_at: time.allow(null).description('When it was taken back, or decided anew, in UTC; null if it was not.').example(null),
    appeal: record({
        text: appealText,
        at: when('When it was sent'),
        outcome: Joi.alternatives(Joi.valid(...outcomes), Joi.valid(null)).description('Null until a moderator has decided.').example(null),
        reason: shortText.allow(null).description(
            'Why it was decided so; null if nobody has decided, or the decision was taken back without words.'
        ).example(null),
        decided_at: time.allow(null).description('When a moderator decided, in UTC.').example(null)
    }).allow(null).description('The appeal against it; null if there is none.')
}).id('Statement').description('A decision of a moderator, with its reasons.');

export const statementBody = (status: 'created' | 'updated'): Joi.ObjectSchema => bodyOf(status, { statement: statementSchema });

export const statementList = listBody('statements', statementSchema);

/** An appeal, as moderators read it. */
const appealed = record({
    statement: statementSchema,
    user: somebody.description('Who appealed.'),
    moderator: somebody.allow(null).description('Who decided; null for an operator, a filter, or an account that is gone.')
}).id('Appeal').description('An appeal that nobody has decided on.');

export const appealList = listBody('appeals', appealed);
