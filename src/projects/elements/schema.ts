import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { changesOf, mergeable } from '../../api/request/schema';
import { elementFields, elementType } from '../../api/representations/element';

/**
 * A whole element, as requests, bulks and files bring a new one. A rule about several of its fields belongs here; about what an update
 * leaves, into a constraint of the database. The type may be any text: what is drawn of which type is in the files called elements.ts
 * (CONTRIBUTING.md).
 */
export const wholeElement = Joi.object({ type: elementType.required(), ...elementFields });

/** POST …/elements */
export const newElement = wholeElement.keys(keyField);

/** PATCH …/elements/{element} */
export const elementChanges = mergeable(changesOf(elementFields));
