import Joi from 'joi';

import { fromElements } from '../../projects/pages/fragments';
import { asText, historyJson, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import type { History } from '../../database/statements/json-sql';
import type { Status } from '../request/responses';
import { freeForm, idOf, text } from '../request/schema';
import type { JsonText } from '../json/json-text';
import { MAX_ELEMENTS } from '../../limits';
import { bodyOf, history, record, shownRevision } from './shapes';

/** SQL for the JSON text of an element in the row `e`; `userId` is an expression of its project's owner, `free` makes those of its free-form objects. */
export const elementJson = (userId: string, free = asText): string => jsonObject({
    id: plainQuoted('e.id'),
    page_id: plainQuoted('e.page_id'),
    user_id: plainQuoted(userId),
    type: quoted('e.type'),
    attributes: free('e.attributes'),
    styles: free('e.styles'),
    revision: 'e.revision',
    history: historyJson('e')
});

/** SQL for the JSON texts of a page's elements in order of creation, with commas between them. */
export const elementsJson = (pageId: string, userId: string): string => joinedElements(pageId, elementJson(userId));

/** SQL for a page's elements, with a JSON text of each row `e`. */
export const joinedElements = (pageId: string, json: string): string => `
    coalesce((select string_agg(${json}, ',' order by e.id)
        ${fromElements(pageId)}), '')`;

/** The fields of an element that authors write. */
export interface ElementFields<Free = JsonText> {
    type: string;
    attributes: Free;
    styles: Free;
}

/** The JSON that `elementJson` makes, parsed. */
export interface Element<Free = JsonText> extends ElementFields<Free> {
    id: string;
    page_id: string;
    user_id: string;
    revision: number;
    history: History;
}

export const elementType = text(1, 64)
    .description('The kind of element, such as `text`, `image` or `link`. Editors define the kinds. In a remix, the targets of `link` elements lead to the copy.')
    .example('text');

export const elementFields = {
    attributes: freeForm('Its content.', { text: 'Encha o vaso até dois dedos da borda.' }),
    styles: freeForm('Its look.', { left: 20, top: 314, width: 280, fontSize: 16 })
};

/** The fields of an element without its type, which has another name in a bulk. */
export const shownElement = {
    id: idOf('element'),
    page_id: idOf('page'),
    user_id: idOf('user').description('Id of the project\'s author.'),
    ...elementFields,
    revision: shownRevision,
    history
};

/** An element, as it is shown. */
export const element = record({ type: elementType, ...shownElement }).id('Element').description('An element of a page.');

export const elementBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { element });

export const elementList = bodyOf('success', { elements: Joi.array().items(element).max(MAX_ELEMENTS).description('All of them, in order of creation.') });
