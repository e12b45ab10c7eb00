import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openDatabase } from '../../../src/database/statements/connection';
import type { Database } from '../../../src/database/statements/connection';
import { lookup, runOne } from '../../../src/database/statements/statement';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('lookups of one turn of the event loop', () => {
    let database: TestDatabase;

    before(async () => {
        database = await cloneDatabase();
    });

    after(() => database.drop());

    // The time is the same for all rows of a statement.
    const half = lookup({ parameters: ['integer', 'text[]'], row: { half: 'integer', at: 'text', held: 'boolean' }, together: true },
        `select 100 / $1::integer as half, statement_timestamp()::text || pg_backend_pid() as at, 'a"b\\c' = any($2::text[]) as held where $1::integer <> 7`);

    const ask = (db: Database, numbers: readonly number[], tags: readonly string[] = []) => Promise.all(numbers.map((number) => runOne(db, half, [number, tags])));

    it('are one statement, which answers each with its own row or with none', async () => {
        const found = await ask(database.db, [2, 7, 4, 2]);
        expect(found.map((row) => row?.half)).to.equal([50, undefined, 25, 50]);
        expect([...new Set(found.flatMap((row) => row?.at ?? []))]).to.have.length(1);
    });

    it('are at most a hundred in a statement', async () => {
        const found = await ask(database.db, Array.from({ length: 250 }, (_none, n) => n + 10));
        expect(found.map((row) => row?.half)).to.equal(Array.from({ length: 250 }, (_none, n) => Math.floor(100 / (n + 10))));
        expect([...new Set(found.map((row) => row?.at))]).to.have.length(3);
    });

    it('are fewer in a statement if the lookup says so', async () => {
        const pair = lookup({ parameters: ['integer'], row: { at: 'text' }, together: 2 }, 'select statement_timestamp()::text || pg_backend_pid() || $1::integer as at');
        const found = await Promise.all([1, 2, 3, 4, 5].map(() => runOne(database.db, pair, [0])));
        expect([...new Set(found.map((row) => row?.at))]).to.have.length(3);
    });

    it('take lists of texts', async () => {
        const found = await Promise.all([['a"b\\c'], [], ['a', 'a"b\\c'], ['a"b', 'c']].map((tags) => runOne(database.db, half, [1, tags])));
        expect(found.map((row) => row?.held)).to.equal([true, false, true, false]);
    });

    it('do not fail by the value of another one', async () => {
        const settled = await Promise.allSettled([2, 0, 4].map((number) => runOne(database.db, half, [number, []])));
        expect(settled.map(({ status }) => status)).to.equal(['fulfilled', 'rejected', 'fulfilled']);
    });

    it('all fail if the database does', async () => {
        const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', pool: 1, timeout: 500 });
        const settled = await Promise.allSettled([2, 4].map((number) => runOne(away, half, [number, []])));
        expect(settled.map(({ status }) => status)).to.equal(['rejected', 'rejected']);
        await away.destroy();
    });

    it('are run one by one in a transaction, which sees what it has written', async () => {
        const trx = await database.db.transaction();
        const found = await ask(trx, [2, 7]);
        expect(found.map((row) => row?.half)).to.equal([50, undefined]);
        await trx.rollback();
    });
});
