import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { changesOf, mergeable } from '../../api/request/schema';
import { pageFields } from '../../api/representations/page';

/** POST …/pages */
export const newPage = Joi.object({ ...pageFields, x: pageFields.x.required(), y: pageFields.y.required(), ...keyField });

/** PATCH …/pages/{page} */
export const pageChanges = mergeable(changesOf(pageFields));
