import Joi from 'joi';

import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { idOf, shownId } from '../../api/request/schema';
import { bodyOf, listBody, record, time, when } from '../../api/representations/shapes';
import { somebody } from '../../api/representations/user';
import { MAX_REPORTS_A_DAY, REPORTS_TO_REOPEN } from '../../limits';
import { forModerators, only, reportedFields, reportedProject } from '../moderation/docs';
import { reportReason, reportText } from '../moderation/schema';
import { reportKinds } from '../reporters/entry';
import { commentDecisions, userDecisions } from './input';
import { STANDING_DAYS } from '../reporters/standing';

const kind = Joi.valid(...reportKinds).description('What was reported.').example('comment');
const idOrNull = (what: string): Joi.StringSchema => shownId.allow(null).description(what).example('40');

const sent = {
    kind, thing_id: shownId.description('Id of what was reported.').example('57'),
    project_id: shownId.allow(null).description('Id of the project that it is, or is on; null for a person.').example('12'),
    reason: reportReason, text: reportText, created_at: when('When it was first sent since the last decision')
};
const thingReport = record(sent).id('ThingReport').description('A report of a comment or a person.');
const ownReport = record({
    ...sent, outcome: Joi.alternatives(Joi.valid(...new Set([...commentDecisions, ...userDecisions])), Joi.valid(null)).description(
        'What a moderator has decided; null until then.'
    ).example('removed')
}).id('OwnReport').description('A report that the user has sent.');

const comment = record({
    id: idOf('comment'), project_id: idOf('project'),
    author: somebody.allow(null).description('Who wrote it; null if their account was purged.'),
    text: Joi.string().max(2000).description('What it says, also if it is held.').example('Look at my shop'),
    page: idOrNull('The page that it is about; null for the whole project.'),
    element: idOrNull('The element that it is about.').example(null), reply_to: idOrNull('The comment that it answers.').example(null),
    mentions: Joi.array().items(somebody.description('Somebody whom it mentions.')).max(10).description('Whom it mentions.'),
    created_at: when('When it was written'), edited_at: time.allow(null).description('When it was edited last, in UTC.').example(null),
    removed: Joi.alternatives(Joi.valid('author', 'owner', 'moderator'), Joi.valid(null)).description('Who has removed it; null if nobody did.').example(null),
    held: Joi.boolean().description('Whether others read no text until a moderator has looked.').example(false)
}).id('JudgedComment').description('A comment as moderators see it.');

const reportedComment = record({
    kind: Joi.valid('comment').description('What was reported.'), comment,
    project: record({
        id: idOf('project'), title: Joi.string().allow('').max(200).description('Its title.').example('My garden')
    }).description('The project that it is on.'),
    ...reportedFields
}).id('ReportedComment').description('The reports of a comment.');
const reportedUser = record({
    kind: Joi.valid('user').description('What was reported.'), user: somebody.description('The person.'), ...reportedFields
}).id('ReportedUser').description('The reports of a person.');

const again = `Sending another one replaces the reason and the text (200), but after a moderator's decision it is a new one. A user can send at most ${MAX_REPORTS_A_DAY} new reports of projects, comments and people in 24 hours. Only moderators see them.`;

export const reportOperation = operations('Moderation', {
    reportComment: {
        summary: 'Report a comment to the moderators',
        notes: `For whoever reads the comment and did not write it. ${again} After a decision, the comment is back in the queue with one new report if it was edited since, or else with ${REPORTS_TO_REOPEN}.`,
        answers: { 201: bodyOf('created', { report: thingReport }), 200: bodyOf('updated', { report: thingReport }) },
        errors: guarded
    },
    reportUser: {
        summary: 'Report a person to the moderators',
        notes: `For anybody who has a public page. ${again} After a decision, the person is back in the queue with ${REPORTS_TO_REOPEN} new reports, or with one ${STANDING_DAYS} days later.`,
        answers: { 201: bodyOf('created', { report: thingReport }), 200: bodyOf('updated', { report: thingReport }) },
        errors: guarded
    },
    listOwnReports: {
        summary: 'List the reports that a user has sent',
        notes: `Newest first, with what a moderator has decided. Reporters are told of decisions by a notice, too. Only for the user.`,
        answers: { 200: listBody('reports', ownReport) },
        headers: ['Link'],
        errors: ['forbidden', 'no_account']
    },
    listReports: {
        summary: 'List what is reported',
        notes: `Projects, comments and people that no moderator has decided about, those with the most reports first. ${forModerators} A new report may move something to a page of the list that was already read.`,
        answers: { 200: listBody('reports', Joi.alternatives(reportedProject, reportedComment, reportedUser)) },
        headers: ['Link'],
        errors: only
    },
    decideCommentReports: {
        summary: 'Decide on a reported comment',
        notes: `Closes its reports. 404 if it has no open report and is not held, for instance because another moderator was faster. 403 for one's own comment. ${forModerators}`,
        answers: { 200: bodyOf('updated', { report: reportedComment }) },
        errors: guarded
    },
    decideUserReports: {
        summary: 'Decide on a reported person',
        notes: `Closes the reports of the person. 404 if there is no open one. 403 for oneself; moderators cannot be suspended (403). ${forModerators}`,
        answers: { 200: bodyOf('updated', { report: reportedUser }) },
        errors: guarded
    }
});
