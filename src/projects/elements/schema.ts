import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { changesOf, mergeable } from '../../api/request/schema';
import { elementFields, elementType } from '../../api/representations/element';

/** POST …/elements */
export const newElement = Joi.object({ type: elementType.required(), ...elementFields, ...keyField });

/** PATCH …/elements/{element} */
export const elementChanges = mergeable(changesOf(elementFields));
