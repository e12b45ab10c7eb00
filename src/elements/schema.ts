import Joi from 'joi';

import { keyField } from '../http/idempotency';
import { changesOf, mergeable } from '../http/schema';
import { elementFields, elementType } from '../representations/element';

/** POST …/elements */
export const newElement = Joi.object({ type: elementType.required(), ...elementFields, ...keyField });

/** PATCH …/elements/{element} */
export const elementChanges = mergeable(changesOf(elementFields));
