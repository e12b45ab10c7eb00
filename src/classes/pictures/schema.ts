import Joi from 'joi';

import { tokenLabel } from '../../accounts/tokens/json';
import { expiresIn } from '../../accounts/tokens/schema';
import { id } from '../../api/request/schema';
import { deviceCode, deviceSecret, pictures } from './json';

/** POST /class-devices */
export const preparing = Joi.object({
    code: deviceCode.required(),
    label: tokenLabel.description('A name by which the teachers recognise the device.')
});

/** POST /class-devices/pupils */
export const onDevice = Joi.object({ device: deviceSecret.required() });

/** POST /class-devices/tokens */
export const pictureSignIn = Joi.object({
    device: deviceSecret.required(),
    pupil: id.required().description('Id of the account of the pupil.').example('7'),
    pictures: pictures.required().description('The pictures of the pupil, in their order.'),
    label: tokenLabel.description('A name by which its owner recognises the token.'),
    expires_in: expiresIn
});
