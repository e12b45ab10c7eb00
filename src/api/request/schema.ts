import Joi from 'joi';

import { quick } from './quick-schema';
import { JsonText, RefusedObject, freeObject } from '../json/json-text';
import { textFault } from '../json/unstorable-text';
import { patternMessages } from '../../config/messages';
import { MAX_NESTING, MAX_OBJECT_BYTES, inBytes } from '../../limits';

/**
 * Messages of the rules below. They are passed as an option: Joi merges a schema's own `.messages()` with the options for
 * each value, which takes a third of the time that it needs for a bulk.
 */
export const messages: Joi.LanguageMessages = {
    'string.min': Joi.x('{{#label}} must be at least {{#limit}} characters long'),
    'string.max': Joi.x('{{#label}} must be at most {{#limit}} characters long'),
    'string.unkept': Joi.x('{{#label}} {{#why}}'),
    ...patternMessages,
    'username.characters': Joi.x('{{#label}} must be {{#name}}'),
    'username.scripts': Joi.x('{{#label}} must be in one script, or in Latin together with Chinese, Japanese or Korean, because letters of different scripts look alike'),
    'json.depth': Joi.x(`{{#label}} must nest at most ${MAX_NESTING} levels deep`),
    'json.size': Joi.x(`{{#label}} must be at most ${inBytes(MAX_OBJECT_BYTES)} as JSON text`)
};

/** Largest id: a 64-bit signed integer. */
export const MAX_ID = '9223372036854775807';

/** Pattern, after a `|`, of the numbers that have as many digits as the largest id, are smaller, and first differ from it at this place. */
const differingAt = (place: number): string => {
    const rest = MAX_ID.length - 1 - place;
    const [least, most] = [place === 0 ? 1 : 0, Number(MAX_ID[place]) - (rest === 0 ? 0 : 1)];
    return most < least ? '' : `|${MAX_ID.slice(0, place)}[${least}-${most}]${rest === 0 ? '' : `[0-9]{${rest}}`}`;
};

/** Matches a positive 64-bit decimal integer. */
export const idPattern = new RegExp(`^(?:[1-9][0-9]{0,17}${[...MAX_ID].map((_digit, place) => differingAt(place)).join('')})$`);

export function isId(value: unknown): boolean {
    return typeof value === 'string' && idPattern.test(value);
}

/** An id in a request. */
export const id = Joi.string().pattern(idPattern, `an id: a decimal integer from 1 to ${MAX_ID}`);

/** The word for the token's user in place of an id. */
export const ME = 'me';

/** The user in a path: an id, or `me`, which has become an id by the time a handler runs. */
const userInPath = Joi.string().pattern(new RegExp(`^${ME}$|${idPattern.source}`), `an id: a decimal integer from 1 to ${MAX_ID}, or "${ME}"`)
    .description(`Id of the user, or \`${ME}\` for the user of the token; \`${ME}\` is always 401 without a valid token.`);

const exampleIds = { user: '3', project: '12', page: '40', element: '95', token: '7', collection: '4', app: '2', passkey: '5', identity: '6', class: '9', class_id: '9', pupil: '7', assignment: '8', work: '11', webhook: '8', delivery: '31', announcement: '2', sign_up_code: '5', device: '6', comment: '71' };

const revisionPattern = /^(?:0|[1-9][0-9]{0,9})$/;

export const isRevision = (value: string): boolean => revisionPattern.test(value);

/** A revision in a path or a query. */
export const revisionText = Joi.string().pattern(revisionPattern, 'a revision: a whole number');

/** The word for a thing in texts. */
const wordOf = (name: keyof typeof exampleIds): string => name.replace('_id', '').replaceAll('_', '-');

/** Path parameters that are all ids; that of a user may be `me`. A class is `class_id`, because generators of clients cannot name a parameter `class`. */
export const ids = (...names: (keyof typeof exampleIds)[]): Joi.ObjectSchema => quick(Joi.object(Object.fromEntries(names.map((name) => {
    const schema = name === 'user' ? userInPath : id.description(`Id of the ${wordOf(name)}.`);
    return [name, schema.required().example(exampleIds[name])];
}))), (input) => Object.keys(input).length === names.length && names.every((name) => isId(input[name])));

/** The query of a route that takes none. */
export const noQuery = quick(Joi.object({}), (input) => Object.keys(input).length === 0);

/** An id in a response. The pattern need not exclude ids that are too large, as there are none. */
export const shownId = Joi.string().pattern(/^[1-9][0-9]{0,18}$/, 'an id: a decimal integer');

/** The id of a thing, in a response. */
export const idOf = (what: keyof typeof exampleIds): Joi.StringSchema => shownId.description(`Id of the ${wordOf(what)}.`).example(exampleIds[what]);

/** Whether a text has at most `limit` code points. A code point has one or two UTF-16 units, so most texts need not be counted. */
export const hasAtMost = (limit: number, value: string): boolean => value.length <= limit || (value.length <= 2 * limit && [...value].length <= limit);

