import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Client } from 'pg';
import type { Connection } from 'pg';

import { openDatabase } from '../../../src/database/statements/connection';
import { lookup, run, statement } from '../../../src/database/statements/statement';
import { openAuthor } from '../../support/authoring';
import { notOnCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

type PooledClient = Client & { connection: Connection };

/** A row (`D`) that claims two columns but ends there, so that reading it leads out of the buffer. */
const broken = Buffer.from([0x44, 0, 0, 0, 6, 0, 2]);

describe('a response of PostgreSQL that cannot be read', notOnCluster('it breaks a response of the statement itself, which is sent in another one there'), () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer({ pool: 2 });
    });

    after(() => server.stop());

    /** Makes the only connection of a pool, or the one in use, read something broken. */
    const breakConnection = async (db: typeof server.database.db): Promise<void> => {
        const client: PooledClient = await db.client.acquireConnection();
        db.client.releaseConnection(client);
        client.connection.stream.emit('data', broken);
    };

    it('makes pg alone throw in its listener, where nothing can catch it (if this fails, src/database/statements/reader-errors.ts may no longer be needed)', async () => {
        const client = new Client({ connectionString: server.database.url });
        await client.connect();
        const { stream }: Connection = Reflect.get(client, 'connection');
        expect(stream.listeners('data')).to.have.length(1);
        expect(() => stream.emit('data', broken)).to.throw();
        await client.end();
    });

    it('fails every query on that connection, and no other', async () => {
        const db = openDatabase({ url: server.database.url, pool: 1 });
        const other = openDatabase({ url: server.database.url, pool: 1 });
        const first = run(db, lookup({ row: { n: 'integer' } }, 'select 1 as n'), []);
        expect(await first).to.equal([{ n: 1 }]);
        const unaffected = run(other, statement({ row: { n: 'integer' } }, `select 1 as n from pg_sleep(0.2)`), []);
        // Lookups return their connection at once, so several are in progress on one.
        const failing = [1, 2].map((n) => run(db, lookup({ row: { n: 'integer' } }, `select ${n} as n from pg_sleep(0.1)`), []).catch((error: Error) => error));
        await sleep(20);
        await breakConnection(db);
        for (const one of failing) {
            const error = await one;
            expect(error).to.be.an.error('What PostgreSQL sent cannot be read');
            expect(Object(error).cause).to.be.an.error(RangeError);
        }

        expect(await unaffected).to.equal([{ n: 1 }]);
        expect(await run(db, statement({ row: { n: 'integer' } }, 'select 2 as n'), [])).to.equal([{ n: 2 }]);
        await Promise.all([db.destroy(), other.destroy()]);
    });

    it('fails a transaction, which leaves nothing behind', async () => {
        const db = openDatabase({ url: server.database.url, pool: 1 });
        const failing = db.transaction(async (trx) => {
            await trx.raw(`insert into users (username) values ('half-done')`);
            const client = await trx.client.acquireConnection();
            const waiting = trx.raw('select pg_sleep(1)');
            await sleep(20);
            client.connection.stream.emit('data', broken);
            await waiting;
        });
        // Knex's message, because it cannot roll back without a connection.
        await expect(failing).to.reject(/ROLLBACK - Client has encountered a connection error/);
        expect((await db.raw(`select 1 from users where username = 'half-done'`)).rows).to.equal([]);
        await db.destroy();
    });

    it('is an internal error with the cause in the log, and the next request succeeds', async () => {
        const ada = await openAuthor(server, 'ada');
        const project = await ada.project();
        const { query } = Client.prototype;
        Object.assign(Client.prototype, {
            query(this: PooledClient, ...args: unknown[]) {
                const answer: unknown = Reflect.apply(query, this, args);
                this.connection.stream.emit('data', broken);
                return answer;
            }
        });
        const { status, body } = await server.call('GET', `${project.url}/pages`);
        Object.assign(Client.prototype, { query });
        expect([status, body.code]).to.equal([500, 'internal_error']);
        expect(server.faults.splice(0).join()).to.contain('What PostgreSQL sent cannot be read').and.contain('RangeError');
        expect((await server.call('GET', `${project.url}/pages`)).status).to.equal(200);
    });
});
