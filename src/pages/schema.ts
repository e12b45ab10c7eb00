import Joi from 'joi';

import { revision } from '../http/schema';
import { pageFields } from '../representations/page';

/** POST …/pages */
export const newPage = Joi.object({ ...pageFields, x: pageFields.x.required(), y: pageFields.y.required() });

/** PATCH …/pages/{page} */
export const pageChanges = Joi.object({ ...pageFields, revision }).or('x', 'y', 'styles')
    .messages({ 'object.missing': 'at least one of "x", "y" and "styles" is needed' });
