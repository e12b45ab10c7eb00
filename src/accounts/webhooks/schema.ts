import Joi from 'joi';

import { webhookFields } from './json';
import { listed } from '../../api/request/schema';

/** POST /users/{user}/webhooks */
export const newWebhook = Joi.object({
    url: webhookFields.url.required(),
    events: webhookFields.events.required(),
    projects: webhookFields.projects.default(null)
});

const changes = {
    ...webhookFields,
    enabled: Joi.boolean().description('Whether it is told anything. What waits is given up when it is switched off.').example(true),
    secret: Joi.valid(true).description('Makes a new secret, which the response shows. The present one signs too, for a day.').example(true)
};

/** PATCH /users/{user}/webhooks/{webhook} */
export const webhookChanges = Joi.object(changes).or(...Object.keys(changes)).messages({ 'object.missing': `at least one of ${listed(changes)} is needed` });
