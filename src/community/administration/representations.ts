import Joi from 'joi';

import { MAX_COUNTED, STATISTICS_DAYS, inWords } from '../../limits';
import { offReasons, webhookEvents } from '../../api/representations/webhook-events';
import { record, time, when } from '../../api/representations/shapes';
import { somebody, userLanguage, username } from '../../api/representations/user';
import { idOf, shownId, text } from '../../api/request/schema';
import { adminActs, targetTypes } from './log';
import { announcementText, codeNote, level } from './schema';

const number = (what: string): Joi.NumberSchema => Joi.number().integer().min(0).description(what).example(3);
const yes = (what: string): Joi.BooleanSchema => Joi.boolean().description(what).example(false);

const personFields = {
    id: idOf('user'),
    username,
    language: userLanguage(),
    permissions: record({ staff: yes('Whether the user can do what is here.'), moderator: yes('Whether the user can moderate.'), teacher: yes('Whether the user can make classes.') }).description('What was granted to the user.'),
    managed: yes('Whether a class manages the account.'),
    state: Joi.valid('active', 'suspended', 'deleted').description('`deleted` until it is purged.').example('active'),
    suspension: record({
        reason: text(1, 1000).description('The reason.').example('The links lead to a shop'), until: time.allow(null).description('When it ends, in UTC; null if no end was set.').example('2036-04-01T00:00:00.000Z')
    }).allow(null).description('The suspension; null if there is none.'),
    created_at: when('When it was opened'),
    deleted_at: when('When it was deleted; null if it was not').allow(null)
};

export const person = record(personFields).id('Person').description('An account, for the staff.');

export const details = record({
    ...personFields,
    signs_in: Joi.valid('password', 'elsewhere', 'other').description('How its user signs in: with a `password`, at the identity provider that the service trusts (`elsewhere`), or in an `other` way alone, such as with a passkey.').example('password'),
    passkeys: number('Its passkeys.'),
    identities: number('Its identities at other providers.'),
    sign_ins: number('Tokens of sign-ins that have not expired.'),
    tokens: number('Tokens of scripts and apps that have not expired.'),
    apps: number('Apps that its user has registered.'),
    webhooks: number('Its webhooks.'),
    projects: number(`Its projects, up to ${inWords(MAX_COUNTED)}.`),
    project_bytes: number('Bytes of `attributes` and `styles` in these projects.'),
    assets: number('Assets that its user has sent.'),
    asset_bytes: number('Bytes of these assets.'),
    last_used_at: when('The hour in which one of its tokens was last used; null if none was').allow(null)
}).id('PersonInDetail').description('An account and what it has, for the staff.');

export const newPassword = Joi.string().pattern(/^[A-Za-z0-9_-]{16}$/).description('The new password: 96 random bits. It is shown only in this response.').example('sJ0rQ2kX9bWv-T4e');

export const logEntry = record({
    at: when('When it was done'),
    by: somebody.description('Who did it, with their name at that time; null for an operator\'s command.').allow(null),
    act: Joi.valid(...adminActs).description('What was done.').example('grant'),
    target: record({
        type: Joi.valid(...targetTypes).description('Its type; `place` is the service as a whole.').example('user'),
        id: shownId.allow(null).description('Its id; null for the place.').example('3'),
        name: text(0, 500).allow(null).description('What it was called: a username, the name of an app, the host of a webhook, the text of an announcement or the note to a code.').example('new-author')
    }).description('What it was about; it may not exist any more.'),
    detail: text(0, 1000).allow(null).description('The permission, the reason of a suspension, or the end of an announcement; null for all others.').example('teacher')
}).id('AdminLogEntry').description('What the staff or an operator has done.');

const count = (what: string): Joi.ObjectSchema => record({ count: number('How many.'), estimated: yes('Whether that is an estimate.') }).description(what);
const queue = (what: string): Joi.ObjectSchema => record({ count: number('How many wait.'), more: yes('Whether there are more than that.') }).description(what);

export const statistics = record({
    at: when('When they were counted'),
    people: count('Accounts.'),
    projects: count('Projects.'),
    assets: count('Pictures, drawings, sounds and videos.'),
    bytes: record({ database: number('The whole database.'), projects: number('Projects with their pages and elements.'), history: number('Histories.') }).description('Sizes on the disk of the database, with indexes.'),
    queues: record({ webhooks: queue('Deliveries to webhooks.'), search: queue('Projects that the search has to look at.'), reports: queue('Reported projects that nobody has decided about.') }).description('What waits.'),
    days: Joi.array().max(STATISTICS_DAYS).items(record({
        day: Joi.string().pattern(/^\d{4}-\d\d-\d\d$/).description('The day, in UTC.').example('2026-03-01'),
        requests: number('Requests.'), edits: number('Requests that changed projects.'), errors: number('Responses with a status of 500 or more.'), sign_ups: number('Accounts that were opened.')
    })).description(`The last ${STATISTICS_DAYS} days, today first.`)
}).id('Statistics').description('The place in numbers.');

const announcementFields = { id: idOf('announcement'), text: announcementText, level, until: when('When it ends') };

export const announcement = record(announcementFields).id('Announcement').description('A text that all pages show until a time.');

export const ownAnnouncement = record({
    ...announcementFields, by: username.allow(null).description('Who made it, by their name at that time; null for an operator\'s command.'), created_at: when('When it was made')
}).id('OwnAnnouncement').description('An announcement, for the staff.');

export const hostedWebhook = record({
    id: idOf('webhook'),
    owner: somebody.allow(null).description('Whose it is; null for one of the place.'),
    host: text(0, 512).description('The host that it is sent to.').example('hooks.example'),
    events: Joi.array().items(Joi.string().valid(...webhookEvents)).max(webhookEvents.length).description('What it is told of.').example(['project.created']),
    enabled: yes('Whether it is told anything at the moment.'),
    reason: Joi.alternatives(Joi.valid(...offReasons), Joi.valid(null)).description('Why the service has switched it off; null if the service has not.').example(null),
    failing_since: time.allow(null).description('Since when every attempt has failed, in UTC; null if the last one did not.').example(null),
    waiting: number('How many deliveries wait.'),
    created_at: when('When it was made')
}).id('HostedWebhook').description('A webhook, for the staff.');

export const maintenance = record({
    done_until: when('Everything older than this was looked at; null before the first time').allow(null),
    due_at: when('When it is due next; null before the first time').allow(null),
    running: yes('Whether an instance does it at the moment.')
}).id('Maintenance').description('How far the maintenance is.');

export const signUp = Joi.valid('open', 'invite', 'closed').description('Who can open an account: everybody, whoever has a code, or nobody.').example('invite');

export const signUpCode = record({
    id: idOf('sign_up_code'),
    uses_left: number('How many accounts it still opens.'),
    note: codeNote.allow(null),
    by: username.allow(null).description('Who made it, by their name at that time; null for an operator\'s command.'),
    created_at: when('When it was made'),
    expires_at: when('When it expires')
}).id('SignUpCode').description('A code that opens accounts, without the code itself, which is not kept.');

export const shownCode = Joi.string().pattern(/^[0-9a-f]{32}$/).description('The code: 128 random bits. It is shown only in this response.').example('0f8b1c2d3e4f5a6b7c8d9e0f1a2b3c4d');
