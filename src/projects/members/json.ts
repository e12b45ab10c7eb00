import Joi from 'joi';

import { joinActiveUser } from '../../accounts/users/fragments';
import { isoTime, jsonObject, plainQuoted } from '../../database/statements/json-sql';
import { shownId } from '../../api/request/schema';
import { MAX_MEMBERS } from '../../limits';
import { memberRoles } from '../../api/representations/roles';
import { record, time } from '../../api/representations/shapes';
import { somebody, somebodyJson } from '../../api/representations/user';

/** SQL for the JSON text of the member in the row `m` of project_members, who is the user in `u`. */
export const memberJson = jsonObject({
    user: somebodyJson,
    role: plainQuoted('m.role'),
    since: plainQuoted(isoTime('m.since'))
});

export const role = Joi.valid(...memberRoles)
    .description('An `editor` can change everything inside the project; a `viewer` can read it.').example('editor');

/** A member, as it is shown. */
export const member = record({
    user: somebody.description('The member.'),
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

/** An invitation's JSON with members who have joined by it. */
export const listedInvitationJson = `(left(${invitationJson}, -1) || ',"joined":[' || coalesce((
    select string_agg(${somebodyJson}, ',' order by m.since, m.user_id)
    from project_members m ${joinActiveUser('m.user_id')}
        where m.project_id = i.project_id and i.id = any(m.invitation_ids)), '') || ']}')`;

const fields = {
    id: shownId.description('Its id.').example('5'),
    role,
    expires_at: time.description('When it expires, in UTC.').example('2026-03-08T18:30:00.000Z'),
    uses: Joi.number().integer().min(0).max(MAX_MEMBERS).description('How many users can still join with it.').example(30)
};

export const invitation = record(fields).id('Invitation').description('An invitation: anybody with its code can join the project.');

/** A new invitation: its code is shown this once. */
export const newInvitation = record({
    ...fields,
    code: Joi.string().pattern(/^[0-9a-f]{32}$/).description('The code for `POST /invitations`. It is not shown again: the service stores only its hash.').example('4be2a3c90d8f4f1e9a67d5b2c1e03f48')
}).id('NewInvitation').description('An invitation with its code.');

/** An invitation in the list of them. */
export const listedInvitation = record({
    ...fields,
    joined: Joi.array().items(somebody).max(MAX_MEMBERS).description('Who has joined with it and is still a member, in the order in which they joined.')
}).id('ListedInvitation').description('An invitation that still works, and who came by it.');
