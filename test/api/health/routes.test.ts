import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('health', () => {
    let test: TestServer;

    beforeEach(async () => {
        test = await startTestServer();
    });

    afterEach(() => test.stop());

    it('is alive and ready', async () => {
        for (const path of ['/health', '/ready']) {
            expect(await test.call('GET', path)).to.include({ status: 200, body: { status: 'success' } });
        }
    });

    it('is not ready while a migration is pending', async () => {
        const { db } = test.database;
        await db.raw(`delete from migrations where name = '0004_abuse'`);
        const one = await test.call('GET', '/ready');
        expect(one.status).to.equal(503);
        expect(one.body).to.include({ code: 'migrations_pending', message: '1 migration(s) have not been applied: run "npm run admin -- migrate".' });

        await db.raw(`insert into migrations (name, batch, migration_time) values ('0004_abuse', 1, now())`);
        await db.raw('drop table migrations');
        const all = await test.call('GET', '/ready');
        expect(all).to.include({ status: 503 });
        expect(all.body.code).to.equal('migrations_pending');
        expect((await test.call('GET', '/health')).status).to.equal(200);
    });

    it('is alive, but not ready, without its database', async () => {
        await test.database.db.destroy();
        const { status, body } = await test.call('GET', '/ready');
        expect(status).to.equal(503);
        expect(body.code).to.equal('service_unavailable');
        expect(test.faults.length).to.equal(1);
        expect((await test.call('GET', '/health')).status).to.equal(200);
    });
});
