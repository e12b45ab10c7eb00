import Joi from 'joi';

import { changesOf, mergeable, revision } from '../http/schema';
import { listQuery } from '../http/pagination';
import { projectFields } from '../representations/project';

/** POST /users/{user}/projects */
export const newProject = Joi.object({ ...projectFields, title: projectFields.title.required() });

/** PATCH /users/{user}/projects/{project} */
export const projectChanges = mergeable(changesOf(projectFields));

/** GET /users/{user}/projects */
export const userListQuery = listQuery.keys({
    visibility: Joi.valid('all', 'public', 'unlisted', 'private')
        .description('Lists the caller\'s own projects with this visibility, or all of them. A token of that user is needed then. If left out, the list has public ones.').example('all')
});

/** PATCH …/feature */
export const featuring = Joi.object({
    featured: Joi.boolean().description('Whether it is to be featured; whichever it is not, if left out.').example(true),
    revision
});
