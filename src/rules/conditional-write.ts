import type { RowOf } from '../database/declaration';
import { faultWith, notFound } from '../api/errors/errors';
import { PRECONDITION_FAILED } from '../api/errors/registry';
import type { Precondition } from '../api/request/entity-tags';
import { JsonText, jsonOf } from '../api/json/json-text';
import { someoneElses, stillAllowed } from './access';
import type { PresentExpressions } from './access';
import { mergeFields } from './merge';
import type { States } from './states';

/** The parts of a write to one thing that exists. */
export interface GuardedWrite {
    /** who writes; undefined where a caller may do so who is suspended, whose rights the route looks at again */
    by: PresentExpressions | undefined;
    /** a query for the row, with its chain resolved and the row locked that orders its writers, unless the transaction has locked that before, and for whether the caller may write (`allowed`); no row if a part of the chain is missing or deleted */
    found: string;
    /** an UPDATE of the row from `found f`, with the caller's right (`may`) and the preconditions, which are checked in the row itself */
    write: string;
    /** JSON text of the thing as written */
    json: string;
    /** what else the update returns for `also` */
    returning?: string;
    /** further common table expressions, from `written` */
    also?: readonly string[];
    /** what else is selected of `found f` */
    selecting?: string;
}

/**
 * SQL that finds, guards and writes in one round trip. The lock is taken in `found`, before anything is written:
 * after waiting for it, a writer checks the revision in the row as the writer before left it. So exactly one of two
 * writers with the same revision wins.
 */
export function guardedWrite({ by, found, write, json, returning = '', also = [], selecting = '' }: GuardedWrite): string {
    const steps = [`locked as materialized (${found})`, `found as materialized (${stillAllowed(by)})`, `written as (${write} returning ${json} as json${returning})`, ...also];
    return `
        with ${steps.join(',\n')}
        select f.may as allowed, (select json from written) as written ${selecting} from found f`;
}

/** The outcome of a write to one thing, as its SQL statement returns it in one round trip. */
export const outcomeColumns = {
    /** whether the caller may do this at all */
    allowed: 'boolean',
    /** the JSON text after the write; null if the precondition does not hold */
    written: 'text?'
} as const;
export type Outcome = RowOf<typeof outcomeColumns>;

/**
 * The JSON text of a thing after a write to it.
 * @param what the thing in words, for messages
 * @param states reads the thing as it is now and as it was, for a conflict
 * @param fields the fields of the request; none for a deletion
 * @throws 404 if the thing does not exist, 403 if the caller may not do this, 409 or 412 if it changed since the stated revision
 */
export async function resultOrError(
    outcome: Outcome | undefined, what: string, precondition: Precondition, states: () => Promise<States | undefined>, fields: object = {}
): Promise<string> {
    if (outcome === undefined) {
        throw notFound(what);
    }

    if (!outcome.allowed) {
        throw someoneElses(what);
    }

    if (outcome.written === null) {
        const found = await states();
        if (found === undefined) {
            // It was deleted in between.
            throw notFound(what);
        }

        const { conflicts } = await mergeFields(found.base, fields, found.current);
        throw revisionConflict(what, { ...found, conflicts }, precondition.tags !== null && precondition.revision === null);
    }

    return outcome.written;
}

/** The states of something without a history, given its JSON text. */
export const presentAlone = (found: { json: string | null } | undefined): States | undefined => {
    return found?.json ? { current: new JsonText(found.json), base: null, changedBy: null } : undefined;
};

/** Refuses a write to something without a history whose present revision, which is its tag, is not the stated one. @throws 409 or 412 */
export function refuseStale(what: string, { revision, tags }: Precondition, present: { revision: number; json: string }): void {
    if ((revision !== null && revision !== present.revision) || (tags !== null && !tags.includes(String(present.revision)))) {
        throw revisionConflict(what, { current: new JsonText(present.json), base: null, conflicts: [], changedBy: null }, tags !== null && revision === null);
    }
}

/** The two states that an editor merges. */
export interface Conflict extends Omit<States, 'current'> {
    /** undefined if it is too large for a response */
    current: object | undefined;
    /** JSON Pointers of what both sides changed */
    conflicts: readonly string[];
}

/** The error for a write that is based on an old state: 412 if the state was given by `If-Match`, else 409. */
export function revisionConflict(what: string, { current, base, conflicts, changedBy }: Conflict, byTag: boolean): Error {
    const conflict = jsonOf({ current, base, conflicts, changed_by: changedBy });
    return faultWith('revision_conflict', [what, current !== undefined], { conflict, ...byTag && { status: PRECONDITION_FAILED } });
}

/** The outcome of creating something in something else: undefined if that does not exist, nulls if the caller may not. */
export const madeColumns = {
    id: 'bigint?',
    json: 'text?'
} as const;
export type Made = RowOf<typeof madeColumns>;

/**
 * The id and the JSON text of a new thing.
 * @param what the thing that it is created in, in words
 * @throws 404 if that does not exist, 403 if the caller may not do this
 */
export function createdOrError(made: Made | undefined, what: string): { id: string; json: string } {
    if (made === undefined) {
        throw notFound(what);
    }

    const { id, json } = made;
    if (json === null) {
        throw someoneElses(what);
    }

    return { id: String(id), json };
}
