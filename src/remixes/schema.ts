import Joi from 'joi';

import { projectFields } from '../representations/project';

const { title, visibility } = projectFields;

/** POST …/remixes */
export const newRemix = Joi.object({
    title: title.description('What the remix is called; as its source if left out.'),
    visibility: visibility.description('Who may see the remix; as its source if left out.')
});
