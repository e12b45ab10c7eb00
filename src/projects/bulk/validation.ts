import Joi from 'joi';

import { invalid } from '../../api/errors/errors';
import type { Detail } from '../../api/errors/errors';
import { pauses } from '../../api/concurrency/yielding';
import { detailsOf, firstLook } from '../../api/request/validation-errors';
import { hasMoreValuesThan } from '../../api/json/count-values';
import { fieldOf, isObject } from '../../api/json/is-object';
import { referenceIn } from './references';
import { envelope, options, schemas } from './schema';
import type { Action } from './schema';

/** Actions validated in one go. */
const BATCH = 50;

/** Most errors listed in an answer; the message counts the others. */
const MAX_DETAILS = 100;

/** Values in an action above which only its first error is reported: Joi takes about ten microseconds for each one. */
const MANY_VALUES = 500;

const envelopes: Joi.ArraySchema<Action[]> = Joi.array().items(envelope);

/** The data of several actions of one kind, validated together: half of what Joi does is done once a call. */
const lists = new Map(Object.values(schemas).flatMap((methods) => Object.values(methods)).map((schema) => [schema, Joi.array().items(schema)]));

/** The actions as their schemas return them; undefined if one is invalid. Says nothing of what is wrong, and so is fast. */
function validated(actions: readonly unknown[]): Action[] | undefined {
    const outer = envelopes.validate(actions, firstLook);
    if (outer.error) {
        return undefined;
    }

    const placed = outer.value.map((action, index) => ({ index, action }));
    const valid: Action[] = [];
    for (const [schema, list] of lists) {
        const same = placed.filter(({ action: { type, method } }) => schemas[type][method] === schema);
        const { error, value } = same.length === 0 ? { value: [] } : list.validate(same.map(({ action }) => action.data), firstLook);
        if (error) {
            return undefined;
        }

        for (const [n, { index, action: { type, method } }] of same.entries()) {
            valid[index] = { type, method, data: value[n] };
        }
    }

    return valid;
}

/** The schema for the data of an action whose type and method are known; undefined for any other. */
function dataSchemaOf(action: unknown): Joi.Schema | undefined {
    const methods = new Map<unknown, object>(Object.entries(schemas)).get(fieldOf(action, 'type'));
    const schema = new Map<unknown, Joi.Schema>(Object.entries(methods ?? {})).get(fieldOf(action, 'method'));
    return isObject(fieldOf(action, 'data')) ? schema : undefined;
}

/** The errors of one action by the schemas. */
function errorsIn(action: unknown, path: string): Detail[] {
    const settings = { ...options, abortEarly: hasMoreValuesThan(MANY_VALUES, action) };
    const outer = envelope.validate(action, settings).error;
    const inner = dataSchemaOf(action)?.validate(fieldOf(action, 'data'), settings).error;
    return [...outer ? detailsOf(outer, path, Infinity) : [], ...inner ? detailsOf(inner, `${path}.data`, Infinity) : []];
}

/** References must lead to an earlier action. */
function referencesAhead(action: unknown, index: number): Detail[] {
    return ['id', 'projectId', 'pageId'].flatMap((field) => {
        const reference = referenceIn(fieldOf(fieldOf(action, 'data'), field));
        return reference === undefined || reference.action < index ? [] : [{
            path: `actions.${index}.data.${field}`, message: `"${field}" must refer to an action before its own, which is number ${index}`
        }];
    });
}

/**
 * Validates all actions before any of them runs, a few at a time between other requests.
 * @returns the actions as their schemas return them
 * @throws 400 `validation_failed` with the errors of all actions, at most 100 of them listed
 */
export async function validateActions(actions: readonly unknown[]): Promise<Action[]> {
    const pause = pauses();
    const details: Detail[] = [];
    let count = 0;
    const valid: Action[] = [];
    for (let from = 0; from < actions.length; from += BATCH) {
        const some = actions.slice(from, from + BATCH);
        const good = validated(some);
        valid.push(...good ?? []);
        for (const [offset, action] of some.entries()) {
            const index = from + offset;
            const errors = [...good === undefined ? errorsIn(action, `actions.${index}`) : [], ...referencesAhead(action, index)];
            details.push(...errors.slice(0, MAX_DETAILS - details.length));
            count += errors.length;
            if (good === undefined) {
                await pause();
            }
        }

        await pause();
    }

    if (count > 0) {
        throw invalid(details, count);
    }

    return valid;
}
