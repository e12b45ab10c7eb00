import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openDatabase } from '../../../src/database/statements/connection';
import { openAuthor } from '../../support/authoring';
import { PASSWORD, startTestServer } from '../../support/server';
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

    it('is alive, but not ready, while its database is read-only, and writes say so', async () => {
        const ada = await openAuthor(test, 'ada');
        const project = await ada.project();
        const url = new URL(test.database.url);
        url.searchParams.set('options', '-c default_transaction_read_only=on');
        const db = openDatabase({ url: url.href, pool: 2 });
        const readOnly = await startTestServer({ database: { db, url: url.href, drop: () => db.destroy() } });
        const answers = [await readOnly.call('GET', '/ready'), await readOnly.call('PATCH', project.url, { title: 'New' }, { token: ada.token }), await readOnly.call('POST', '/users', { username: 'grace', password: PASSWORD })];
        expect(answers.map(({ status, headers, body }) => [status, headers['retry-after'], body.code])).to.equal(answers.map(() => [503, '10', 'database_read_only']));
        expect((await readOnly.call('GET', '/health')).status).to.equal(200);
        expect((await readOnly.call('GET', project.url)).status).to.equal(200);
        expect(readOnly.faults).to.equal([]);
        await readOnly.stop();
    });

    it('says the cause in words that show nothing private', async () => {
        const url = new URL(test.database.url);
        url.searchParams.set('options', '-c search_path=nowhere');
        const db = openDatabase({ url: url.href, pool: 1 });
        const lost = await startTestServer({ database: { db, url: url.href, drop: () => db.destroy() } });
        const { status, body } = await lost.call('GET', '/ready');
        expect([status, body.code, body.message]).to.equal([503, 'service_unavailable', 'The search_path of the database has no schema that the role of the service may use.']);
        await lost.stop();
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
