import type Joi from 'joi';

/**
 * Lets hapi accept usual inputs without Joi, which takes a few microseconds and some kilobytes of memory for each (docs/decisions/quick-schemas.md).
 * What is not usual, and what is described, is up to the schema as before. A schema that is made of this one does not have it.
 * @param usual what the schema makes of an input; undefined if that is not known
 */
export function quick<Schema extends Joi.ObjectSchema>(schema: Schema, usual: (input: Readonly<Record<string, unknown>>) => object | undefined): Schema {
    const validateAsync = schema.validateAsync.bind(schema);
    return Object.assign(schema, {
        validateAsync: (input: Record<string, unknown>, options?: Joi.AsyncValidationOptions) => usual(input) ?? validateAsync(input, options)
    });
}
