import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { migrationSource, migrations } from '../../../migrations';
import { run } from '../../../src/operations/cli/main';
import { openDatabase } from '../../../src/database/statements/connection';
import { startEmbedded } from '../../../src/database/embedded';
import type { Embedded } from '../../../src/database/embedded';
import { writeBaseBackup } from '../../../src/database/embedded/backup';
import { inspect } from '../../../src/database/embedded/processes';
import { migrate } from '../../../src/database/statements/migrate';
import { count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { contentsOf } from '../../support/contents';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { fakeHost, until } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const root = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
const file = join(root, 'saved.backup');
const inside = join(file, 'database');
let host: FakeHost;

const admin = (env: Record<string, string>, ...argv: string[]): Promise<number> => {
    host = fakeHost(env);
    return run(argv, host);
};

/** Puts data into every table. */
async function fill(server: TestServer): Promise<{ ada: Author; project: MadeProject }> {
    const ada = await openAuthor(server, 'ada', { moderator: true });
    const project = await ada.project({ description: 'What grows where #garden #сад' });
    await ada.element(project.page, { attributes: { text: 'Tomatoes \u{1f345}' } });
    await ada.remix(project);
    expect((await ada.call('PATCH', `${project.url}/feature`, { featured: true })).status).to.equal(200);
    expect((await server.call('POST', `/view-project/${project.id}`)).body.counted).to.be.true();
    return { ada, project };
}

lab.after(() => rmSync(root, { recursive: true, force: true }));

describe('a backup of the embedded database', () => {
    const dir = (name: string): string => join(root, name);
    let embedded: Embedded;
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;

    const open = async (name: string): Promise<TestServer> => {
        embedded = await startEmbedded({ dir: dir(name), settings: { fsync: 'off' } });
        const db = openDatabase({ url: embedded.url, pool: 4 });
        await migrate(db);
        return await startTestServer({ database: { db, url: embedded.url, drop: async () => {
            await db.destroy();
            await embedded.stop();
        } } });
    };

    before(async () => {
        server = await open('first');
        ({ ada, project } = await fill(server));
        // The use of the token is written a second later.
        await until(async () => (await server.database.db('tokens').whereNull('last_used_at')).length === 0);
    });

    after(() => server.stop());

    it('restores every row in another folder, readable only for its owner', async () => {
        mkdirSync(file);
        writeFileSync(inside, 'an earlier one', { mode: 0o644 });
        expect(await admin({ DATA_DIR: dir('first') }, 'backup', file), host.err).to.equal(0);
        expect(host.out).to.equal(`Saved the embedded database in ${dir('first')}, with 0 picture(s) and sound(s), to ${file}.\n`);
        expect([file, inside].map((path) => statSync(path).mode & 0o777)).to.equal([0o700, 0o600]);
        expect(readdirSync(root)).to.only.include(['first', 'saved.backup']);

        expect(await admin({ DATA_DIR: dir('second') }, 'restore', file), host.err).to.equal(0);
        expect(host.out).to.equal(`Restored ${file} to the embedded database in ${dir('second')}, with 0 picture(s) and sound(s).\n`);
        // When it was complete is noted for the metrics, and so not in it.
        expect(await count(server, `from maintenance where name = 'backup' and done_until > now() - interval '1 minute'`)).to.equal(1);
        await server.database.db.raw('delete from maintenance');
        const contents = await contentsOf(server.database.db);
        await server.stop();
        server = await open('second');
        expect(await contentsOf(server.database.db)).to.equal(contents);
        expect(Object.entries(contents).filter(([, digest]) => digest.startsWith('0 ')).map(([name]) => name)).to.equal([
            'admin_log', 'announcements', 'apps', 'asset_doubts', 'asset_scans', 'asset_set_members', 'asset_set_uses', 'asset_sets', 'asset_uses',
            'assets', 'assignments', 'authorization_states', 'authorizations', 'blocked_pictures', 'blocks', 'class_devices',
            'class_hidden_projects', 'class_people', 'class_pictures', 'class_projects', 'classes', 'collection_projects', 'collections',
            'comment_settings', 'comments', 'filter_checks', 'first_looks', 'follows', 'guest_reports', 'history_gaps',
            'idempotency_keys', 'identities', 'made_thumbnails', 'mail_addresses', 'mail_links', 'mails', 'maintenance',
            'moderation_counts', 'notice_events', 'notice_letters', 'notice_readers', 'notices', 'passkey_challenges', 'passkeys',
            'password_requests', 'project_invitations', 'project_likes', 'project_members', 'project_presence', 'project_search',
            'rate_limits', 'recovery_codes', 'report_queue', 'reports', 'search_authors', 'sent_assets', 'sign_ins', 'sign_up_codes',
            'signing_keys', 'statements', 'thing_report_queue', 'thing_reports', 'trash', 'webhook_deliveries', 'webhook_events',
            'webhook_watches', 'webhooks', 'works'
        ]);

        // It works as before: tokens are still valid, and ids continue.
        const { status, body } = await server.call('GET', project.url);
        expect(status).to.equal(200);
        expect(body.project.tags).to.equal(['garden', 'сад']);
        const made = await server.call('POST', `/users/${ada.id}/projects`, { title: 'Next' }, { token: ada.token });
        expect(made.status).to.equal(201);
        expect(Number(made.body.project.id)).to.be.above(Number(project.id));
    });

    it('has everything that was acknowledged before, and nothing half done, while others write', async () => {
        const writers = new AbortController();
        const bulk = Array.from({ length: 10 }, () => ({ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text' } }));
        let acknowledged = 0;
        const call = (): ReturnType<TestServer['call']> => server.call('POST', `/users/${ada.id}/bulk`, { actions: bulk }, { token: ada.token });
        await server.database.db.raw('delete from elements');
        await server.database.db.raw('update pages set element_count = 0');
        const writing = (async () => {
            while (!writers.signal.aborted && acknowledged < 90) {
                expect((await call()).status).to.equal(200);
                acknowledged++;
            }
        })();

        await until(() => acknowledged > 2);
        const atLeast = acknowledged;
        expect(await admin({ DATA_DIR: dir('second') }, 'backup', file), host.err).to.equal(0);
        const atMost = acknowledged + 1;
        writers.abort();
        await writing;

        expect(await admin({ DATA_DIR: dir('third') }, 'restore', file), host.err).to.equal(0);
        await server.stop();
        server = await open('third');
        const { rows: [{ made, counted }] } = await server.database.db.raw('select (select count(*)::int from elements) as made, (select sum(element_count)::int from pages) as counted');
        expect(made % 10).to.equal(0);
        expect(made / 10).to.be.within(atLeast, atMost);
        expect(counted).to.equal(made);
    });

    it('is not restored over existing data, or while it is in use', async () => {
        expect(await admin({ DATA_DIR: dir('third') }, 'restore', file)).to.equal(1);
        expect(host.err).to.match(/third is in use by process \d+/);
        expect(await admin({ DATA_DIR: dir('second') }, 'restore', file)).to.equal(1);
        expect(host.err).to.equal(`${dir('second')}/cluster is there already, and is not replaced: move it away first (mv ${dir('second')}/cluster ${dir('second')}/cluster.before), or choose another DATA_DIR.\n`);
        expect(await admin({ DATA_DIR: dir('second') }, 'users')).to.equal(0);
        expect(host.out).to.contain('\tada\t');
    });

    it('leaves nothing behind if it cannot be restored, so that another one can be', async () => {
        const cut = join(root, 'cut.backup');
        writeFileSync(cut, readFileSync(inside));
        truncateSync(cut, 1_000_000);
        expect(await admin({ DATA_DIR: dir('fourth') }, 'restore', cut)).to.equal(1);
        expect(host.err).to.startWith('The embedded PostgreSQL could not unpack the backup (exit code ');
        expect(readdirSync(dir('fourth')).filter((name) => name.startsWith('cluster'))).to.equal([]);

        // A valid archive, but of something else.
        mkdirSync(dir('else'));
        writeFileSync(join(dir('else'), 'PG_VERSION'), '9.6\n');
        execFileSync('tar', ['-czf', cut, '-C', dir('else'), '.']);
        expect(await admin({ DATA_DIR: dir('fourth') }, 'restore', cut)).to.equal(1);
        expect(host.err).to.startWith('The embedded PostgreSQL could not recover from the backup (exit code ').and.contain('postgresql.conf');
        expect(readdirSync(dir('fourth')).filter((name) => name.startsWith('cluster'))).to.equal([]);

        expect(await admin({ DATA_DIR: dir('fourth') }, 'restore', file), host.err).to.equal(0);
        rmSync(dir('fourth'), { recursive: true });
    });

    it('may be of an older release, and is migrated', async () => {
        await server.stop();
        server = await open('older');
        const { db } = server.database;
        await db.raw(`insert into users (username) values ('grace')`);
        const newer = migrations.map(({ name }) => name);
        for (const name of [...newer].reverse()) {
            const [, [taken]] = await db.migrate.down({ migrationSource, tableName: 'migrations' });
            expect(taken).to.equal(name);
        }

        expect(await admin({ DATA_DIR: dir('older') }, 'backup', file), host.err).to.equal(0);
        expect(await admin({ DATA_DIR: dir('newer') }, 'restore', file), host.err).to.equal(0);
        expect(host.out).to.contain('The backup is of an older release. The next start of the service brings its schema up to date.\n');
        expect(await admin({ DATA_DIR: dir('newer') }, 'migrate')).to.equal(0);
        expect(host.out).to.equal(`Applied: ${newer.join(', ')}\n`);
        expect(await admin({ DATA_DIR: dir('newer') }, 'users')).to.equal(0);
        expect(host.out).to.contain('\tgrace\t');

        // Of one that is too old.
        await db.raw(`delete from migrations where name > '0010'`);
        expect(await admin({ DATA_DIR: dir('older') }, 'backup', file), host.err).to.equal(0);
        expect(await admin({ DATA_DIR: dir('oldest') }, 'restore', file), host.err).to.equal(0);
        expect(host.out).to.contain('The backup is of an older release. Start 0.3 once with it, then this release (docs/upgrading.md).\n');
        expect(await admin({ DATA_DIR: dir('oldest') }, 'migrate')).to.equal(1);
        expect(host.err).to.contain('its schema is that of a release before 0.3. Start 0.3 once with it, then this release (docs/upgrading.md).');
    });

    it('fails if its file cannot be written, and keeps the existing file', async () => {
        const reading = openSync(inside, 'r');
        await expect(writeBaseBackup(embedded.url, reading)).to.reject(/EBADF/);
        closeSync(reading);

        writeFileSync(inside, 'an earlier one');
        // The temporary file of the failed backup goes with its connection.
        while (await count(server, 'from pg_replication_slots') > 0) {
            await sleep(10);
        }

        await server.database.db.raw('select pg_create_physical_replication_slot(?)', [`backup_${process.pid}`]);
        expect(await admin({ DATA_DIR: dir('older') }, 'backup', file)).to.equal(1);
        expect(host.err).to.contain('already exists');
        expect(readFileSync(inside, 'utf8')).to.equal('an earlier one');
        expect(readdirSync(root).filter((name) => name.endsWith('.partial'))).to.equal([]);
        expect(await admin({ DATA_DIR: dir('older') }, 'backup', join(root, 'nowhere', 'x'))).to.equal(1);
        expect(host.err).to.contain('ENOENT');
    });
});

describe('a backup of DATABASE_URL', () => {
    const bin = join(root, 'bin');
    const told = join(root, 'told');
    const secret = 'p\u00e4ss w\u00f6rd';
    let database: TestDatabase;

    before(async () => {
        database = await emptyDatabase();
        mkdirSync(bin);
    });

    after(() => database.drop());

    beforeEach(() => rmSync(file, { force: true, recursive: true }));

    /** A program that replaces PostgreSQL's, with a given version, or none. */
    const standIn = (name: string, script: string): void => {
        writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$PGPASSWORD" "$@" > ${told}\n${script}\n`, { mode: 0o755 });
    };

    const env = (more: Record<string, string> = {}): Record<string, string> => ({ DATABASE_URL: database.url, PATH: `${bin}:${process.env.PATH}`, ...more });

    const calls: [string, string, string, string][] = [
        ['postgres://me:p%C3%A4ss%20w%C3%B6rd@127.0.0.1:1/pages?sslmode=require', secret, 'postgres://me@127.0.0.1:1/pages?sslmode=require', 'in it'],
        ['postgres://me@127.0.0.1:1/pages?password=p%C3%A4ss%20w%C3%B6rd', secret, 'postgres://me@127.0.0.1:1/pages', 'in its query'],
        ['postgres://me@127.0.0.1:1/pages', 'from outside', 'postgres://me@127.0.0.1:1/pages', 'out of it']
    ];
    for (const [url, password, address, where] of calls) {
        it(`is made by pg_dump, which gets a password ${where} through the environment`, async () => {
            standIn('pg_dump', 'printf PGDMP-and-more');
            // pg_dump needs no connection of ours: nothing listens there.
            expect(await admin(env({ DATABASE_URL: url, PGPASSWORD: 'from outside' }), 'backup', file), host.err).to.equal(0);
            expect(host.out).to.equal(`Saved the database pages at 127.0.0.1:1 (DATABASE_URL), with 0 picture(s) and sound(s), to ${file}.\n`);
            expect(readFileSync(inside, 'utf8')).to.equal('PGDMP-and-more');
            expect(statSync(inside).mode & 0o777).to.equal(0o600);
            expect(readFileSync(told, 'utf8')).to.equal(`${password}\n--format=custom\n--no-password\n--dbname=${address}\n`);
        });
    }

    it('reports the output of a program that fails, and keeps the existing file', async () => {
        mkdirSync(file);
        writeFileSync(inside, 'an earlier one');
        standIn('pg_dump', 'echo "something else" >&2; exit 1');
        expect(await admin(env(), 'backup', file)).to.equal(1);
        expect(host.err).to.equal('pg_dump failed (exit code 1).\nsomething else\n');
        standIn('pg_dump', 'test "$LC_ALL" = C && echo "pg_dump: detail: server version: 18.4 (Debian 18.4-1); pg_dump version: 15.20 (Debian 15.20-0)" >&2; exit 1');
        expect(await admin(env(), 'backup', file)).to.equal(1);
        expect(host.err).to.equal('pg_dump is version 15.20, which is older than the server, 18.4 (Debian 18.4-1). Install a newer one (on Debian: postgresql-client-18), and put it first in PATH.\n');
        rmSync(join(bin, 'pg_dump'));
        writeFileSync(join(bin, 'pg_dump'), '', { mode: 0o644 });
        expect(await admin(env({ PATH: bin }), 'backup', file)).to.equal(1);
        expect(host.err).to.startWith('pg_dump failed (spawn pg_dump EACCES).');
        rmSync(join(bin, 'pg_dump'));
        standIn('pg_dump', 'kill -9 $$');
        expect(await admin(env(), 'backup', file)).to.equal(1);
        expect(host.err).to.startWith('pg_dump failed (SIGKILL).');
        expect(await admin(env({ PATH: root }), 'backup', file)).to.equal(1);
        expect(host.err).to.equal('pg_dump is not installed, or not in PATH. It comes with PostgreSQL, and must not be older than the server: on Debian it is in postgresql-client-<version>.\n');
        expect(readFileSync(inside, 'utf8')).to.equal('an earlier one');
        expect(readdirSync(root).filter((name) => name.endsWith('.partial'))).to.equal([]);
    });

    it('leaves no file and no running program when it is interrupted', async () => {
        standIn('pg_dump', 'echo $$ > ' + told + '; exec sleep 60');
        const running = admin(env(), 'backup', file);
        await until(() => existsSync(told) && /^\d+\n$/.test(readFileSync(told, 'utf8')));
        expect(readdirSync(root).filter((name) => name.endsWith('.partial'))).to.have.length(1);
        host.events.emit('SIGTERM');
        expect(host.exits).to.equal([1]);
        expect(readdirSync(root).filter((name) => name.endsWith('.partial'))).to.equal([]);
        expect(await running).to.equal(1);
        await until(() => inspect(Number(readFileSync(told, 'utf8'))) === null);
        expect(existsSync(file)).to.be.false();
    });

    it('is restored by pg_restore, in one transaction, to a database without tables', async () => {
        writeFileSync(file, 'PGDMP-and-more');
        standIn('pg_restore', `cat >> ${told}`);
        expect(await admin(env(), 'restore', file), host.err).to.equal(0);
        const [, ...args] = readFileSync(told, 'utf8').split('\n');
        expect(args.slice(0, 5)).to.equal(['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password']);
        expect(args.at(-1)).to.equal('PGDMP-and-more');
        expect(host.out).to.match(/^Restored .*saved.backup to the database pagewright_test_\w+ at 127\.0\.0\.1:\d+ \(DATABASE_URL\)\.\nThe backup is of an older release/);

        standIn('pg_restore', 'echo unsupported version >&2; exit 3');
        expect(await admin(env(), 'restore', file)).to.equal(1);
        expect(host.err).to.equal('pg_restore failed (exit code 3).\nunsupported version\n');

        await database.db.raw('create table somebodys (id int)');
        expect(await admin(env(), 'restore', file)).to.equal(1);
        expect(host.err).to.equal('The database of DATABASE_URL has 1 table(s), and nothing is replaced. Make an empty database (createdb), and set DATABASE_URL to it.\n');
        await database.db.raw('drop table somebodys');

        const instance = openDatabase({ url: database.url, pool: 1 });
        await instance.raw('select 1');
        expect(await admin(env(), 'restore', file)).to.equal(1);
        expect(host.err).to.startWith('The database is in use. Stop the service first.');
        await instance.destroy();
    });

    it('is distinguished from one of the embedded database, and from other files', async () => {
        writeFileSync(file, 'PGDMP');
        expect(await admin({ DATA_DIR: join(root, 'none') }, 'restore', file)).to.equal(1);
        expect(host.err).to.equal(`${file} is a backup of a database server, and can only be restored to one: set DATABASE_URL to an empty database.\n`);
        writeFileSync(file, Buffer.from([0x1f, 0x8b, 8]));
        expect(await admin(env(), 'restore', file)).to.equal(1);
        expect(host.err).to.equal(`${file} is a backup of an embedded database, and can only be restored to one: leave DATABASE_URL empty, and set DATA_DIR to the folder.\n`);
        writeFileSync(file, 'PG');
        expect(await admin(env(), 'restore', file)).to.equal(1);
        expect(host.err).to.equal(`${file} is not a backup of Pagewright.\n`);
        expect(await admin(env(), 'restore', join(root, 'nowhere'))).to.equal(1);
        expect(host.err).to.contain('ENOENT');
        expect(existsSync(join(root, 'none'))).to.be.false();
    });

    /** Whether PostgreSQL's own programs exist for the server of these tests, which is 18 by default. */
    const fits = (): boolean => {
        try {
            const [, major] = /\) (\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' })) ?? [];
            return process.env.TEST_DATABASE_URL !== undefined || Number(major) >= 18;
        }
        catch {
            return false;
        }
    };

    it('restores every row with PostgreSQL\'s own programs', { skip: !fits() }, async () => {
        const server = await startTestServer();
        await fill(server);
        const real = { PATH: String(process.env.PATH) };
        expect(await admin({ ...real, DATABASE_URL: server.database.url }, 'backup', file), host.err).to.equal(0);
        expect(await admin({ ...real, DATABASE_URL: database.url }, 'restore', file), host.err).to.equal(0);
        expect(host.out).to.not.contain('older');
        await server.database.db.raw('delete from maintenance');
        expect(await contentsOf(database.db)).to.equal(await contentsOf(server.database.db));
        expect(await migrate(database.db)).to.equal([]);
        await server.stop();
    });
});
