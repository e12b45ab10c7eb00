import { faultWith, notFound } from '../errors/errors';
import { PRECONDITION_FAILED } from '../errors/registry';
import type { Precondition } from '../http/entity-tags';
import { someoneElses } from './access';

/** The parts of a write to one thing that exists. */
export interface GuardedWrite {
    /** a query for the row, its chain resolved and the row that orders its writers locked; nothing where a link is missing or deleted */
    found: string;
    /** whether the caller may; an expression on the row `f` */
    allowed: string;
    /** an UPDATE of the row from `found f`, with the caller's right and the preconditions, told of the row itself */
    write: string;
    /** JSON text of the thing as written */
    json: string;
    /** what else the update returns for `also` */
    returning?: string;
    /** further updates, as common table expressions from `written` */
    also?: readonly string[];
    /** what else is selected of `found f` */
    selecting?: string;
}

/**
 * SQL that finds, guards and writes in one round trip. The lock is taken in `found`, before anything is written:
 * whoever waited for it goes on to the row as the one before left it, looks at its revision there, and so exactly
 * one of two writers with one revision wins.
 */
export function guardedWrite({ found, allowed, write, json, returning = '', also = [], selecting = '' }: GuardedWrite): string {
    const steps = [`found as materialized (${found})`, `written as (${write} returning ${json} as json${returning})`, ...also];
    return `
        with ${steps.join(',\n')}
        select ${allowed} as allowed, (select json from written) as written ${selecting} from found f`;
}

/** The outcome of a write to one thing, as its SQL statement returns it in one round trip. */
export interface Outcome {
    /** whether the caller may do this at all */
    allowed: boolean;
    /** the JSON text after the write; null if the precondition does not hold */
    written: string | null;
}

/**
 * The JSON text of a thing after a write to it.
 * @param what the thing in words, for messages
 * @param current reads the JSON text of the thing as it is now, for a conflict
 * @throws 404 if the thing does not exist, 403 if the caller may not do this, 409 or 412 if it changed since the stated revision
 */
export async function settle(
    outcome: Outcome | undefined, what: string, precondition: Precondition, current: () => Promise<{ json: string | null } | undefined>
): Promise<string> {
    if (outcome === undefined) {
        throw notFound(what);
    }

    if (!outcome.allowed) {
        throw someoneElses(what);
    }

    if (outcome.written === null) {
        const found = await current();
        // It may have been deleted in between.
        throw found?.json ? movedOn(what, found.json, precondition.tags !== null && precondition.revision === null) : notFound(what);
    }

    return outcome.written;
}

/**
 * The error for a write that was made against an old state: 412 if the state was given by `If-Match`, else 409.
 * @param current JSON text of the thing as it is; undefined if that is too large for an answer
 */
export function movedOn(what: string, current: string | undefined, byTag: boolean): Error {
    return faultWith('revision_conflict', [what, current !== undefined], { current, ...byTag && { status: PRECONDITION_FAILED } });
}

/** What making something in something else came to: undefined if that does not exist, nulls if it is another's. */
export type Made = ({ id: string; json: string } | { id: null; json: null }) & {
    /** false if nothing was made because the project's size is not known */
    counted: boolean;
};

/**
 * The id and the JSON text of a new thing.
 * @param what what it was to be made in, in words
 * @throws 404 if that does not exist, 403 if the caller may not do this
 */
export function settleNew(made: Made | undefined, what: string): { id: string; json: string } {
    if (made === undefined) {
        throw notFound(what);
    }

    if (made.json === null) {
        throw someoneElses(what);
    }

    return made;
}
