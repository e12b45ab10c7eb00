import { PassThrough } from 'node:stream';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Client, Query } from 'pg';

import { openDatabase } from '../../../src/database/statements/connection';
import { databaseFault } from '../../../src/api/errors/database';
import { pendingMigrations } from '../../../src/database/statements/migrate';
import { transaction } from '../../../src/database/statements/transaction';
import { lookup, lookupTogether, run, runAlways, runOne, statement } from '../../../src/database/statements/statement';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { until } from '../../support/host';
import { notOnCluster } from '../../support/on-cluster';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a connection', () => {
    let database: TestDatabase;

    before(async () => {
        database = await cloneDatabase();
    });

    after(() => database.drop());

    /** Prepares a client like the pool does with each new one. */
    const prepare = (client: object): Promise<void> => new Promise((resolve, reject) => {
        database.db.client.config.pool.afterCreate(client, (error: Error | null) => (error === null ? resolve() : reject(error)));
    });

    it('prepares named statements, each with one plan for all values', notOnCluster('they run in shards, planned anew each time'), async () => {
        const sql = statement({ parameters: ['text'], row: { id: 'text' } }, 'select $1::text as id');
        await expect(runAlways(database.db, statement({}, 'select 1 where false'), [])).to.reject('A statement that should always return a row returned none');
        const trx = await database.db.transaction();
        expect(await runOne(trx, sql, ['a'])).to.equal({ id: 'a' });
        expect(await run(trx, sql, ['b'])).to.equal([{ id: 'b' }]);
        const { rows } = await trx.raw('select name from pg_prepared_statements where name = ?', [sql.name]);
        expect(rows).to.have.length(1);
        expect((await trx.raw('show plan_cache_mode')).rows).to.equal([{ plan_cache_mode: 'force_generic_plan' }]);
        await trx.rollback();
    });

    it('behind a pooler prepares none, and changes no settings', async () => {
        const client = new Client({ connectionString: database.url });
        await client.connect();
        // The process id in a pooler's greeting is not that of the server behind it.
        Object.assign(client, { processID: -1 });
        await prepare(client);
        expect((await client.query({ name: 'kept', text: 'select $1::int as n', values: [1] })).rows).to.equal([{ n: 1 }]);
        expect((await client.query('select $1::int as n', [2])).rows).to.equal([{ n: 2 }]);
        expect((await client.query('select 3 as n')).rows).to.equal([{ n: 3 }]);
        const told = await new Promise((resolve, reject) => {
            client.query(new Query('select 4 as n', (error, result) => (error ? reject(error) : resolve(result.rows))));
        });
        expect(told).to.equal([{ n: 4 }]);
        expect((await client.query('select name from pg_prepared_statements')).rows).to.equal([]);
        expect((await client.query('show plan_cache_mode')).rows).to.equal([{ plan_cache_mode: 'auto' }]);
        await client.end();
    });

    it('behind a pooler gets its own settings back when another client has changed them, and repeats what failed', notOnCluster('it is not used through a pooler'), async () => {
        const said: string[] = [];
        const db = openDatabase({ url: database.url, pool: 1, log: (message) => said.push(message) });
        const acquire = db.client.acquireRawConnection.bind(db.client);
        db.client.acquireRawConnection = async () => Object.assign(await acquire(), { processID: -1 });
        const count = 'select count(*)::int as n from users where id = $1';
        const declaration = { parameters: ['bigint'], row: { n: 'integer' } } as const;
        const ways: (() => Promise<unknown>)[] = [
            () => run(db, statement(declaration, count), [1]), () => run(db, lookup(declaration, count), [1]), () => run(db, lookupTogether(declaration, count), [1]),
            async () => await Promise.all([1, 2].map((id) => run(db, lookupTogether(declaration, count), [id]))),
            () => transaction(db, undefined, (trx) => run(trx, statement(declaration, count), [1])), () => pendingMigrations(db)
        ];
        for (const [n, way] of ways.entries()) {
            await db.raw(`select pg_catalog.set_config('search_path', '', false)`);
            expect(JSON.stringify(await way())).to.match(/^\[(?:\[?\{"n":0\}\]?(?:,\[\{"n":0\}\])?)?\]$/);
            await until(() => said.length === n + 1);
        }

        await expect(db.raw('select * from nothing_like_it')).to.reject(/does not exist/);
        expect(databaseFault(await db.raw('select * from nothing_like_it').catch((error: unknown) => error))?.output.statusCode).to.equal(503);
        expect(said.join()).to.startWith('a session of PostgreSQL had another search_path than its own, and was reset.');
        await db.destroy();
    });

    it('that breaks before it is ready is not used', async () => {
        await expect(prepare({ processID: 1, connection: { stream: new PassThrough() }, query: () => Promise.reject(new Error('gone')) })).to.reject('gone');
    });

    it('is returned to the pool when its statement fails', async () => {
        const one = openDatabase({ url: database.url, pool: 1 });
        for (let trial = 0; trial < 5; ++trial) {
            await expect(run(one, statement({ parameters: ['integer'] }, 'select 1 / $1::int'), [0])).to.reject(/division by zero/);
        }

        expect(await run(one, statement({ row: { n: 'integer' } }, 'select 1 as n'), [])).to.equal([{ n: 1 }]);
        await one.destroy();
    });
});
