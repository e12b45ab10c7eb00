import Joi from 'joi';

import { asText, history as historyJson, jsonObject, plainQuoted } from '../db/json-sql';
import type { History } from '../db/json-sql';
import type { Status } from '../http/responses';
import { coordinate, freeForm, idOf } from '../http/schema';
import type { JsonText } from '../json/json-text';
import { MOST_ELEMENTS, MOST_PAGES } from '../limits';
import { element, elementsJson } from './element';
import type { Element } from './element';
import { bodyOf, history, record, shownRevision } from './shapes';

/** SQL for the JSON text of a page in the row `g` with its elements; `userId` is an expression of its project's owner. */
export const pageJson = (userId: string, elements = elementsJson('g.id', userId), free = asText): string => jsonObject({
    id: plainQuoted('g.id'),
    project_id: plainQuoted('g.project_id'),
    user_id: plainQuoted(userId),
    x: 'g.x',
    y: 'g.y',
    styles: free('g.styles'),
    revision: 'g.revision',
    history: historyJson('g'),
    elements: `'[' || ${elements} || ']'`
});

/** What `pageJson` makes, once read. */
export interface Page<Free = JsonText> {
    id: string;
    project_id: string;
    user_id: string;
    x: number;
    y: number;
    styles: Free;
    revision: number;
    history: History;
    elements: Element<Free>[];
}

export const pageFields = {
    x: coordinate.description('Its column on the project\'s grid. No two pages of a project are at the same place.'),
    y: coordinate.description('Its row on the grid.').example(0, { override: true }),
    styles: freeForm('How an editor draws the page.', { backgroundColor: '#f4f8ec' })
};

/** A page with its elements, as it is shown. */
export const page = record({
    id: idOf('page'),
    project_id: idOf('project'),
    user_id: idOf('user').description('Id of the project\'s author.'),
    ...pageFields,
    revision: shownRevision,
    history,
    elements: Joi.array().items(element).max(MOST_ELEMENTS).description('All that is on it, in order of creation.')
}).id('Page').description('A page of a project, with all that is on it.');

export const pageBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { page });

export const pageList = bodyOf('success', { pages: Joi.array().items(page).max(MOST_PAGES).description('All pages, in order of creation.') });
