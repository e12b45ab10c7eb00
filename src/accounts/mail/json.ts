import Joi from 'joi';

import { LONGEST_ADDRESS, mailAddress } from '../../config/mail-address';
import { jsonObject, orNull, quoted, timeOrNull } from '../../database/statements/json-sql';
import { somebody } from '../../api/representations/user';
import { bodyOf, record, time } from '../../api/representations/shapes';

/** A mail address in a request or a response. */
export const address = Joi.string().max(LONGEST_ADDRESS).pattern(mailAddress, 'a mail address, such as ada@mail.example').example('ada@mail.example');

/** SQL for the JSON text of somebody's addresses in the row `a`, which may be missing. */
export const addressJson = jsonObject({
    confirmed: orNull(quoted('a.address')), confirmed_at: timeOrNull('a.confirmed_at'),
    pending: orNull(quoted('a.pending')), pending_since: timeOrNull('a.pending_since')
});

const addresses = record({
    confirmed: address.allow(null).description('The address to which mails go; null if there is none.'),
    confirmed_at: time.allow(null).description('When it was confirmed, in UTC.').example('2026-03-01T18:30:00.000Z'),
    pending: address.allow(null).description('The address that is to be confirmed by the link in a mail; null if there is none.').example('ada@school.example'),
    pending_since: time.allow(null).description('When that mail was asked for, in UTC.').example('2026-03-02T08:00:00.000Z')
}).id('MailAddress').description('The mail addresses of an account, for its own user.');

export const addressBody = (status: 'success' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { address: addresses });

export const passwordAsked = bodyOf('success', {});

export const passwordMade = bodyOf('updated', { user: somebody.description('Whose password it is.') });
