import Joi from 'joi';

import { revision } from '../http/schema';
import { elementFields, elementType } from '../representations/element';

/** POST …/elements */
export const newElement = Joi.object({ type: elementType.required(), ...elementFields });

/** PATCH …/elements/{element} */
export const elementChanges = Joi.object({ ...elementFields, revision }).or('attributes', 'styles')
    .messages({ 'object.missing': 'at least one of "attributes" and "styles" is needed' });
