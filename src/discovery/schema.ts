import Joi from 'joi';

import { bodyOf } from '../representations/shapes';
import { language, text } from '../http/schema';
import { tag } from '../representations/project';

export const languageParams = Joi.object({ language: language.required().description('The reader\'s language tag.') });

export const tagParams = Joi.object({ tag: text(1, 1000).required().description('A tag, in upper or lower case, with or without `#`.').example('jardim') });

export const featuredTags = bodyOf('success', {
    featured: Joi.array().items(tag).description('Tags without `#`, in lower case.').example(['jardim', 'pixelart', 'comic'])
});

/** POST /view-project/{project} */
export const viewed = bodyOf('success', {
    counted: Joi.boolean().description('Whether this view was counted.').example(true)
});