/** A rule with this name that `codePoints` applies. */
const counts = (name: string) => function (this: Joi.StringSchema, limit: number): Joi.Schema {
    const rule = { name, method: 'codePoints', args: { limit } };
    return this.$_addRule(rule);
};

/** Joi with strings that PostgreSQL can store, and whose `min` and `max` count Unicode code points, as JSON Schema and PostgreSQL do. */
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

/** Text of `min` to `max` Unicode code points. */
export function text(min: number, max: number): Joi.StringSchema {
    return min === 0 ? joi.string().allow('').max(max) : joi.string().min(min).max(max);
}

/** A free-form JSON object. Validation returns it as a `JsonText`. */
const freeFormObject = Joi.object().unknown().custom((value: object, helpers) => {
    const made = value instanceof JsonText || value instanceof RefusedObject ? value : freeObject(value);
    return made instanceof JsonText ? made : helpers.error(made.why === 'too deep' ? 'json.depth' : 'json.size');
});

/** A free-form object with a description and an example. */
export const freeForm = (what: string, example: object): Joi.ObjectSchema => freeFormObject
    .description(`${what} Any JSON object, at most ${MAX_NESTING} levels deep and ${inBytes(MAX_OBJECT_BYTES)} as text. A PATCH replaces the whole object.`).example(example);

/** Position of a page on one axis of the grid: a 32-bit signed integer. */
export const coordinate = Joi.number().integer().min(-(2 ** 31)).max(2 ** 31 - 1).example(1);

/** The revision that a write was made against. */
export const revision = Joi.number().integer().min(1).max(2 ** 31 - 1)
    .description('The `revision` that the request is based on. If there is a newer one, nothing is written, and the response is 409.').example(3);

/** Names of fields as a sentence lists them, at least two: `"x", "y" and "z"`. */
export function listed(fields: object, quote = '"'): string {
    const names = Object.keys(fields).map((name) => `${quote}${name}${quote}`);
    return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Body of a PATCH: at least one of the fields, and the revision that it was made against. */
export const changesOf = (fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema => Joi.object({ ...fields, revision }).or(...Object.keys(fields))
    .messages({ 'object.missing': `at least one of ${listed(fields)} is needed` });

/** Whether a write is merged with what others wrote since the stated revision. */
const merge = Joi.boolean().description('Merge with the changes of others since `revision`, field by field, instead of returning 409. A field that both sides changed to different values is still a conflict. Needs `revision`; has no effect together with `If-Match`.').example(true);

/** The options of a PATCH beside its fields. */
export interface Against {
    revision?: number;
    merge?: boolean;
}

/** Adds `merge` to a schema that has `revision`. */
export const mergeable = (schema: Joi.ObjectSchema): Joi.ObjectSchema => schema.keys({ merge }).with('merge', 'revision')
    .messages({ 'object.with': '"merge" needs the "revision" that the changes were made against' });

/** Body of a request that needs none, but may state a revision. */
export const revisionOnly = Joi.object({ revision });

/**
 * A language tag as translators write them: `en`, `pt-BR`, `zh-Hans`, `sr@latin`, `ca.valencia`, `mw1`. `pt_BR` is read as
 * `pt-BR`. The column's constraint bounds the length alone.
 */
export const language = Joi.string().min(2).max(20).pattern(/^[A-Za-z][A-Za-z0-9]*(?:[-_.@][A-Za-z0-9]+)*$/, 'a language tag, such as en, pt-BR or zh-Hans')
    .custom((value: string) => value.replaceAll('_', '-'))
    .example('pt-BR');

/** A text on one line: without control characters and line breaks. */
export const line = (min: number, max: number): Joi.StringSchema => text(min, max).pattern(/^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$/, 'one line of text');

/** A name on one line, with something in it that can be seen. */
export const nameLine = (max: number): Joi.StringSchema => line(1, max)
    .custom((value: string, { error }) => (/[^\p{C}\p{Z}]/u.test(value) ? value : error('string.unseen')))
    .messages({ 'string.unseen': '{{#label}} must have something that can be seen' });

/** An http or https URL. The pattern is tried on texts that are too long as well, so no two parts of it may match the same text. */
export const webUrl = (max: number): Joi.StringSchema => text(1, max).pattern(/^[Hh][Tt][Tt][Pp][Ss]?:[/]{2}[^\s/?#]\S*$/, 'a http or https URL');

/** Whether a month has this day: JavaScript reads the 30th of February as the 2nd of March. */
const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2));

/** A time with a time zone, between the years 2000 and 2999. It is converted to UTC. */
export const dateTime = Joi.string().pattern(/^2\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/, 'a time with its zone, such as 2036-04-01T00:00:00Z')
    .custom((value: string, { error }) => {
        return isDay(value.slice(0, 'YYYY-MM-DD'.length)) ? new Date(value).toISOString() : error('any.invalid');
    })
    .messages({ 'any.invalid': '{{#label}} must be on a day that its month has' });
