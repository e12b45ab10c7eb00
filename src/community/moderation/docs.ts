import Joi from 'joi';

import { guarded, missing } from '../../api/errors/registry';
import type { Errors } from '../../api/errors/registry';
import { idOf, shownId } from '../../api/request/schema';
import { MAX_REPORTS_A_DAY, MAX_SHOWN_REPORTS, REPORTS_TO_REOPEN } from '../../limits';
import { operations } from '../../api/description/operation';
import { project } from '../../api/representations/project';
import { bodyOf, listBody, record, time, when } from '../../api/representations/shapes';
import { thingTypes } from '../../api/representations/things';
import { somebody } from '../../api/representations/user';
import { reportReasons } from '../report-reasons';
import { appealList, statementBody } from '../statements/json';
import { summaryBody } from '../statements/summary';
import { acts } from './acts';
import { decisions, reportReason, reportText, reasonText } from './schema';

const person = (what: string): Joi.ObjectSchema => somebody.description(what);

const report = record({
    project_id: idOf('project'), reason: reportReason, text: reportText, created_at: when('When it was first sent')
}).id('Report').description('A report of a project.');

/** Fields that all entries of the queue have. */
export const reportedFields = {
    count: Joi.number().integer().min(0).description('Reports since the last decision of a moderator.').example(3),
    reasons: record(Object.fromEntries(reportReasons.map((reason) => [reason, Joi.number().integer().min(1).optional().description(`Reports for \`${reason}\`.`).example(1)]))).description('The number of reports for each reason; reasons without reports are left out.').example({ hurtful: 1, spam: 2 }),
    newest_at: when('When the newest report was sent'),
    state: Joi.valid('open', ...decisions, 'suspended').description('`open` until a moderator decides.').example('open'),
    newest: Joi.array().max(MAX_SHOWN_REPORTS).items(record({ by: person('The user who sent it.'), reason: reportReason, text: reportText, at: when('When it was sent') })).description(`The newest ${MAX_SHOWN_REPORTS} reports of users.`),
    guests: Joi.array().max(MAX_SHOWN_REPORTS).items(record({ reason: reportReason, text: reportText, at: when('When it was sent') })).description(`The newest ${MAX_SHOWN_REPORTS} reports of people who were not signed in.`)
} as const;

export const reportedProject = record({
    kind: Joi.valid('project').description('What was reported.'), project, ...reportedFields,
    state: Joi.valid('open', ...decisions).description('`open` until a moderator decides.').example('open')
}).id('ReportedProject').description('The reports of a project.');

const suspension = record({
    user: person('The suspended user.'), reason: reasonText.description('The reason.'),
    until: time.allow(null).description('When it ends, in UTC; null if no end was set.').example('2036-04-01T00:00:00.000Z')
}).id('Suspension').description('A suspension: the user cannot write.');

const entry = record({
    at: when('When it was done'),
    moderator: person('The moderator, with their name at that time; null for an operator of the service.').allow(null),
    act: Joi.valid(...acts)
        .description('The action. `keep` means that something reported was checked and kept.').example('hold'),
    target: record({
        type: Joi.valid(...thingTypes, 'comment', 'user').description('Its type.').example('project'),
        id: shownId.description('Its id.').example('12'),
        project_id: shownId.allow(null).description('Id of the project itself, or of the project that it is in; null for a user.').example('12'),
        owner: person('The owner, with their name at that time.')
    }).description('What the action was about; it may not exist any more.'),
    reason: reasonText.allow(null).description('The reason; null for actions that need none.')
}).id('LogEntry').description('An action of a moderator.');

export const moderationLog = listBody('entries', entry);

export const forModerators = 'Only moderators can do this. Others get 403, whether or not it exists.';
export const only: Errors = ['forbidden', 'no_account'];

