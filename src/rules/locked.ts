import type { Database } from '../database/statements/connection';
import { runOne } from '../database/statements/statement';
import type { Statement } from '../database/statements/statement';

/**
 * That a transaction has locked a row. Whatever checks a right takes one of these, and so does it in a statement after the one that has waited: PostgreSQL reads only the rows
 * again that it locks, and what it joins to them is as it was before the wait.
 */
export class Locked<Kind extends 'class' | 'project', Row extends { id: string } = { id: string }> {
    readonly trx: Database;
    readonly row: Row;
    /** what it is, which tells the types apart */
    readonly kind: Kind;

    private constructor(trx: Database, row: Row, kind: Kind) {
        this.trx = trx;
        this.row = row;
        this.kind = kind;
    }

    get id(): string {
        return this.row.id;
    }

    /**
     * @param statement locks the row, and perhaps others after it. It returns its id, and columns of nothing but locked rows: no right comes out of it.
     * It may leave out who would have none, so that they do not wait
     * @returns undefined if there was nothing to lock
     */
    static async by<Kind extends 'class' | 'project', Row extends { id: string }>(
        trx: Database, kind: Kind, statement: Statement<Row>, values: unknown[]
    ): Promise<Locked<Kind, Row> | undefined> {
        const row = await runOne(trx, statement, values);
        return row && new Locked(trx, row, kind);
    }
}
