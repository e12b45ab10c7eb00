import { asText, history, jsonObject, plainQuoted } from '../db/json-sql';
import type { History } from '../db/json-sql';
import { elementsJson } from './element';
import type { Element } from './element';
import type { JsonText } from '../json/json-text';

/** SQL for the JSON text of a page in the row `g` with its elements; `userId` is an expression of its project's owner. */
export const pageJson = (userId: string, elements = elementsJson('g.id', userId), free = asText): string => jsonObject({
    id: plainQuoted('g.id'),
    project_id: plainQuoted('g.project_id'),
    user_id: plainQuoted(userId),
    x: 'g.x',
    y: 'g.y',
    styles: free('g.styles'),
    revision: 'g.revision',
    history: history('g'),
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
