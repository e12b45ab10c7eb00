import * as Boom from '@hapi/boom';

import { errorDefinitions, noSuch } from './registry';
import type { ErrorCode, MessageValues } from './registry';

/** One thing that is wrong with a request: where, and what. */
export interface Detail {
    path: string;
    message: string;
}

/** The fields of an error's body beside Boom's own. */
export interface FaultData {
    /** stable name for programs */
    code: ErrorCode;
    details?: Detail[];
    /** JSON text of an object with what to merge with, where a revision did not match */
    conflict?: string;
    /** the closest older point of a history that is kept; null if there is none */
    nearest?: number | null;
    /** why, and until when, the caller may not write */
    suspension?: { reason: string; until: string | null };
    /** position of the bulk action that failed, from 0 */
    action?: number;
    /** the scope that the token lacks, for `WWW-Authenticate` */
    scope?: 'user' | 'projects' | 'openid';
}

/** The fields of an error beside its message. */
interface More extends Omit<FaultData, 'code'> {
    /** instead of the code's own */
    status?: number;
    /** seconds for `Retry-After`, instead of the code's own */
    retryAfter?: number;
}

/**
 * An error response, with the status and the message that the registry has for its code.
 * @param values what the message says; if the code has one message for all, a more specific one
 */
export function fault<Code extends ErrorCode>(code: Code, ...values: MessageValues[Code]): Boom.Boom<FaultData> {
    return faultWith(code, values, {});
}

/** A fault with more than the message. */
export function faultWith<Code extends ErrorCode>(code: Code, values: MessageValues[Code], { status, retryAfter, ...more }: More): Boom.Boom<FaultData> {
    const definition = errorDefinitions[code];
    const error = new Boom.Boom<FaultData>(definition.message(...values), { statusCode: status ?? definition.status, data: { code, ...more } });
    const seconds = retryAfter ?? definition.retryAfter;
    if (seconds > 0) {
        error.output.headers['retry-after'] = seconds;
    }

    return error;
}

/**
 * 400 for a request that does not validate.
 * @param details what is wrong, at least one; those listed in the response
 * @param count how many errors there are in all, if `details` lists only the first of them
 */
export function invalid(details: Detail[], count = details.length): Boom.Boom<FaultData> {
    const [first] = details;
    return faultWith('validation_failed', [String(first?.message), count, details.length], { details });
}

/** 404 for a thing that does not exist or was deleted. */
export const notFound = (what: string): Boom.Boom<FaultData> => fault('not_found', noSuch(what));

/** 403 for what only somebody else may do. @param message says who */
export const forbidden = (message: string): Boom.Boom<FaultData> => fault('forbidden', message);

/** 403 for a token without a scope that only some of what the route does needs. */
export const lacksScope = (scope: 'user' | 'projects'): Boom.Boom<FaultData> => faultWith('insufficient_scope', [], { scope });

/** Narrows an unknown error to one that `fault` made. */
export function isFault(error: unknown): error is Boom.Boom<FaultData> & { data: FaultData } {
    return Boom.isBoom(error) && typeof error.data === 'object' && error.data !== null && 'code' in error.data;
}
