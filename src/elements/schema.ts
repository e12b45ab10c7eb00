import Joi from 'joi';

import { jsonObject, revision, text } from '../http/schema';

export const elementType = text(1, 64);

/** POST …/elements */
export const newElement = Joi.object({ type: elementType.required(), attributes: jsonObject, styles: jsonObject });

/** PATCH …/elements/{element} */
export const elementChanges = Joi.object({ attributes: jsonObject, styles: jsonObject, revision }).or('attributes', 'styles')
    .messages({ 'object.missing': 'at least one of "attributes" and "styles" is needed' });
