import Joi from 'joi';

import { tokenLabel } from '../../accounts/tokens/json';
import { bodyOf, record, time } from '../../api/representations/shapes';
import { idOf } from '../../api/request/schema';
import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { MAX_CLASS_DEVICES, MAX_PUPILS } from '../../limits';
import { classFields, pupilName } from '../json';
import { PICTURES, pictureNames } from './names';

/** Pictures in their order, in a request or as they are shown once. */
export const pictures = Joi.array().items(Joi.valid(...pictureNames)).length(PICTURES)
    .description('The pictures by which the pupil signs in, in their order. They are not shown again.').example(['cat', 'moon', 'boat']);

/** SQL for the JSON text of the device in the row `d`. */
export const deviceJson = jsonObject({
    id: plainQuoted('d.id'), label: orNull(quoted('d.label')), ready: bool('d.code_expires_at is null'),
    since: plainQuoted(isoTime('d.since'))
});

/** SQL for the JSON text of the title and the id of the class in the row `c`. */
export const titledJson = jsonObject({ id: plainQuoted('c.id'), title: quoted('c.title') });

/** SQL for the JSON text of the name of the pupil in the row `k`, and the id of the account. */
export const nameJson = jsonObject({ id: plainQuoted('k.user_id'), name: orNull(quoted('k.name')) });

export const device = record({
    id: idOf('device'),
    label: tokenLabel.allow(null).description('A name by which the teachers recognise it.'),
    ready: Joi.boolean().description('Whether it is prepared: its code was used.').example(true),
    since: time.description('When it was prepared, or else its code made, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id('ClassDevice').description('A device on which pupils of a class sign in with pictures.');

export const deviceList = bodyOf('success', {
    devices: Joi.array().items(device).max(MAX_CLASS_DEVICES).description('All of them, in the order in which they were added.')
});

const secret = Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/).example('q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4');

/** The code that prepares a device, in a request or as it is shown once. */
export const deviceCode = secret.description('The code that prepares a device: 256 random bits. It can be used once, within 15 minutes.');

/** The secret of a device, in a request or as it is shown once. */
export const deviceSecret = secret.description('The secret of a prepared device: 256 random bits, of which only the hash is stored.');

const titled = record({ id: idOf('class'), title: classFields.title }).description('The class.');

export const prepared = bodyOf('created', { device, class: titled, secret: deviceSecret });

export const namesShown = bodyOf('success', {
    class: titled,
    pupils: Joi.array().items(record({ id: idOf('user'), name: pupilName.allow(null) })).max(MAX_PUPILS)
        .description('Those who have pictures, by their names.')
});
