import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { openDatabase } from '../../../src/database/statements/connection';
import { databaseFault } from '../../../src/api/errors/database';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a database that takes too long', () => {
    let database: TestDatabase;
    let db: Knex;
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let element: Made;

    before(async () => {
        database = await cloneDatabase();
        db = openDatabase({ url: database.url, pool: 4, statementTimeout: 600 });
        server = await startTestServer({ database: { ...database, db, drop: async () => {
            await db.destroy();
            await database.drop();
        } } });
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
        element = await ada.element(project.page);
    });

    after(() => server.stop());

    it('gets the configured time, and a third of it for locks', async () => {
        const shown = await Promise.all(['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'].map(async (name) => (await db.raw(`show ${name}`)).rows[0][name]));
        expect(shown).to.equal(['600ms', '200ms', '600ms']);
        expect((await database.db.raw('show statement_timeout')).rows).to.equal([{ statement_timeout: '0' }]);
    });

    it('with a write that does not end causes 503, and a write succeeds afterwards', async () => {
        const other = await database.db.transaction();
        await other.raw('select from projects where id = ? for update', [project.id]);
        // On a cluster it is a node that waits for the lock, as long as the statement may take.
        const writes = [
            () => ada.call('PATCH', project.url, { title: 'Mine' }),
            () => ada.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'Mine' } }]),
            () => ada.call('POST', `${project.page.url}/elements`, { type: 'text' }, { headers: { 'idempotency-key': 'sixteen-characters' } })
        ];
        for (const write of writes) {
            const { status, headers, body } = await write();
            expect([status, body.code, headers['retry-after']]).to.equal(isCluster ? [503, 'service_unavailable', '5'] : [503, 'try_again', '1']);
        }

        expect((await server.call('GET', project.url)).status).to.equal(200);
        await other.commit();
        for (const write of writes) {
            expect((await write()).status).to.be.below(300);
        }
    });

    it('with one statement causes 503, and nothing of it is done', async () => {
        await database.db.raw(`
            create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(30); return new; end $$;
            create trigger slow before update on elements for each row execute function dawdle()`);
        const { status, headers, body } = await ada.call('PATCH', element.url, { attributes: { text: 'Late' } });
        expect([status, body.code, headers['retry-after']]).to.equal([503, 'service_unavailable', '5']);
        await database.db.raw('drop trigger slow on elements');
        expect((await server.call('GET', element.url)).body.element.attributes).to.equal({});
        expect((await ada.call('PATCH', element.url, { attributes: { text: 'In time' } })).status).to.equal(200);
        expect(server.faults).to.equal([]);
    });

    it('releases the locks of a process that froze during a transaction', async () => {
        const frozen = await db.transaction();
        await frozen.raw('select from projects where id = ? for update', [project.id]);
        // It is idle for longer than allowed.
        await database.db.raw('select pg_sleep(1)');
        const error = await expect(Promise.resolve(frozen.raw('select 1'))).to.reject();
        expect(databaseFault(error)?.output.statusCode).to.equal(503);
        await frozen.rollback().catch(() => undefined);
        expect((await ada.call('PATCH', project.url, { title: 'Free' })).status).to.equal(200);
    });
});
