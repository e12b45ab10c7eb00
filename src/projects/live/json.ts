import Joi from 'joi';

import { jsonObject, orNull, plainQuoted } from '../../database/statements/json-sql';
import { MAX_SHOWN_CHOSEN } from '../../limits';
import { idOf } from '../../api/request/schema';
import { record } from '../../api/representations/shapes';
import { username } from '../../api/representations/user';

/** SQL for the JSON text of somebody who is present, in the row `h` of project_presence, who is the user in `w`. */
export const presenceJson = jsonObject({
    user: jsonObject({ id: plainQuoted('w.id'), username: plainQuoted('w.username') }),
    page: orNull(plainQuoted('h.page_id')),
    cursor: orNull(jsonObject({ left: 'h.cursor_left', top: 'h.cursor_top' })),
    selected: 'to_json(h.selected::text[])::text'
});

/** A coordinate of the cursor. */
const place = Joi.number().integer().min(-10_000).max(10_000).example(120);

const cursorText = 'Where their pointer is on the page, in units of the page as `left` and `top` of an element are; null if it is not there.';

/** The fields of a cursor, which is the same in requests and responses. */
const cursorFields = { left: place.required().description('From the left.'), top: place.required().description('From the top.') };

/** The cursor of a request. */
export const cursor = Joi.object(cursorFields).allow(null).default(null).description(cursorText);

/** Somebody else who has the project open. */
export const present = record({
    user: record({ id: idOf('user'), username }).description('Who it is.'),
    page: idOf('page').allow(null).description('The page that they look at, as they say; null if they say none.'),
    cursor: record(cursorFields).allow(null).description(cursorText),
    selected: Joi.array().items(idOf('element')).max(MAX_SHOWN_CHOSEN).description('Ids of the elements that they have chosen, as they say.')
}).id('Present').description('Somebody who has the project open in an editor.');
