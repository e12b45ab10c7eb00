import Joi from 'joi';

import { revision } from '../../api/request/schema';
import { handedIn, note, workState } from '../assignments/json';

/** PATCH /classes/{class_id}/assignments/{assignment}/work/{work} */
export const workChanges = Joi.object({
    state: workState.required().description('Pupils hand in their work (`handed_in`) and take it back (`started`), until a teacher has returned it. Teachers return (`returned`) or accept (`accepted`) what is handed in.'),
    point: handedIn.description('With `handed_in`: the point of the history to hand in, by its revision; the present one if left out.').example(7),
    note: note.description('With `returned` or `accepted`: what the teacher has to say about it. If left out, the note stays as it is.'),
    revision
});
