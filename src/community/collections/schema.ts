import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { MAX_COLLECTED } from '../../limits';
import { collectionFields } from './json';

const { title, description, visibility } = collectionFields;

/** POST /users/{user}/collections */
export const newCollection = Joi.object({
    title: title.required(),
    description: description.default(''),
    visibility: visibility.default('public'),
    ...keyField
});

/** PATCH /users/{user}/collections/{collection} */
export const collectionChanges = Joi.object(collectionFields).or(...Object.keys(collectionFields))
    .messages({ 'object.missing': 'at least one of "title", "description" and "visibility" is needed' });

/** PUT …/collections/{collection}/projects/{project} */
export const placing = Joi.object({
    position: Joi.number().integer().min(0).max(MAX_COLLECTED)
        .description('Its place among the projects that the owner sees in the collection; 0 is the first. If left out, it becomes the last.').example(0)
});
