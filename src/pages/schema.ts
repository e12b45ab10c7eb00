import Joi from 'joi';

import { element } from '../elements/schema';
import { bodyOf, history, record, shownRevision } from '../representations/shapes';
import type { Status } from '../http/responses';
import { coordinate, freeForm, idOf, revision } from '../http/schema';

export const pageFields = {
    x: coordinate.description('Its column on the project\'s grid. No two pages of a project are at the same place.'),
    y: coordinate.description('Its row on the grid.').example(0, { override: true }),
    styles: freeForm('How an editor draws the page.', { backgroundColor: '#f4f8ec' })
};

/** POST …/pages */
export const newPage = Joi.object({ ...pageFields, x: pageFields.x.required(), y: pageFields.y.required() });

/** PATCH …/pages/{page} */
export const pageChanges = Joi.object({ ...pageFields, revision }).or('x', 'y', 'styles')
    .messages({ 'object.missing': 'at least one of "x", "y" and "styles" is needed' });

/** A page with its elements, as it is shown. */
export const page = record({
    id: idOf('page'),
    project_id: idOf('project'),
    user_id: idOf('user').description('Id of the project\'s author.'),
    ...pageFields,
    revision: shownRevision,
    history,
    elements: Joi.array().items(element).max(1000).description('All that is on it, in order of creation.')
}).id('Page').description('A page of a project, with all that is on it.');

export const pageBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { page });

export const pageList = bodyOf('success', { pages: Joi.array().items(page).max(1000).description('All pages, in order of creation.') });
