import Joi from 'joi';

/** The values that schemas let through, by name. */
export type Values<Schemas> = { readonly [Name in keyof Schemas]: Schemas[Name] extends Joi.AnySchema<infer Value> ? Value : never };

/** One of some words. */
export const choice = <Word extends string>(...words: Word[]): Joi.StringSchema<Word> => Joi.string<Word>().valid(...words);
