import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Client } from 'pg';

import { Pooler } from '../../../reliability/faults/pooler';
import { openDatabase } from '../../../src/database/statements/connection';
import { pendingMigrations } from '../../../src/database/statements/migrate';
import { run } from '../../../src/operations/cli/main';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { cloneDatabase, emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { fakeHost, until } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { notInShards } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('PgBouncer in transaction mode', { ...notInShards('a cluster is not used through PgBouncer'), timeout: 240_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const bin = join(folder, 'bin');
    const said: string[] = [];
    let direct: TestDatabase;
    let pooler: Pooler;
    let url: string;
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let host: FakeHost;

    before(async () => {
        direct = await cloneDatabase({ fresh: true });
        pooler = await Pooler.inFrontOf(new URL(direct.url));
        await pooler.start();
        url = pooler.urlFor('pagewright');
        const db = openDatabase({ url, pool: 4, log: (message) => said.push(message) });
        server = await startTestServer({ database: { db, url, drop: async () => {
            await db.destroy();
            await pooler.end('SIGTERM');
            await direct.drop();
        } } });
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
        mkdirSync(bin);
        // Stands in for those in PATH, which may be older than the server.
        for (const name of ['pg_dump', 'pg_restore']) {
            writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/args\nprintf PGDMP\n`, { mode: 0o755 });
        }
    });

    after(async () => {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
    });

    const admin = (env: Record<string, string>, ...argv: string[]): Promise<number> => {
        host = fakeHost({ PATH: `${bin}:${process.env.PATH}`, ...env });
        return run(argv, host);
    };

    /** Does to sessions of PostgreSQL what pg_dump does. */
    const dumpSettings = async (sessions: number): Promise<void> => {
        const clients = await Promise.all(Array.from({ length: sessions }, async () => {
            const client = new Client({ connectionString: url });
            await client.connect();
            return client;
        }));
        await Promise.all(clients.map((client) => client.query('begin')));
        await Promise.all(clients.map((client) => client.query(`select pg_catalog.set_config('search_path', '', false); commit`)));
        await Promise.all(clients.map((client) => client.end()));
    };

    it('is no way for a backup or a restore, which say what is', async () => {
        const backup = join(folder, 'backup');
        const way = 'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself, such as postgres://name:password@host:5432/database.\n';
        expect(await admin({ DATABASE_URL: url }, 'backup', backup)).to.equal(1);
        expect(host.err).to.startWith('DATABASE_URL leads to a pooler such as PgBouncer').and.endWith(way);
        writeFileSync(join(folder, 'dump'), 'PGDMP');
        expect(await admin({ DATABASE_URL: url }, 'restore', join(folder, 'dump'))).to.equal(1);
        expect(host.err).to.startWith('DATABASE_URL leads to a pooler such as PgBouncer').and.endWith(way);
        expect(await admin({ DATABASE_URL: url, DATABASE_DIRECT_URL: url }, 'backup', backup)).to.equal(1);
        expect(host.err).to.startWith('DATABASE_DIRECT_URL leads to a pooler too.');
        const other = await emptyDatabase();
        expect(await admin({ DATABASE_URL: url, DATABASE_DIRECT_URL: other.url }, 'backup', backup)).to.equal(1);
        await other.drop();
        expect(host.err).to.equal('DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Set both to the same one.\n');
        expect([existsSync(backup), existsSync(join(folder, 'args'))]).to.equal([false, false]);

        expect(await admin({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct.url }, 'backup', backup), host.err).to.equal(0);
        expect(readFileSync(join(folder, 'args'), 'utf8')).to.contain(`:${new URL(direct.url).port}/`);
    });

    it('may give the service sessions that another client has changed: no request notices', async () => {
        const writing = new AbortController();
        const answers: (number | string)[] = [];
        const writers = Array.from({ length: 4 }, async () => {
            while (!writing.signal.aborted) {
                for (const { status, text } of [
                    await ada.call('PATCH', project.url, { title: `T${answers.length}` }), await server.call('GET', project.url), await server.call('GET', '/projects'), await server.call('GET', '/ready'),
                    await ada.bulk([{ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text' } }])
                ]) {
                    answers.push(status < 400 ? status : text);
                }
            }
        });
        for (let time = 0; time < 4; ++time) {
            const sent = answers.length;
            await dumpSettings(1 + time % 3);
            await until(() => answers.length > sent + 10, 60_000);
        }

        writing.abort();
        await Promise.all(writers);
        expect(answers.filter((one) => one !== 200 && one !== 201)).to.equal([]);
        expect(said.join()).to.startWith('a session of PostgreSQL had another search_path than its own, and was reset.');
        expect(server.faults).to.equal([]);
    });

    it('never makes a database look as if its schema was missing', async () => {
        const db = openDatabase({ url, pool: 1 });
        for (let time = 0; time < 3; ++time) {
            await dumpSettings(2);
            expect(await pendingMigrations(db)).to.equal([]);
        }

        await db.destroy();
    });
});
