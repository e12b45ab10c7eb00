/** The parts of a write to one thing that exists. */
export interface GuardedWrite {
    /** a query for the row, its chain resolved, locked; nothing where a link is missing or deleted */
    found: string;
    /** the alias that `json` and `allowed` know the row by, and what they need joined to it */
    row: string;
    joins?: string;
    /** whether the caller may; an expression on `row` */
    allowed: string;
    /** an UPDATE of the row from `found f`, with its preconditions */
    write: string;
    /** JSON text of the thing; an expression on `row` */
    json: string;
    /** what else the update returns for `also` */
    returning?: string;
    /** further updates, as common table expressions from `written` */
    also?: readonly string[];
}

/**
 * SQL that finds, guards, writes and answers in one round trip. The lock is taken in `found`, before anything is
 * written: whoever waited for it goes on with the row as the one before left it, and so exactly one of two writers
 * with one revision wins.
 */
export function guardedWrite({ found, row, joins = '', allowed, write, json, returning = '', also = [] }: GuardedWrite): string {
    const steps = [`found as materialized (${found})`, `written as (${write} returning ${json} as json${returning})`, ...also];
    return `
        with ${steps.join(',\n')}
        select ${allowed} as allowed, (select json from written) as written,
            case when ${allowed} and not exists (select from written) then ${json} end as current
        from found ${row} ${joins}`;
}
