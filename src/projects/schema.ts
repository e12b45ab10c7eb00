import Joi from 'joi';

import { revision } from '../http/schema';
import { projectFields, title } from '../representations/project';

/** POST /users/{user}/projects */
export const newProject = Joi.object({ ...projectFields, title: title.required() });

/** PATCH /users/{user}/projects/{project} */
export const projectChanges = Joi.object({ ...projectFields, revision }).or('title', 'description', 'thumbnail')
    .messages({ 'object.missing': 'at least one of "title", "description" and "thumbnail" is needed' });

/** PATCH …/feature */
export const featuring = Joi.object({
    featured: Joi.boolean().description('Whether it is to be featured; whichever it is not, if left out.').example(true),
    revision
});
