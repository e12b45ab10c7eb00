import Joi from 'joi';

import { bodyOf, history, next, record, shownRevision } from '../representations/shapes';
import { idOf, revision, shownId, text } from '../http/schema';
import type { Status } from '../http/responses';
import { page } from '../pages/schema';
import { user } from '../users/schema';

/** A http or https URL. What is too long is looked at as well, so that no two parts may match the same text. */
const url = text(1, 2048).pattern(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#]\S*$/, 'a http or https URL');

export const title = text(1, 256).description('What it is called.').example('Manjericão na janela em cinco passos');
export const description = text(0, 1000)
    .description('What it is about. Its `#hashtags` become the project\'s tags.')
    .example('Um #passoapasso para quem só tem um parapeito e meia hora. 🌿 #jardim #manjericão');

/** Widths in pixels, 1 to 4096, to the pictures of that width. */
export const thumbnail = Joi.object().pattern(/^(?:[1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6])$/, url)
    .messages({ 'object.unknown': '{{#label}} must be a width in pixels, from 1 to 4096' })
    .description('Pictures of it, each a URL by its width in pixels, 1 to 4096. They are kept elsewhere.')
    .example({ 320: 'https://pictures.example.org/basil-320.png' });

export const projectFields = { title, description, thumbnail };

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

export const tag = text(1, 1000);

/** A project, as it is shown. */
export const project = record({
    id: idOf('project'),
    user_id: idOf('user').description('Id of its author.'),
    version: text(1, 32).description('`API_VERSION` of the service when it was made.').example('1'),
    ...projectFields,
    tags: Joi.array().items(tag).description('The `#hashtags` of its description, in order, each once, in lower case.').example(['passoapasso', 'jardim', 'manjericão']),
    remixed_from: shownId.allow(null).description('Id of the project that it is a remix of, which may have been deleted since; null where it is none.').example(null),
    featured: Joi.boolean().description('Whether a moderator has featured it.').example(true),
    revision: shownRevision,
    author: user,
    history
}).id('Project').description('What a user authors: pages on a grid.');

const count = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);

/** A project with its counters, as lists and GET /projects/{project} show it. */
export const projectWithStats = project.keys({
    stats: record({
        views: count.description('Days on which somebody looked at it, counted for each viewer.').example(204),
        remixes: count.description('Remixes of it that have not been deleted.').example(2)
    }).id('Stats').description('Counters, which may lag by 5 seconds.')
}).id('ProjectWithStats').description('A project and its counters.');

export const projectBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { project });

export const projectWithStatsBody = bodyOf('success', { project: projectWithStats });

export const madeProject = bodyOf('created', { project, page });

/** One page of a list of projects. */
export const projectList = bodyOf('success', { projects: Joi.array().items(projectWithStats).max(100).description('As many as were asked for, where there are as many.'), next });
