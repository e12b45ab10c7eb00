import { bool, history, jsonObject, plainQuoted, quoted } from '../db/json-sql';
import type { History } from '../db/json-sql';

/** SQL for the JSON text of a user in the row `u`. */
export const userJson = jsonObject({
    id: plainQuoted('u.id'),
    username: plainQuoted('u.username'),
    revision: 'u.revision',
    locale: jsonObject({ language: quoted('u.language') }),
    history: history('u'),
    permissions: jsonObject({ staff: bool('u.staff'), moderator: bool('u.moderator') })
});

/** What `userJson` makes, once read. */
export interface User {
    id: string;
    username: string;
    revision: number;
    locale: { language: string };
    history: History;
    permissions: { staff: boolean; moderator: boolean };
}
