import Joi from 'joi';

/** Messages of patterns, in settings and requests, in place of Joi's, which show regular expressions. */
export const patternMessages: Joi.LanguageMessages = {
    'string.pattern.base': Joi.x('{{#label}} has letters, digits or signs that cannot be in it, or they are in the wrong order'),
    'string.pattern.name': Joi.x('{{#label}} must be {{#name}}')
};
