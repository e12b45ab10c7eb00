import Joi from 'joi';

import { idPattern, revisionText } from '../../api/request/schema';

/** GET …/export */
export const exportQuery = Joi.object({
    as: Joi.valid('zip', 'html').description('The form: a zip that can be imported, or one HTML file that plays the project in any browser. `zip` if left out.').example('html'),
    history: Joi.valid('true', 'false').description('Whether to export the history too. Only the owner, members and moderators can, with a token.').example('false'),
    point: revisionText.description('A point of the history, by its revision, to export the project as it was then. Only the owner, members and moderators can, with a token, and teachers if it was handed in to their class.').example('4')
}).oxor('as', 'history', 'point').messages({ 'object.oxor': 'only one of "as", "history" and "point" can be given: the history and its points are only in a zip' });

/** GET /classes/{class_id}/takeout */
export const classExportQuery = Joi.object({ pupil: Joi.string().pattern(idPattern).description('The id of a pupil, to export the work of that one alone.').example('12') });
