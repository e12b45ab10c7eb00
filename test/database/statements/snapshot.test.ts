import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openDatabase } from '../../../src/database/statements/connection';
import { snapshots } from '../../../src/database/statements/snapshot';
import type { Read } from '../../../src/database/statements/snapshot';
import { statement } from '../../../src/database/statements/statement';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('snapshots()', () => {
    let database: TestDatabase;

    before(async () => {
        database = await cloneDatabase({ pool: 3 });
    });

    after(() => database.drop());

    const numbers = statement({ row: { n: 'integer' } }, 'select count(*)::int as n from users');

    async function* count(read: Read): AsyncGenerator<number> {
        for (;;) {
            const [row] = await read(numbers, []);
            yield Number(row?.n);
        }
    }

    let serial = 0;
    const add = async (): Promise<void> => void await database.db.raw('insert into users (username) values (?)', [`user-${++serial}`]);
    const next = async (numbersRead: AsyncGenerator<number>): Promise<unknown> => (await numbersRead.next()).value;

    it('show one state, for a limited number of readers at a time', async () => {
        const inSnapshot = snapshots(database.db, 1);
        const [first, second, third] = [inSnapshot(count), inSnapshot(count), inSnapshot(count)];
        const atFirst = Number(await next(first));
        expect(await next(second)).to.equal(atFirst);
        await add();
        expect(await next(first)).to.equal(atFirst);
        expect(await next(second)).to.equal(atFirst + 1);

        await first.return(undefined);
        await second.return(undefined);
        expect(await next(third)).to.equal(atFirst + 1);
        await add();
        expect(await next(third)).to.equal(atFirst + 1);
        await third.return(undefined);
    });

    it('end after some time, and return their connection', async () => {
        const inSnapshot = snapshots(database.db, 1, 100);
        const first = inSnapshot(count);
        const atFirst = Number(await next(first));
        await add();
        await sleep(200);
        const second = inSnapshot(count);
        expect(await next(second)).to.equal(atFirst + 1);
        await add();
        expect(await next(second)).to.equal(atFirst + 1);
        expect(await next(first)).to.equal(atFirst + 2);
        await first.return(undefined);
        await second.return(undefined);
    });

    it('fail with their connection, and free their place', async () => {
        const inSnapshot = snapshots(database.db, 1);
        const first = inSnapshot(count);
        await next(first);
        await database.db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`);
        await expect(first.next()).to.reject();
        const second = inSnapshot(count);
        const atFirst = await next(second);
        await add();
        expect(await next(second)).to.equal(atFirst);
        await second.return(undefined);
    });

    it('fail if there is no connection, and free their place', async () => {
        const db = openDatabase({ url: 'postgres://127.0.0.1:1/none', pool: 1, timeout: 200 });
        const inSnapshot = snapshots(db, 1);
        await expect(inSnapshot(count).next()).to.reject();
        await expect(inSnapshot(count).next()).to.reject();
        await db.destroy();
    });
});
