import Joi from 'joi';

import { keyField } from '../http/idempotency';
import { changesOf, mergeable } from '../http/schema';
import { pageFields } from '../representations/page';

/** POST …/pages */
export const newPage = Joi.object({ ...pageFields, x: pageFields.x.required(), y: pageFields.y.required(), ...keyField });

/** PATCH …/pages/{page} */
export const pageChanges = mergeable(changesOf(pageFields));
