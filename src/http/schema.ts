import Joi from 'joi';

import { JsonText, MAX_DEPTH, RefusedObject, freeObject } from '../json/json-text';
import { textFault } from '../json/unstorable-text';

/**
 * What the rules below say of what they refuse. A schema's own `.messages()` would be merged with the options anew for
 * each value: a third of the time that Joi takes for a bulk.
 */
export const messages: Joi.LanguageMessages = {
    'string.min': Joi.x('{{#label}} must be at least {{#limit}} characters long'),
    'string.max': Joi.x('{{#label}} must be at most {{#limit}} characters long'),
    'string.unkept': Joi.x('{{#label}} {{#why}}'),
    'string.pattern.name': Joi.x('{{#label}} must be {{#name}}'),
    'json.depth': Joi.x(`{{#label}} must nest at most ${MAX_DEPTH} levels deep`),
    'json.size': Joi.x('{{#label}} must be at most 2 MiB as JSON text')
};

/** Largest id: a 64-bit signed integer. */
export const MAX_ID = '9223372036854775807';

/** Numbers as long as the largest id, and no larger, which differ from it at this place first. */
const differingAt = (place: number): string => {
    const rest = MAX_ID.length - 1 - place;
    const [least, most] = [place === 0 ? 1 : 0, Number(MAX_ID[place]) - (rest === 0 ? 0 : 1)];
    return most < least ? '' : `|${MAX_ID.slice(0, place)}[${least}-${most}]${rest === 0 ? '' : `[0-9]{${rest}}`}`;
};

/** A positive 64-bit decimal integer, as PostgreSQL keeps ids. */
export const idPattern = new RegExp(`^(?:[1-9][0-9]{0,17}${[...MAX_ID].map((_digit, place) => differingAt(place)).join('')})$`);

export function isId(value: string): boolean {
    return idPattern.test(value);
}

/** An id that is asked for. */
export const id = Joi.string().pattern(idPattern, `an id: a decimal integer from 1 to ${MAX_ID}`);

/** What stands for the token's user in place of an id. */
export const ME = 'me';

/** The user in a path: an id, or `me`, which has become an id by the time a handler runs. */
const userInPath = Joi.string().pattern(new RegExp(`^${ME}$|${idPattern.source}`), `an id: a decimal integer from 1 to ${MAX_ID}, or "${ME}"`)
    .description(`Id of the user, or \`${ME}\` for the user of the token: 401 without a valid token, also where none is needed otherwise.`);

const exampleIds = { user: '3', project: '12', page: '40', element: '95', token: '7' };

/** Path parameters that are all ids; that of a user may be `me`. */
export const ids = (...names: (keyof typeof exampleIds)[]): Joi.ObjectSchema => Joi.object(Object.fromEntries(names.map((name) => {
    const schema = name === 'user' ? userInPath : id.description(`Id of the ${name}.`);
    return [name, schema.required().example(exampleIds[name])];
})));

/** An id that is shown: there is none that is too large. */
export const shownId = Joi.string().pattern(/^[1-9][0-9]{0,18}$/);

/** The id of such a thing, as it is shown. */
export const idOf = (what: keyof typeof exampleIds): Joi.StringSchema => shownId.description(`Id of the ${what}.`).example(exampleIds[what]);

/** Whether a text has at most so many code points. One is one or two UTF-16 units, so most texts need no count. */
const hasAtMost = (limit: number, value: string): boolean => value.length <= limit || (value.length <= 2 * limit && [...value].length <= limit);

/** A rule of this name which is applied by `codePoints`. */
const counts = (name: string) => function (this: Joi.StringSchema, limit: number): Joi.Schema {
    const rule = { name, method: 'codePoints', args: { limit } };
    return this.$_addRule(rule);
};

/** Joi with strings whose `min` and `max` count Unicode code points, as JSON Schema and PostgreSQL do, and which PostgreSQL can keep. */
const joi: Joi.Root = Joi.extend({
    type: 'string',
    base: Joi.string(),
    validate(value: string, { error }) {
        const why = textFault(value);
        return why === undefined ? { value } : { value, errors: error('string.unkept', { why }) };
    },
    overrides: { min: counts('min'), max: counts('max') },
    rules: {
        codePoints: {
            method: false,
            args: ['limit'],
            validate(value: string, { error }, { limit }, { name }) {
                const holds = name === 'max' ? hasAtMost(limit, value) : !hasAtMost(limit - 1, value);
                return holds ? value : error(`string.${name}`, { limit });
            }
        }
    }
});

/** Text whose length counts Unicode code points. */
export function text(min: number, max: number): Joi.StringSchema {
    return min === 0 ? joi.string().allow('').max(max) : joi.string().min(min).max(max);
}

/** A free-form JSON object; what comes out is a `JsonText`. */
export const jsonObject = Joi.object().unknown().custom((value: object, helpers) => {
    const made = value instanceof JsonText || value instanceof RefusedObject ? value : freeObject(value);
    return made instanceof JsonText ? made : helpers.error(made.why === 'too deep' ? 'json.depth' : 'json.size');
});

/** The same with its prose: what it is for, and an example. */
export const freeForm = (what: string, example: object): Joi.ObjectSchema => jsonObject
    .description(`${what} Any JSON object, at most ${MAX_DEPTH} levels deep and 2 MiB as text; a PATCH replaces it whole.`).example(example);

/** A 32-bit signed integer, a page's place on one axis of the grid. */
export const coordinate = Joi.number().integer().min(-(2 ** 31)).max(2 ** 31 - 1).example(1);

/** The revision a write was made against. */
export const revision = Joi.number().integer().min(1).max(2 ** 31 - 1)
    .description('The `revision` that this was made against: where it is no longer that, nothing is written, and the answer is 409.').example(3);

/** A body for a request that needs none; a write may still state its revision in it. */
export const revisionOnly = Joi.object({ revision });

/**
 * A language tag as translators write them: `en`, `pt-BR`, `zh-Hans`, `sr@latin`, `ca.valencia`, `mw1`. `pt_BR` is read as
 * `pt-BR`. The column's constraint bounds the length alone.
 */
export const language = Joi.string().min(2).max(20).pattern(/^[A-Za-z][A-Za-z0-9]*(?:[-_.@][A-Za-z0-9]+)*$/, 'a language tag, such as en, pt-BR or zh-Hans')
    .custom((value: string) => value.replaceAll('_', '-'))
    .example('pt-BR');
