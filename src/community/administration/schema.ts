import Joi from 'joi';

import { permissions } from '../../accounts/users/permissions';
import { MAX_TOKEN_TTL, MAX_ANNOUNCEMENT_TEXT, MAX_CODE_NOTE, MAX_CODE_USES } from '../../limits';
import { feedQuery } from '../../api/request/pagination';
import { dateTime, ids, line, text } from '../../api/request/schema';
import { MAX_SENT } from '../../api/representations/username';
import { levels } from './announcements';

const permission = Joi.valid(...permissions).description('The permission.').example('teacher');

/** GET /admin/users */
export const peopleQuery = feedQuery.keys({
    prefix: line(1, MAX_SENT).description('How the usernames begin; case, width and composition do not matter.').example('ne'),
    permission: permission.description('Only users who have this permission.')
});

/** …/users/{user}/permissions/{permission} */
export const permissionParams = ids('user').keys({ permission: permission.required() });

export const announcementText = text(1, MAX_ANNOUNCEMENT_TEXT).description('What the pages of the site show.').example('On Saturday from 8 to 9 the service is down.');

export const level = Joi.valid(...levels).description('How much it matters.').example('info');

/** POST /admin/announcements */
export const newAnnouncement = Joi.object({
    text: announcementText.required(),
    level: level.default('info').description('How much it matters; `info` if left out.'),
    until: dateTime.required().description('When it ends.').example('2036-04-01T00:00:00Z')
});

/** PATCH /admin/apps/{app} */
export const appTrust = Joi.object({ trusted: Joi.boolean().required().description('Whether people who have let it in before are not asked again when they sign in.').example(true) });

/** PATCH /admin/webhooks/{webhook} */
export const webhookOff = Joi.object({ enabled: Joi.valid(false).required().description('Switches it off. Its owner can switch it on again.').example(false) });

const WEEK = 7 * 24 * 3600;

export const codeNote = line(1, MAX_CODE_NOTE).description('What it is for, for the staff.').example('Year 5');

/** POST /admin/sign-up-codes */
export const newSignUpCode = Joi.object({
    uses: Joi.number().integer().min(1).max(MAX_CODE_USES).default(1).description('How many accounts it opens; 1 if left out.').example(30),
    expires_in: Joi.number().integer().min(1).max(MAX_TOKEN_TTL).default(WEEK).description('Seconds until it expires; a week if left out.').example(WEEK),
    note: codeNote.allow(null).default(null)
});
