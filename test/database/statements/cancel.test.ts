import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openDatabase } from '../../../src/database/statements/connection';
import { lookup, run, statement } from '../../../src/database/statements/statement';
import { transaction } from '../../../src/database/statements/transaction';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const slow = statement('/* place: one */ select pg_sleep($1::float8)');
const slowLookup = lookup('/* place: one */ select pg_sleep($1::float8)');
const quick = lookup<{ n: number }>('/* place: one */ select $1::int as n');

describe('A statement whose signal is aborted', () => {
    let database: TestDatabase;

    before(async () => {
        database = await cloneDatabase({ pool: 1 });
    });

    after(() => database.drop());

    const afterAWhile = (milliseconds: number): AbortSignal => {
        const gone = new AbortController();
        setTimeout(() => gone.abort(new Error('nobody waits')), milliseconds);
        return gone.signal;
    };

    it('ends in PostgreSQL, and the next on its connection does not', async () => {
        for (let n = 0; n < 20; ++n) {
            const began = performance.now();
            await expect(run(database.db, slow, [20], afterAWhile(5 * n))).to.reject('nobody waits');
            expect(performance.now() - began).to.be.below(5000);
            await run(database.db, slow, [0.01]);
        }
    });

    it('does not end lookups that were sent before it on the same connection', async () => {
        const signal = afterAWhile(1);
        const answers = await Promise.allSettled([...[1, 2, 3].map((n) => run(database.db, quick, [n])), run(database.db, slow, [20], signal)]);
        expect(answers.map(({ status }) => status)).to.equal(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    });

    it('is not begun if it was aborted before, and not touched if it ends before', async () => {
        const gone = afterAWhile(30);
        expect(await run(database.db, slow, [0], gone)).to.have.length(1);
        await sleep(50);
        await expect(run(database.db, slow, [0], gone)).to.reject('nobody waits');
    });

    it('ends the transaction that it belongs to, with those inside', async () => {
        for (const nested of [false, true]) {
            const work = transaction(database.db, 'a-trace', async (trx) => {
                await run(trx, slow, [0]);
                await (nested ? transaction(trx, undefined, (inner) => run(inner, slow, [20])) : run(trx, slow, [20]));
            }, afterAWhile(50));
            await expect(work).to.reject('nobody waits');
            expect(await run(database.db, quick, [1])).to.equal([{ n: 1 }]);
        }
    });

    it('fails alone if its connection is lost while it waits behind a lookup', async () => {
        const unhandled: unknown[] = [];
        const note = (reason: unknown): void => void unhandled.push(reason);
        process.on('unhandledRejection', note);
        const both = Promise.allSettled([run(database.db, slowLookup, [20]), run(database.db, slow, [20], new AbortController().signal)]);
        await sleep(100);
        const other = openDatabase({ url: database.url, pool: 1, name: 'pagewright-test' });
        await other.raw('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()');
        await other.destroy();
        expect((await both).map(({ status }) => status)).to.equal(['rejected', 'rejected']);
        await sleep(20);
        process.off('unhandledRejection', note);
        expect(unhandled).to.equal([]);
    });
});
