import type Joi from 'joi';

/**
 * Lets hapi accept usual inputs without Joi, which takes a few microseconds and some kilobytes of memory for each (docs/decisions/quick-schemas.md).
 * What is not usual, and what is described, is up to the schema as before. A schema that is made of this one does not have it.
 * @param isUsual whether the schema accepts an input as it is; false if that is not known
 */
export function quick<Schema extends Joi.ObjectSchema>(schema: Schema, isUsual: (input: Readonly<Record<string, unknown>>) => boolean): Schema {
    const validateAsync = schema.validateAsync.bind(schema);
    return Object.assign(schema, {
        validateAsync: (input: Record<string, unknown>, options?: Joi.AsyncValidationOptions) => (isUsual(input) ? input : validateAsync(input, options))
    });
}
