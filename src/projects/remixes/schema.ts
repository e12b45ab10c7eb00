import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { projectFields } from '../../api/representations/project';

const { title, visibility } = projectFields;

/** POST …/remixes */
export const newRemix = Joi.object({
    title: title.description('The title of the remix; that of its source if left out.'),
    visibility: visibility.description('Who can see the remix; the same as for its source if left out.'),
    ...keyField
});
