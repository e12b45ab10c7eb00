import Joi from 'joi';

import { appFields } from '../../api/representations/app';
import { listed } from '../../api/request/schema';

/** POST /users/{user}/apps */
export const newApp = Joi.object({
    name: appFields.name.required(),
    url: appFields.url.required(),
    redirect_uris: appFields.redirect_uris.required(),
    confidential: Joi.boolean().default(false).description('Whether it gets a secret. Only for an app that runs on a server: a page, and a program on a device, cannot keep one.').example(false)
});

/** PATCH /users/{user}/apps/{app} */
export const appChanges = Joi.object(appFields).or(...Object.keys(appFields)).messages({ 'object.missing': `at least one of ${listed(appFields)} is needed` });
