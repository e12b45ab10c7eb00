import Joi from 'joi';

import { changesOf, mergeable, revision } from '../http/schema';
import { projectFields } from '../representations/project';

/** POST /users/{user}/projects */
export const newProject = Joi.object({ ...projectFields, title: projectFields.title.required() });

/** PATCH /users/{user}/projects/{project} */
export const projectChanges = mergeable(changesOf(projectFields));

/** PATCH …/feature */
export const featuring = Joi.object({
    featured: Joi.boolean().description('Whether it is to be featured; whichever it is not, if left out.').example(true),
    revision
});
