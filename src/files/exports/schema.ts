import Joi from 'joi';

/** GET …/export */
export const exportQuery = Joi.object({
    history: Joi.valid('true', 'false').description('Whether to export the history too. Only the owner, members and moderators can, with a token.').example('false')
});
