/*
 * A lease of a row: one instance works on it, until a time in a column. That time is also the token that says whose the lease is, as two leases
 * of a row never end at the same time. An instance that was killed keeps its lease until then; one that took longer finds another token.
 */

/** Which row is leased next. It has the name `q`. */
interface Claim {
    /** with columns `id` and `due_at` */
    table: string;
    /** SQL for what else is looked at */
    joins?: string;
    /** SQL for whether a row that is due may be leased */
    where: string;
    /** SQL for what else is assigned */
    set?: string;
    /** the column that says who owns a row, and how many of one owner are leased at a time; first come owners with the fewest */
    owner?: { column: string; most: number };
    /** SQL for the first order of rows: false comes before true, and few before many */
    first?: string;
}

/** SQL for leases of rows. */
export interface Lease {
    /** the end of a lease that begins or goes on now */
    until: string;
    /** whether nobody has a lease of the row */
    isFree(row: string): string;
    /** whether somebody has the lease with this token */
    isHeld(row: string, token: string): string;
    /** the token of the row's lease */
    token(row: string): string;
    /** whether a row is due and free, so that it can be leased */
    isDue(row: string): string;
    /** common table expressions that lease the next row; `claimed` is the row then */
    claim(next: Claim): string;
}

/** SQL for leases of so many seconds, whose end is in a column. */
export function leaseIn(column: string, seconds: number): Lease {
    const until = `now() + interval '${seconds} seconds'`;
    const isFree = (row: string): string => `(${row}.${column} is null or ${row}.${column} < now())`;
    const isDue = (row: string): string => `${row}.due_at <= now() and ${isFree(row)}`;
    return {
        until, isFree, isDue,
        isHeld: (row, token) => `${row}.${column} = ${token}::timestamptz`,
        token: (row) => `${row}.${column}::text`,
        claim: ({ table, joins = '', where, set, owner, first }) => {
            const others = owner && `(select count(*) from ${table} o where o.${owner.column} = q.${owner.column} and o.${column} > now())`;
            const own = others === undefined ? '' : `cross join lateral (select ${others} as leased) own`;
            const order = [first, owner && 'own.leased', 'q.due_at', 'q.id'].filter((one) => one !== undefined);
            return `
                next as (
                    select q.id from ${table} q ${joins} ${own}
                    where ${isDue('q')} and ${where} ${owner === undefined ? '' : `and own.leased < ${owner.most}`}
                    order by ${order.join(', ')} limit 1 for no key update of q skip locked
                ), claimed as (
                    update ${table} q set ${column} = ${until} ${set === undefined ? '' : `, ${set}`}
                    from next where q.id = next.id returning q.*
                )`;
        }
    };
}
