import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';

import { invalid } from '../errors/errors';
import type { Detail } from '../errors/errors';
import { messages } from './schema';
import { holdsMoreThan } from '../json/count-values';

/** How inputs are looked at first: as typed, and up to one fault, which is not told: hapi and Joi would copy our messages anew for each input. */
export const firstLook: Joi.ValidationOptions = { convert: false };

/** How an input is looked at that has a fault: every one is told at once. */
export const validationOptions: Joi.ValidationOptions = { ...firstLook, abortEarly: false, messages };

/** Values of an input whose faults are all looked for: a full bulk has not as many. Each fault takes Joi ten microseconds. */
const MOST_VALUES = 10_000;

/** Faults told at most; an input of ours has fewer places than that, a hostile one need not be answered in full. */
const MOST = 100;

/** The errors of a Joi validation, at most so many, their paths below `prefix`. */
export function detailsOf(error: Joi.ValidationError, prefix = '', most = MOST): Detail[] {
    return error.details.slice(0, most).map(({ path, message }) => {
        return { path: [prefix, ...path].filter((step) => step !== '').join('.').toWellFormed().slice(0, 400), message: message.toWellFormed().slice(0, 400) };
    });
}

/** Joi runs out of stack over hundreds of thousands of faults, and then has none to tell. */
const untold: Detail[] = [{ path: '', message: 'there are too many faults to tell them' }];

/** hapi's own answer to a request that does not validate hides what was wrong. Of a huge one, the first fault is told. */
export function validationFailed(request: Request, _h: ResponseToolkit, error: Error | undefined): Lifecycle.ReturnValue {
    const source = String(Object(error).output.payload.validation.source);
    const schema: unknown = Reflect.get(Object(request.route.settings.validate), source);
    const input: unknown = Reflect.get(request, source);
    const told = Joi.isSchema(schema) ? schema.validate(input, { ...validationOptions, abortEarly: holdsMoreThan(MOST_VALUES, input) }).error : error;
    throw Joi.isError(told) ? invalid(detailsOf(told), told.details.length) : invalid(untold);
}
