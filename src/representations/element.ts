import { asText, history, jsonObject, plainQuoted, quoted } from '../db/json-sql';
import type { History } from '../db/json-sql';
import type { JsonText } from '../json/json-text';

/** SQL for the JSON text of an element in the row `e`; `userId` is an expression of its project's owner, `free` makes those of its free-form objects. */
export const elementJson = (userId: string, free = asText): string => jsonObject({
    id: plainQuoted('e.id'),
    page_id: plainQuoted('e.page_id'),
    user_id: plainQuoted(userId),
    type: quoted('e.type'),
    attributes: free('e.attributes'),
    styles: free('e.styles'),
    revision: 'e.revision',
    history: history('e')
});

/** SQL for the JSON texts of a page's elements in order of creation, with commas between them. */
export const elementsJson = (pageId: string, userId: string): string => `
    coalesce((select string_agg(${elementJson(userId)}, ',' order by e.id)
        from elements e where e.page_id = ${pageId} and e.deleted_at is null), '')`;

/** What `elementJson` makes, once read. */
export interface Element<Free = JsonText> {
    id: string;
    page_id: string;
    user_id: string;
    type: string;
    attributes: Free;
    styles: Free;
    revision: number;
    history: History;
}
