import Joi from 'joi';

import { visibility } from '../representations/project';

/** POST …/imports */
export const importQuery = Joi.object({ visibility: visibility.description('Who may read the new project, instead of what the file says.') });
