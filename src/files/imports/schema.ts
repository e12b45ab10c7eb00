import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { visibility } from '../../api/representations/project';

/** POST …/imports */
export const importQuery = Joi.object({ visibility: visibility.description('Who can read the new project; replaces the value in the file.'), ...keyField });
