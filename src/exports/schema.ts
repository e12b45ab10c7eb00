import Joi from 'joi';

/** GET …/export */
export const exportQuery = Joi.object({
    history: Joi.valid('true', 'false').description('Whether the history is exported too. Its owner, members and moderators may, with a token.').example('false')
});