export const moderationOperation = operations('Moderation', {
    reportProject: {
        summary: 'Report a project to the moderators',
        notes: `Each user has one report of a project: sending another one replaces the reason and the text (200). A user can send at most ${MAX_REPORTS_A_DAY} new reports in 24 hours. Only moderators see them.
After a moderator's decision, the project is back in the list with one new report if it has changed since, or else with ${REPORTS_TO_REOPEN} reports of users who had not reported it before.`,
        answers: { 201: bodyOf('created', { report }), 200: bodyOf('updated', { report }) },
        errors: guarded
    },
    reportAsGuest: {
        summary: 'Report a project to the moderators, without an account',
        notes: `Anybody can report a project that everybody can see. Each address (of IPv6, each /64) has one report of a project and day (UTC): sending another one replaces the reason and the text. An address can send reports of at most ${MAX_REPORTS_A_DAY} projects on a day; of the address only a hash is stored, with a salt that is deleted after a day.
After a moderator's decision, such a report brings the project back only if it has changed since.`,
        answers: { 201: bodyOf('created', { report }) },
        errors: missing
    },
    decideReports: {
        summary: 'Decide on a reported project',
        notes: `Closes the reports of the project. \`held\` does the same as PUT …/hold, and \`removed\` the same as DELETE of the project. \`kept\` also ends a hold. 404 if it has no open report, for instance because another moderator was faster. ${forModerators}`,
        answers: { 200: bodyOf('updated', { report: reportedProject }) },
        errors: [...guarded, 'own_decision']
    },
    holdProject: {
        summary: 'Hold a project',
        notes: `Only its owner and moderators can read a held project, and it has \`held\` for them. The owner can edit and delete it, but not release it. Nobody can remix it. It is in no list, search result or count. Its reports are closed. Holding it again replaces the reason. The revision stays the same. ${forModerators}`,
        answers: { 200: bodyOf('updated', { project }) },
        errors: [...guarded, 'own_decision']
    },
    releaseProject: {
        summary: 'Release a project',
        notes: `Its \`visibility\` applies again. 404 if it is not held. ${forModerators}`,
        answers: { 200: bodyOf('updated', { project }) },
        errors: [...guarded, 'own_decision']
    },
    suspendUser: {
        summary: 'Suspend a user',
        notes: `From now on all their writes are 403 \`suspended\`, with every token. They can still sign in and out, read, change the password and delete the account, and their views count. Their projects stay as they are. Suspending them again replaces the reason and the end. Moderators cannot be suspended (403). ${forModerators}`,
        answers: { 200: bodyOf('updated', { suspension }) },
        errors: guarded
    },
    unsuspendUser: {
        summary: 'End the suspension of a user',
        notes: `Returns the suspension. 404 if there is none, or if it has already ended. ${forModerators}`,
        answers: { 200: bodyOf('deleted', { suspension }) },
        errors: [...guarded, 'own_decision']
    },
    makeTeacher: {
        summary: 'Make a user a teacher',
        notes: `Gives them the permission \`teacher\`: they can make classes. ${forModerators}`,
        answers: { 200: bodyOf('updated', { teacher: person('The teacher.') }) },
        errors: guarded
    },
    dismissTeacher: {
        summary: 'Take the permission to teach from a user',
        notes: `From the next request on, they are no teacher of any class any more. ${forModerators}`,
        answers: { 200: bodyOf('deleted', { teacher: person('Who was a teacher.') }) },
        errors: [...guarded, 'last_teacher']
    },
    listModerationLog: {
        summary: 'Read the moderation log',
        notes: `Newest first. It has the decisions of moderators, what they feature, remove, restore and delete for good, and what they read that is not public: projects that only their role lets them see, the history or the members of a project, and the trash of a user. Repeated reads of the same thing by the same moderator are logged once an hour. Entries cannot be changed or deleted. ${forModerators}`,
        answers: { 200: moderationLog },
        headers: ['Link'],
        errors: only
    },
    listAppeals: {
        summary: 'List appeals',
        notes: `Those that nobody has decided on, the oldest first. ${forModerators}`,
        answers: { 200: appealList },
        headers: ['Link'],
        errors: only
    },
    decideAppeal: {
        summary: 'Decide on an appeal',
        notes: `\`reversed\` undoes what was decided: the hold or the suspension ends, or what was removed is restored, and reports that led to it count as not followed (\`kept\`). A notice tells the person. Nobody decides about themselves, and on their own decision only if there is no other moderator. ${forModerators}`,
        answers: { 200: statementBody('updated') },
        errors: [...guarded, 'own_decision', 'appeal_decided', 'page_limit', 'element_limit', 'project_size_limit', 'page_size_limit']
    },
    summarizeModeration: {
        summary: 'Read moderation in numbers',
        notes: `Reports, decisions, the time that they took, and appeals, by month. ${forModerators}`,
        answers: { 200: summaryBody },
        errors: only
    }
});
