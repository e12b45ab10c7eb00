import Joi from 'joi';

import { id, ids } from '../../api/request/schema';
import { MAX_INVITATION_DAYS, MAX_MEMBERS } from '../../limits';
import { role } from './json';
import { knownUsername } from '../../api/representations/user';

/** Path parameters of a member of a project. */
export const memberPath = ids('user', 'project').keys({ username: knownUsername.required() });

/** Path parameters of an invitation. */
export const invitationPath = ids('user', 'project').keys({ invitation: id.required().description('Id of the invitation.').example('5') });

/** PUT …/members/{username} */
export const membership = Joi.object({ role: role.required() });

const DAY = 24 * 3600;

/** POST …/invitations */
export const invitationFields = Joi.object({
    role: role.required(),
    expires_in: Joi.number().integer().min(1).max(MAX_INVITATION_DAYS * DAY).default(7 * DAY).description(`Seconds until it expires, at most ${MAX_INVITATION_DAYS} days; a week if left out.`).example(7 * DAY),
    uses: Joi.number().integer().min(1).max(MAX_MEMBERS).default(1).description('How many users can join with it; one if left out.').example(30)
});

/** POST /invitations */
export const joining = Joi.object({
    code: Joi.string().pattern(/^[0-9A-Fa-f]{32}$/, 'a code: 32 hexadecimal digits').required().description('The code of an invitation.').example('4be2a3c90d8f4f1e9a67d5b2c1e03f48')
});
