import Joi from 'joi';

import { changesOf, mergeable } from '../http/schema';
import { elementFields, elementType } from '../representations/element';

/** POST …/elements */
export const newElement = Joi.object({ type: elementType.required(), ...elementFields });

/** PATCH …/elements/{element} */
export const elementChanges = mergeable(changesOf(elementFields));
