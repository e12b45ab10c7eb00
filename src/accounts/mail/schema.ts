import Joi from 'joi';

import { address } from './json';
import { line } from '../../api/request/schema';
import { LONGEST_ADDRESS } from '../../config/mail-address';
import { password } from '../../api/auth/schema';

const key = Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/, 'the key of a link').description('The key of the link in a mail: what is behind the `#` in its address.').example('q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4');

/** PUT /users/{user}/address */
export const newAddress = Joi.object({
    address: address.required().description('The address to confirm.'),
    current_password: password.required().description('The current password.')
});

/** POST /users/{user}/address/confirmations */
export const confirmation = Joi.object({ key: key.required() });

/** POST /new-passwords/mails */
export const passwordRequest = Joi.object({
    account: line(1, LONGEST_ADDRESS).required().description('The username of an account, or the address that was confirmed for it. Upper and lower case do not matter.').example('ada@mail.example')
});

/** POST /new-passwords */
export const newPassword = Joi.object({ key: key.required(), password: password.required() });
