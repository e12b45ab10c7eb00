import Joi from 'joi';

import { JsonText, MAX_DEPTH, freeObject } from './free';
import { textFault } from './text';

/**
 * What the rules below say of what they refuse. A schema's own `.messages()` would be merged with the options anew for
 * each value: a third of the time that Joi takes for a bulk.
 */
export const messages: Joi.LanguageMessages = {
    'id.range': Joi.x('{{#label}} must be an id: a decimal integer from 1 to 9223372036854775807'),
    'text.min': Joi.x('{{#label}} must be at least {{#limit}} characters long'),
    'text.max': Joi.x('{{#label}} must be at most {{#limit}} characters long'),
    'text.unkept': Joi.x('{{#label}} {{#why}}'),
    'json.depth': Joi.x(`{{#label}} must nest at most ${MAX_DEPTH} levels deep`),
    'json.size': Joi.x('{{#label}} must be at most 2 MiB as JSON text'),
    'language.tag': Joi.x('{{#label}} must be a language tag, as en, pt-BR or zh-Hans')
};

/** Largest id: a 64-bit signed integer. */
const MAX_ID = 2n ** 63n - 1n;

/** A positive 64-bit decimal integer, as PostgreSQL keeps ids. */
export function isId(text: string): boolean {
    return /^[1-9][0-9]{0,18}$/.test(text) && BigInt(text) <= MAX_ID;
}

/** An id in a path. */
export const id = Joi.string().custom((value: string, helpers) => (isId(value) ? value : helpers.error('id.range')))
    .example('42');

/** Path parameters that are all ids. */
export const ids = (...names: string[]): Joi.ObjectSchema => Joi.object(Object.fromEntries(names.map((name) => [name, id.required()])));

/** Text whose length counts Unicode code points. */
export function text(min: number, max: number): Joi.StringSchema {
    return Joi.string().allow(...(min === 0 ? [''] : [])).custom((value: string, helpers) => {
        // A code point is one or two UTF-16 units, so most texts need no count.
        if (value.length > max && (value.length > 2 * max || [...value].length > max)) {
            return helpers.error('text.max', { limit: max });
        }

        if (value.length < 2 * min && [...value].length < min) {
            return helpers.error('text.min', { limit: min });
        }

        const why = textFault(value);
        return why === undefined ? value : helpers.error('text.unkept', { why });
    });
}

/** A free-form JSON object; what comes out is a `JsonText`. */
export const jsonObject = Joi.object().unknown().custom((value: object, helpers) => {
    const made = value instanceof JsonText ? value : freeObject(value);
    return made instanceof JsonText ? made : helpers.error(made === 'too deep' ? 'json.depth' : 'json.size');
});

/** A 32-bit signed integer, a page's place on one axis of the grid. */
export const coordinate = Joi.number().integer().min(-(2 ** 31)).max(2 ** 31 - 1);

/** The revision a write was made against. */
export const revision = Joi.number().integer().min(1).max(2 ** 31 - 1);

/** A body for a request that needs none; a write may still state its revision in it. */
export const revisionOnly = Joi.object({ revision });

/** A language tag as translators write them: `en`, `pt-BR`, `zh-Hans`, `sr@latin`, `ca.valencia`. */
export const language = Joi.string().min(2).max(20)
    .custom((value: string, helpers) => {
        const tag = value.replaceAll('_', '-');
        return /^[A-Za-z]{2,8}(?:[-.@][A-Za-z0-9]{1,15})*$/.test(tag) ? tag : helpers.error('language.tag');
    })
    .example('pt-BR');
