import Joi from 'joi';

import { id, ids, revisionText } from '../../api/request/schema';
import { MAX_PAGES } from '../../limits';
import { pointLabel } from '../../api/representations/change';

/** Path parameters of a point. */
export const pointIds = ids('user', 'project').keys({ revision: revisionText.required().description('A revision of the project.').example('4') });

/** PUT …/history/{revision}/label */
export const newLabel = Joi.object({ label: pointLabel.required() });

/** POST …/history/{revision}/restore */
export const restored = Joi.object({ pages: Joi.array().items(id).min(1).max(MAX_PAGES).unique().description('Restores only these pages.').example(['40']) });

/** The query of GET …/changes */
export const sinceQuery = Joi.object({ since: revisionText.required().description('The revision of the project that the caller has; 0 for everything.').example('3') });
