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
