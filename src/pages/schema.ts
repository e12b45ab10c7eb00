import Joi from 'joi';

import { coordinate, jsonObject, revision } from '../http/schema';

/** POST …/pages */
export const newPage = Joi.object({ x: coordinate.required(), y: coordinate.required(), styles: jsonObject });

/** PATCH …/pages/{page} */
export const pageChanges = Joi.object({ x: coordinate, y: coordinate, styles: jsonObject, revision }).or('x', 'y', 'styles')
    .messages({ 'object.missing': 'at least one of "x", "y" and "styles" is needed' });
