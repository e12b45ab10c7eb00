import * as Boom from '@hapi/boom';

import { MOST_ELEMENTS, MOST_PAGES, MOST_PAGE_BYTES, MOST_PROJECT_BYTES, inMib, inWords } from '../limits';
import type { ErrorCode } from './registry';

/** One thing that is wrong with a request: where, and what. */
export interface Detail {
    path: string;
    message: string;
}

/** What the body of an error says beside Boom's own fields. */
export interface FaultData {
    /** stable name for programs */
    code: ErrorCode;
    details?: Detail[];
    /** the JSON text of the current representation, where a revision did not match */
    current?: string;
    /** position of the bulk action that failed, from 0 */
    action?: number;
}

/** An error answer with a stable code. The message says what to do about it, and `retryAfter` in how many seconds (RFC 9110 section 10.2.3). */
export function fault(
    statusCode: number, code: ErrorCode, message: string, { retryAfter, ...more }: Omit<FaultData, 'code'> & { retryAfter?: number } = {}
): Boom.Boom<FaultData> {
    const error = new Boom.Boom<FaultData>(message, { statusCode, data: { code, ...more } });
    if (retryAfter !== undefined) {
        error.output.headers['retry-after'] = retryAfter;
    }

    return error;
}

/**
 * 400 for a request that does not validate.
 * @param details what is wrong, at least one; those listed in the answer
 * @param count how many errors there are in all, if `details` lists only the first of them
 */
export function invalid(details: Detail[], count = details.length): Boom.Boom<FaultData> {
    const [first] = details;
    const more = count === 1 ? '' : ` (and ${count - 1} more: "details" lists ${count === details.length ? 'all' : `the first ${details.length}`} of them)`;
    return fault(400, 'validation_failed', `The request does not validate: ${first?.message}${more}.`, { details });
}

export const notFound = (what: string): Boom.Boom<FaultData> => {
    return fault(404, 'not_found', `There is no such ${what}, or it has been deleted.`);
};

export const pageLimit = (): Boom.Boom<FaultData> => fault(409, 'page_limit', `A project holds at most ${inWords(MOST_PAGES)} pages.`);

export const elementLimit = (): Boom.Boom<FaultData> => fault(409, 'element_limit', `A page holds at most ${inWords(MOST_ELEMENTS)} elements.`);

export const pageSizeLimit = (): Boom.Boom<FaultData> => fault(409, 'page_size_limit',
    `A page holds at most ${inMib(MOST_PAGE_BYTES)} of "attributes" and "styles" in all. Remove something from it, make its pictures smaller, or use another page.`);

export const projectSizeLimit = (): Boom.Boom<FaultData> => fault(409, 'project_size_limit',
    `A project holds at most ${inMib(MOST_PROJECT_BYTES)} of "attributes" and "styles" in all. Remove something from it, or make its pictures smaller.`);

export const forbidden = (message: string): Boom.Boom<FaultData> => fault(403, 'forbidden', message);

/** Narrows an unknown error to one that `fault` made. */
export function isFault(error: unknown): error is Boom.Boom<FaultData> & { data: FaultData } {
    return Boom.isBoom(error) && typeof error.data === 'object' && error.data !== null && 'code' in error.data;
}
