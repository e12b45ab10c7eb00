import Joi from 'joi';

import { keyField } from '../http/idempotency';
import { visibility } from '../representations/project';

/** POST …/imports */
export const importQuery = Joi.object({ visibility: visibility.description('Who can read the new project; replaces the value in the file.'), ...keyField });
