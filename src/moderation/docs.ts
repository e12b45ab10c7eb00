import Joi from 'joi';

import { guarded } from '../errors/registry';
import type { Errors } from '../errors/registry';
import { idOf, shownId } from '../http/schema';
import { MOST_REPORTS_A_DAY, REPORTS_TO_REOPEN } from '../limits';
import { operations } from '../openapi/operation';
import { project } from '../representations/project';
import { bodyOf, next, record, time } from '../representations/shapes';
import { username } from '../representations/user';
import { MOST_SHOWN } from './queue';
import { decisions, reasons, reportReason, reportText, why } from './schema';

const person = (what: string): Joi.ObjectSchema => record({ id: idOf('user'), username }).description(what);
const when = (what: string): Joi.StringSchema => time.description(`${what}, in UTC.`).example('2026-03-01T18:30:00.000Z');

const report = record({
    project_id: idOf('project'), reason: reportReason, text: reportText, created_at: when('When it was first sent')
}).id('Report').description('What one user reported about a project.');

const reported = record({
    project,
    count: Joi.number().integer().min(0).description('Reports since moderators last decided about it.').example(3),
    reasons: record(Object.fromEntries(reasons.map((reason) => [reason, Joi.number().integer().min(1).optional().description(`How many for \`${reason}\`.`).example(1)]))).description('How many there are for each reason; those that nobody gave are left out.').example({ hurtful: 1, spam: 2 }),
    newest_at: when('When the newest was sent'),
    state: Joi.valid('open', ...decisions).description('`open` until a moderator decides.').example('open'),
    newest: Joi.array().max(MOST_SHOWN).items(record({ by: person('Who sent it.'), reason: reportReason, text: reportText, at: when('When it was sent') })).description(`The newest ${MOST_SHOWN}.`)
}).id('ReportedProject').description('The reports of a project.');

const suspension = record({
    user: person('Whose account it is.'), reason: why.description('Why.'), until: time.allow(null).description('When it ends, in UTC; null if no end was set.').example('2036-04-01T00:00:00.000Z')
}).id('Suspension').description('The user cannot write.');

const entry = record({
    at: when('When it was done'),
    moderator: person('Who did it, by the name that they had; null for an operator of the service.').allow(null),
    act: Joi.valid('feature', 'hold', 'keep', 'purge', 'read', 'read_history', 'read_members', 'read_trash', 'release', 'remove', 'restore', 'suspend', 'unfeature', 'unsuspend')
        .description('What was done. `keep` is the decision that a reported project is kept.').example('hold'),
    target: record({
        type: Joi.valid('project', 'page', 'element', 'user').description('What it was done to.').example('project'),
        id: shownId.description('Its id.').example('12'),
        project_id: shownId.allow(null).description('The project that it is, or is in; null for a user.').example('12'),
        owner: person('Whose it is, by the name that they had.')
    }).description('What it was done to; it may be gone by now.'),
    reason: why.allow(null).description('Why; null if no reason is asked for.')
}).id('LogEntry').description('Something that a moderator did.');

const list = (name: string, schema: Joi.ObjectSchema): Joi.ObjectSchema => bodyOf('success', { [name]: Joi.array().items(schema).max(100).description('As many as were asked for, where there are as many.'), next });

const forModerators = 'For moderators only: others get 403, whether or not there is such a thing.';
const only: Errors = ['forbidden', 'no_account'];

export const operation = operations('Moderation', {
    reportProject: {
        summary: 'Report a project to the moderators',
        notes: `A user reports a project once: another report by the same user replaces the reason and the text (200), and counts once. At most ${MOST_REPORTS_A_DAY} new ones in 24 hours. Nobody but moderators sees them.
After moderators have decided about a project, new reports bring it back if there are ${REPORTS_TO_REOPEN} from users who had not reported it before, or one if the project has changed since.`,
        answers: { 201: bodyOf('created', { report }), 200: bodyOf('updated', { report }) },
        errors: guarded
    },
    listReports: {
        summary: 'List reported projects',
        notes: `Those that no moderator has decided about, the most reported first. ${forModerators} Reports that come in meanwhile may move a project to a part of the list that was read already.`,
        answers: { 200: list('reports', reported) },
        errors: only
    },
    decideReports: {
        summary: 'Decide about a reported project',
        notes: `Closes the reports of the project. \`held\` is what PUT …/hold does, and \`removed\` what DELETE of the project does. 404 if no report of it is open, as another moderator may have been faster. ${forModerators}`,
        answers: { 200: bodyOf('updated', { report: reported }) },
        errors: guarded
    },
    holdProject: {
        summary: 'Hold a project',
        notes: `From then on its owner and moderators alone can read it, and it shows \`held\` to them. The owner can edit and delete it, but not release it. Nobody can remix it. It leaves all lists, the search and the counts. Again, with another reason, replaces the reason. Its reports are closed. Moves no revision. ${forModerators}`,
        answers: { 200: bodyOf('updated', { project }) },
        errors: guarded
    },
    releaseProject: {
        summary: 'Release a project',
        notes: `It is then as visible as its owner has it. 404 if it is not held. ${forModerators}`,
        answers: { 200: bodyOf('updated', { project }) },
        errors: guarded
    },
    suspendUser: {
        summary: 'Suspend a user',
        notes: `Every write of theirs is 403 \`suspended\` at once, with every token, before anything else is looked at. They can still sign in and out, read, be counted as a viewer, change the password, and delete the account. What they have made stays as it is. Again replaces the reason and the end. Moderators cannot be suspended (403). ${forModerators}`,
        answers: { 200: bodyOf('updated', { suspension }) },
        errors: guarded
    },
    unsuspendUser: {
        summary: 'End the suspension of a user',
        notes: `Returns it as it was. 404 if there is none, or it has ended by itself. ${forModerators}`,
        answers: { 200: bodyOf('deleted', { suspension }) },
        errors: guarded
    },
    listModerationLog: {
        summary: 'Read the moderation log',
        notes: `Newest first. What moderators decide, feature, remove, restore and delete for good, and when they read what is not for everybody: a project that they may see as moderators only, the history or the members of a project, or the trash of a user. A read is noted once an hour for each moderator and thing. Nothing in the log can be changed or deleted. ${forModerators}`,
        answers: { 200: list('entries', entry) },
        errors: only
    }
});
