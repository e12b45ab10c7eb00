import Joi from 'joi';

/** POST …/upstream/pull */
export const pulled = Joi.object({
    take: Joi.valid('ours', 'theirs').description('Which side wins if both changed the same: `ours` is the remix, `theirs` the source. If left out, any conflict is 409.').example('ours')
});
