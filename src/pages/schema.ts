import Joi from 'joi';

import { changesOf } from '../http/schema';
import { pageFields } from '../representations/page';

/** POST …/pages */
export const newPage = Joi.object({ ...pageFields, x: pageFields.x.required(), y: pageFields.y.required() });

/** PATCH …/pages/{page} */
export const pageChanges = changesOf(pageFields);
