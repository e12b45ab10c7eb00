import Joi from 'joi';

import { isoTime, jsonObject, plainQuoted } from '../db/json-sql';
import { idOf, shownId } from '../http/schema';
import { record, time } from './shapes';
import { username } from './user';

/** SQL for the JSON text of the member in the row `m` of project_members, who is the user in `u`. */
export const memberJson = jsonObject({
    user: jsonObject({ id: plainQuoted('u.id'), username: plainQuoted('u.username') }),
    role: plainQuoted('m.role'),
    since: plainQuoted(isoTime('m.since'))
});

/** What a member of a project is. */
export type MemberRole = 'editor' | 'viewer';

export const role = Joi.valid('editor', 'viewer')
    .description('An `editor` can change everything inside the project; a `viewer` can read it.').example('editor');

/** A member, as it is shown. */
export const member = record({
    user: record({ id: idOf('user'), username }).description('The member.'),
    role,
    since: time.description('When they joined, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id('Member').description('A user whom the author lets read or edit a project.');

/** SQL for the JSON text of the invitation in the row `i`, without its code. */
export const invitationJson = jsonObject({
    id: plainQuoted('i.id'),
    role: plainQuoted('i.role'),
    expires_at: plainQuoted(isoTime('i.expires_at')),
    uses: 'i.uses_left'
});

const fields = {
    id: shownId.description('Its id.').example('5'),
    role,
    expires_at: time.description('When it expires, in UTC.').example('2026-03-08T18:30:00.000Z'),
    uses: Joi.number().integer().min(0).max(100).description('How many users can still join with it.').example(30)
};

export const invitation = record(fields).id('Invitation').description('An invitation: anybody with its code can join the project.');

/** A new invitation: its code is shown this once. */
export const newInvitation = record({
    ...fields,
    code: Joi.string().pattern(/^[0-9a-f]{32}$/).description('The code for `POST /invitations`. It is not shown again: the service stores only its hash.').example('4be2a3c90d8f4f1e9a67d5b2c1e03f48')
}).id('NewInvitation').description('An invitation with its code.');
