import Joi from 'joi';

import { asText, historyJson, jsonObject, plainQuoted } from '../../database/statements/json-sql';
import type { History } from '../../database/statements/json-sql';
import type { Status } from '../request/responses';
import { coordinate, freeForm, idOf } from '../request/schema';
import type { JsonText } from '../json/json-text';
import { LARGE, MAX_ELEMENTS, MAX_PAGES, inBytes } from '../../limits';
import { element, elementsJson } from './element';
import type { Element } from './element';
import { bodyOf, history, record, shownRevision } from './shapes';

const pageFieldsJson = (userId: string, free: (expression: string) => string): Record<string, string> => ({
    id: plainQuoted('g.id'),
    project_id: plainQuoted('g.project_id'),
    user_id: plainQuoted(userId),
    x: 'g.x',
    y: 'g.y',
    styles: free('g.styles'),
    revision: 'g.revision',
    history: historyJson('g')
});

/** SQL for the JSON text of a page in the row `g` with its elements; `userId` is an expression of its project's owner. */
export const pageJson = (userId: string, elements = elementsJson('g.id', userId), free = asText): string => jsonObject({
    ...pageFieldsJson(userId, free),
    elements: `'[' || ${elements} || ']'`
});

/** A page's JSON, without elements. */
export const pageAloneJson = (userId: string, free = asText): string => jsonObject(pageFieldsJson(userId, free));

/** A page's JSON after a write, without elements if large. `weight` is an expression of its bytes. */
export const writtenPageJson = (userId: string, weight: string): string => `
    case when ${weight} <= ${LARGE} then ${pageJson(userId)} else ${pageAloneJson(userId)} end`;

/** The fields of a page that authors write. */
export interface PageFields<Free = JsonText> {
    x: number;
    y: number;
    styles: Free;
}

/** The JSON that `pageJson` makes, parsed. */
export interface Page<Free = JsonText> extends PageFields<Free> {
    id: string;
    project_id: string;
    user_id: string;
    revision: number;
    history: History;
    elements: Element<Free>[];
}

export const pageFields = {
    x: coordinate.description('Its column on the grid. Each page of a project has a different place.'),
    y: coordinate.description('Its row on the grid.').example(0, { override: true }),
    styles: freeForm('How an editor draws the page.', { backgroundColor: '#f4f8ec' })
};

const ownFields = {
    id: idOf('page'),
    project_id: idOf('project'),
    user_id: idOf('user').description('Id of the project\'s author.'),
    ...pageFields,
    revision: shownRevision,
    history
};

const elements = Joi.array().items(element).max(MAX_ELEMENTS).description('Its elements, in order of creation.');

/** A page without its elements. */
export const pageAlone = record(ownFields).id('PageAlone').description('A page of a project, without its elements.');

/** A page with its elements, as it is shown. */
export const page = record({ ...ownFields, elements }).id('Page').description('A page of a project, with its elements.');

/** A page as it is shown after a write, and in a conflict. */
export const writtenPage = record({
    ...ownFields,
    elements: elements.optional().description(`Its elements, in order of creation. Left out if the page has more than ${inBytes(LARGE)} of JSON; GET of the page returns them.`)
}).id('WrittenPage').description(`A page of a project, with its elements if the page has at most ${inBytes(LARGE)}.`);

export const pageBody = bodyOf('success', { page });

export const writtenPageBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { page: writtenPage });

export const pageList = bodyOf('success', { pages: Joi.array().items(page).max(MAX_PAGES).description('All pages, in order of creation.') });
