import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { changesOf } from '../../api/request/schema';
import { assignmentFields } from './json';

const { title, text, template, due_at: due } = assignmentFields;

/** POST /classes/{class_id}/assignments */
export const newAssignment = Joi.object({
    title: title.required(),
    text: text.default(''),
    template,
    due_at: due,
    ...keyField
});

/** PATCH /classes/{class_id}/assignments/{assignment} */
export const assignmentChanges = changesOf({
    ...assignmentFields, template: template.allow(null).description('The project that works begin with; null if they are to begin empty. Works that were begun stay as they are.'),
    due_at: due.allow(null).description('Until when it is to be handed in; null for no time. Whether works are late follows it.')
});
