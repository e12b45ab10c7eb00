import { asText, historyJson, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { authoredJson } from '../../api/representations/project';

/*
 * SQL for the contents of the files of an export. files/format/schema.ts has their schemas.
 */

/** SQL for the JSON text of the element in the row `e`; `more` comes first. */
export const elementInFile = (more: Readonly<Record<string, string>> = {}): string => jsonObject({
    id: plainQuoted('e.id'), ...more, type: quoted('e.type'), attributes: asText('e.attributes'), styles: asText('e.styles'), history: historyJson('e')
});

/** SQL for the fields of the page in the row `g`. */
const pageFields = { id: plainQuoted('g.id'), x: 'g.x', y: 'g.y', styles: asText('g.styles'), history: historyJson('g') };

/** SQL for the JSON text of the page in the row `g` without what is on it. */
export const pageAloneInFile = jsonObject(pageFields);

/** SQL for the JSON text of the page in the row `g`. */
export const pageInFile = (elements: string): string => jsonObject({ ...pageFields, elements: `'[' || ${elements} || ']'` });

/** SQL for the JSON text of the project's own fields, from the row `p`. */
export const projectInFile = jsonObject({ id: plainQuoted('p.id'), ...authoredJson(), history: historyJson('p') });
