import Joi from 'joi';

import { keyField } from '../api/request/idempotency';
import { changesOf, mergeable, revision } from '../api/request/schema';
import { listQuery } from '../api/request/pagination';
import { projectFields } from '../api/representations/project';
import { visibilities } from '../api/representations/visibility';

/** The fields of a new project, in a bulk too. */
export const newProject = Joi.object({ ...projectFields, title: projectFields.title.required() });

/** POST /users/{user}/projects */
export const newProjectBody = newProject.keys(keyField);

/** PATCH /users/{user}/projects/{project} */
export const projectChanges = mergeable(changesOf(projectFields));

/** GET /users/{user}/projects */
export const userListQuery = listQuery.keys({
    visibility: Joi.valid('all', ...visibilities)
        .description('Lists the user\'s projects with this visibility, or `all` of them; needs a token of that user. If left out, only public ones are listed.').example('all')
});

/** PATCH …/feature */
export const featuring = Joi.object({
    featured: Joi.boolean().description('Whether it should be featured; if left out, the opposite of the present state.').example(true),
    revision
});
