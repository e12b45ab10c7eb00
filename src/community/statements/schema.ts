import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { appealText } from './json';

/** POST /users/{user}/statements/{statement}/appeal */
export const newAppeal = Joi.object({ text: appealText.required(), ...keyField });
