import Joi from 'joi';

import { bodyOf, record } from '../../api/representations/shapes';
import type { Status } from '../../api/request/responses';

/** Most projects that a user likes. */
export const MAX_LIKES = 10_000;

export const likeBody = (status: Status): Joi.ObjectSchema => bodyOf(status, {
    like: record({ liked: Joi.boolean().description('Whether the caller likes the project.').example(true) })
        .id('Like').description('What the caller thinks of a project.')
});
