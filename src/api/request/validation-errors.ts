import assert from 'node:assert';

import { isBoom } from '@hapi/boom';
import type { Request, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';

import { nextTurn } from '../concurrency/yielding';
import { invalid } from '../errors/errors';
import type { Detail } from '../errors/errors';
import { messages } from './schema';
import { hasMoreValuesThan } from '../json/count-values';
import { fieldOf } from '../json/is-object';

/** Options of the first validation of an input. It stops at the first error and has no messages: hapi and Joi would copy ours for every input. */
export const firstLook: Joi.ValidationOptions = { convert: false };

/** Options of the second validation, of an input that is known to be invalid: it finds all errors. */
export const validationOptions: Joi.ValidationOptions = { ...firstLook, abortEarly: false, messages };

/** Of an input with more values than this only the first error is reported: each error takes Joi ten microseconds. A full bulk has fewer values. */
const MAX_VALUES = 10_000;

/** Most errors listed in a response; its message counts the others. */
const MOST = 100;

/** Most characters of a path and of a message among the errors. */
export const MAX_DETAIL = 400;

/** The first errors of a Joi validation, with their paths below `prefix`. */
export function detailsOf(error: Joi.ValidationError, prefix = '', most = MOST): Detail[] {
    return error.details.slice(0, most).map(({ path, message }) => {
        return { path: [prefix, ...path].filter((step) => step !== '').join('.').toWellFormed().slice(0, MAX_DETAIL), message: message.toWellFormed().slice(0, MAX_DETAIL) };
    });
}

/** For an input with hundreds of thousands of errors, over which Joi runs out of stack. */
const tooMany: Detail[] = [{ path: '', message: 'there are too many errors to list them' }];

/**
 * hapi's `failAction`: validates again to find all errors, as hapi's own response does not say what was wrong.
 * @throws 400 `validation_failed`
 */
export async function validationFailed(request: Request, _h: ResponseToolkit, error: Error | undefined): Promise<never> {
    // Each validation of a body of 20,000 values blocks the event loop for 50 ms.
    await nextTurn();
    assert(isBoom(error));
    const source = String(fieldOf(error.output.payload.validation, 'source'));
    const schema = fieldOf(request.route.settings.validate, source);
    const input = fieldOf(request, source);
    const found = Joi.isSchema(schema) ? schema.validate(input, { ...validationOptions, abortEarly: hasMoreValuesThan(MAX_VALUES, input) }).error : error;
    throw Joi.isError(found) ? invalid(detailsOf(found), found.details.length) : invalid(tooMany);
}
