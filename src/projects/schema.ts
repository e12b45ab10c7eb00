import Joi from 'joi';

import { revision, text } from '../http/schema';

/** A http or https URL. The regular expression has one way to match anything, and so is linear. */
const url = text(1, 2048).pattern(/^https?:\/\/[^\s/?#]+[^\s]*$/i)
    .messages({ 'string.pattern.base': '{{#label}} must be a http or https URL' });

export const title = text(1, 256);
export const description = text(0, 1000);

/** Widths in pixels, 1 to 4096, to the pictures of that width. */
export const thumbnail = Joi.object().pattern(
    Joi.string().pattern(/^(?:[1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6])$/),
    url
).messages({ 'object.unknown': '{{#label}} must be a width in pixels, from 1 to 4096' });

const fields = { title, description, thumbnail };

/** POST /users/{user}/projects */
export const newProject = Joi.object({ ...fields, title: title.required() });

/** PATCH /users/{user}/projects/{project} */
export const projectChanges = Joi.object({ ...fields, revision }).or('title', 'description', 'thumbnail')
    .messages({ 'object.missing': 'at least one of "title", "description" and "thumbnail" is needed' });

/** PATCH …/feature */
export const featuring = Joi.object({ featured: Joi.boolean(), revision });
