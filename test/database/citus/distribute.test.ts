import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';
import { Client } from 'pg';

import { inProjectOfEachRow, notOnCluster, writing } from '../../../src/database/declaration';
import { run as admin } from '../../../src/operations/cli/main';
import { clusterOf } from '../../../src/database/citus/cluster';
import { ADMIN, INSTANCE, openDatabase } from '../../../src/database/statements/connection';
import { migrate } from '../../../src/database/statements/migrate';
import { run as query, runOne, statement } from '../../../src/database/statements/statement';
import { run as start } from '../../../src/operations/main';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { count, ofBytes, openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { apart, clusterDatabase, distributedDatabase } from '../../support/cluster';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { drawing, hashOf } from '../../support/files';
import { fakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const said = async (database: TestDatabase, ...argv: string[]): Promise<[code: number, out: string, err: string]> => {
    const host = fakeHost({ DATABASE_URL: database.url });
    const code = await admin(argv, host);
    return [code, host.out, host.err];
};

describe('admin distribute', () => {
    let database: TestDatabase;

    before(async () => {
        database = await clusterDatabase();
    });

    after(() => database.drop());

    /** Waits until the connections of the command before are gone, as the next one counts them. */
    const alone = async (): Promise<void> => {
        const others = `from pg_stat_activity where datname = current_database() and application_name in ('${INSTANCE}', '${ADMIN}')`;
        while ((await database.db.raw(`select 1 ${others}`)).rows.length > 0) {
            await sleep(5);
        }
    };

    it('refuses what cannot be distributed', async () => {
        const plain = await emptyDatabase();
        await apart(plain, migrate);
        expect(await said(plain, 'distribute', '--yes')).to.equal([1, '', 'The extension citus is not in this database. docs/citus.md says how to set up a cluster.\n']);
        await plain.drop();
        expect((await said(database, 'distribute', '--yes', '--dry-run'))[0]).to.equal(2);

        await database.db.raw(`update pg_dist_node set isactive = false where groupid = 1`);
        expect(await said(database, 'distribute', '--dry-run')).to.equal([1, '', 'The cluster has no worker. Add one first: select citus_add_node(…)\n']);
        await database.db.raw(`update pg_dist_node set isactive = true`);

        await database.db.raw(`alter function run_command_on_workers rename to run_command_on_others`);
        await database.db.raw(`create function run_command_on_workers(text) returns table (nodename text, nodeport integer, success boolean, result text) language sql as $f$ select '127.0.0.1', 2, true, '0' $f$`);
        expect((await said(database, 'distribute', '--dry-run'))[2]).to.startWith('max_prepared_transactions is 0 on 127.0.0.1:2.');
        await database.db.raw('drop function run_command_on_workers');
        await database.db.raw(`alter function run_command_on_others rename to run_command_on_workers`);
    });

    it('says what it would do, and does it only with --yes and while nobody is connected', async () => {
        const [code, out, err] = await said(database, 'distribute');
        expect([code, err]).to.equal([4, 'Nothing was changed. Make a backup, then add --yes to do it.\n']);
        expect(out).to.match(/^0 projects \(\d+ MiB in all\) would be in 4 shards on 127\.0\.0\.1:2\.\n$/);
        expect((await said(database, 'distribute', '--dry-run'))[0]).to.equal(0);

        const instance = openDatabase({ url: database.url, pool: 1, name: INSTANCE });
        await instance.raw('select 1');
        const refused = await said(database, 'distribute', '--yes');
        expect(refused[0]).to.equal(1);
        expect(refused[2]).to.startWith('The database is in use. Stop the service first.');
        await instance.destroy();
        await apart(database, async (db) => expect(await clusterOf(db)).to.be.undefined());
    });

    it('changes nothing if it fails, and can be started again', async () => {
        await database.db.raw('create table shards ()');
        await alone();
        const [code, , err] = await said(database, 'distribute', '--yes');
        expect(code).to.equal(1);
        expect(err).to.contain('relation "shards" already exists');
        await database.db.raw('drop table shards');
        expect((await database.db.raw(`select count(*)::int as n from pg_dist_shard`)).rows).to.equal([{ n: 0 }]);

        await database.db.raw(`
            insert into asset_sets (id) values ('x');
            insert into asset_set_members (set_id, hash) values ('x', 'a'), ('x', 'b');
            insert into asset_set_uses (project_id, set_id) values (7, 'x')`);
        await alone();
        const done = await said(database, 'distribute', '--yes');
        expect(done[0], done[2]).to.equal(0);
        const { rows } = await database.db.raw('select project_id, hash, (select count(*)::int from asset_set_uses) as shared from asset_uses order by hash');
        expect(rows).to.equal([{ project_id: '7', hash: 'a', shared: 0 }, { project_id: '7', hash: 'b', shared: 0 }]);
        expect(done[1]).to.contain('are now in 4 shards on 127.0.0.1:2.');
        expect((await said(database, 'distribute', '--yes'))[2]).to.equal('The database is distributed already: 4 shards on 127.0.0.1:2.\n');
    });

    it('leaves a database that cannot be dumped or lifted', async () => {
        expect((await said(database, 'backup', '/nowhere/backup'))[2]).to.startWith('A dump of the coordinator would be no backup of a cluster.');
        expect((await said(database, 'assets', 'lift'))[2]).to.equal('This is not possible on a cluster (docs/citus.md says what is not).\n');
    });

    it('is told when the service starts, which no replica and no worker may serve', async () => {
        const started = async (env: Record<string, string>): Promise<string> => {
            const host = fakeHost({ DATABASE_URL: database.url, PORT: '0', THUMBNAILS: 'off', ...env });
            await start(host, { echo: 100, end: 20_000 });
            host.events.emit('SIGTERM');
            while (host.exits.length === 0) {
                await sleep(20);
            }

            return host.out + host.err;
        };

        expect(await started({})).to.contain('the database is distributed: 4 shards on 127.0.0.1:2. This is experimental (docs/citus.md)');
        expect(await started({ DATABASE_REPLICA_URL: database.url })).to.contain('DATABASE_REPLICA_URL cannot be used with a database that is distributed');
        await database.db.raw(`insert into pg_dist_shard values ('at_project', 1, '5')`);
        expect(await started({})).to.contain('A shard of the cluster was split.');
        await database.db.raw(`delete from pg_dist_shard where shardid = 1`);
        await database.db.raw('update pg_dist_local_group set groupid = 1');
        expect(await started({})).to.contain('this server is a worker of a cluster. DATABASE_URL has to lead to its coordinator.');
        await database.db.raw('update pg_dist_local_group set groupid = 0');
    });
});

describe('on a distributed database', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer({ database: await distributedDatabase() });
        ada = await openAuthor(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    it('each table has a place', async () => {
        const { rows } = await server.database.db.raw(`
            select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'pg_dist_%' and oid not in (select logicalrelid from pg_dist_partition) order by 1`);
        // On the coordinator. A new table of projects belongs into `ofProjects` in src/database/citus/shard-tables.ts, and one that shards read into `copied` in src/database/citus/copies.ts.
        expect(rows.map(({ name }: { name: string }) => name)).to.equal([
            'admin_log', 'announcements', 'apps', 'asset_owner', 'asset_scans', 'asset_set_members', 'asset_sets', 'assets', 'assignments',
            'authorization_states', 'authorizations', 'blocked_pictures', 'blocks', 'class_devices', 'class_people', 'class_pictures',
            'classes', 'collection_projects', 'collections', 'daily_counts', 'device_key', 'filter_progress', 'filter_settings', 'follows',
            'idempotency_keys', 'identities', 'kept_statistics', 'mail_addresses', 'mail_links', 'mails', 'maintenance', 'migrations',
            'migrations_lock', 'notice_letters', 'notice_readers', 'notices', 'passkey_challenges', 'passkeys', 'password_requests',
            'rate_limits', 'recovery_codes', 'search_authors', 'search_progress', 'sent_assets', 'sign_ins', 'sign_up_codes',
            'signing_keys', 'thumbnail_progress', 'tokens', 'users', 'view_salts', 'webhook_deliveries', 'webhook_watches', 'webhooks',
            'works'
        ]);
    });

    it('each node is asked by one connection, as another one would be new each time', async () => {
        const { rows } = await server.database.db.raw('show citus.max_adaptive_executor_pool_size');
        expect(Object.values(Object(rows[0]))).to.equal(['1']);
    });

    it('plans a statement once for each shard and connection, and a hundred of them', async () => {
        const db = openDatabase({ url: server.database.url, pool: 1 });
        const { rows: [{ id }] } = await db.raw(`select project_id as id from shards limit 1`);
        const run = async (on: Knex, sql: string, params = '{7}'): Promise<unknown> => (await on.raw(`select found from read_in_shard(?, ?, ?) as found`, [id, sql, params])).rows[0].found;
        const planned = async (): Promise<number> => (await db.raw(`select count(*)::int as n from pg_prepared_statements where name like 'in\\_%'`)).rows[0].n;
        const answer = ['{"n":7}'];
        // The plan stays when a transaction is rolled back, and what was noted of it does not.
        const trx = await db.transaction();
        expect(await run(trx, 'select ($1[1])::int as n')).to.equal(answer);
        await trx.rollback();
        expect(await run(db, 'select ($1[1])::int as n')).to.equal(answer);
        expect(await run(db, 'select ($1[1])::int as n')).to.equal(answer);
        expect(await planned()).to.equal(1);
        expect(await run(db, 'select length($1[1]) as n', `{${'x'.repeat(100_001)}}`)).to.equal(['{"n":100001}']);
        await db.raw(`select set_config('pagewright.plans', '100', false)`);
        expect(await run(db, 'select ($1[1])::int + 1 as n')).to.equal(['{"n":8}']);
        expect(await planned()).to.equal(1);
        await db.destroy();
    });

    it('what has no declaration is sent to the coordinator as it is, after what was sent before', async () => {
        const connection = await server.database.db.client.acquireConnection();
        const declared = { name: 'two', text: 'select 2 as n', declared: statement({ row: { n: 'integer' } }, 'select 2 as n') };
        const answers = await Promise.all([connection.query('select 1 as n'), connection.query(declared), connection.query('select 3 as n')]);
        expect(answers.map(({ rows }) => rows)).to.equal([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
        server.database.db.client.releaseConnection(connection);
    });

    it('a statement that nobody has placed is not run', async () => {
        await expect(query(server.database.db, statement({ place: notOnCluster }, 'select count(*) from projects'), [])).to.reject('This is not possible on a cluster (docs/citus.md says what is not).');
    });

    it('an error names its constraint, and all statements of a batch are undone', async () => {
        const [one, two] = [await ada.project(), await ada.project()];
        const put = statement({ parameters: ['bigint[]', 'integer[]', 'integer[]'], place: writing(inProjectOfEachRow(1)) }, `insert into pages (project_id, project_revision, created_revision, x, y) select id, 1, 1, x, y from unnest($1::bigint[], $2::integer[], $3::integer[]) as a (id, x, y)`);
        const error = await expect(query(server.database.db, put, [[one.id, two.id], [7, 0], [7, 0]])).to.reject();
        expect(Object(error).constraint).to.equal('pages_coordinates_key');
        expect(await count(server, 'from pages where x = 7')).to.equal(0);
        await query(server.database.db, put, [[one.id, two.id], [7, 7], [7, 7]]);
        expect(await count(server, 'from pages where x = 7')).to.equal(2);
        const numbered = statement({ parameters: ['bigint[]'], row: { id: 'text', n: 'integer' }, place: inProjectOfEachRow(1) }, 'select id::text, n::integer as n from unnest($1::bigint[]) with ordinality as a (id, n)');
        expect(await query(server.database.db, numbered, [[one.id, two.id]])).to.equal([{ id: one.id, n: 1 }, { id: two.id, n: 2 }]);
        const none = await expect(query(server.database.db, statement({ parameters: ['integer'] }, 'select 1 / $1::int from users'), [0])).to.reject();
        expect(Object(none).constraint).to.be.undefined();
    });

    it('a write with a key is committed in two phases, as it writes to a table that Citus knows', async () => {
        await server.database.db.raw('insert into two_phases default values');
        await ada.project();
        expect(await count(server, 'from two_phases')).to.equal(1);
        const { status } = await ada.call('POST', `/users/${ada.id}/projects`, { title: 'Once' }, { headers: { 'idempotency-key': 'commit-in-two-phases' } });
        expect(status).to.equal(201);
        expect(await count(server, 'from two_phases')).to.equal(0);
    });

    it('a project gets the next id if a coordinator that was killed has forgotten which ids it has drawn', async () => {
        const { id } = await ada.project();
        await server.database.db.raw(`select setval('projects_id_seq', ?::bigint - 1)`, [id]);
        expect(Number((await ada.project()).id)).to.be.above(Number(id));
        expect(server.faults).to.equal([]);
    });

    it('a node that is away is a lost connection', async () => {
        // As Citus says it where all nodes are written to.
        await server.database.db.raw(`create function away() returns void language plpgsql as $f$ begin raise exception 'failure on connection marked as essential: 127.0.0.1:2'; end $f$`);
        const error = await expect(query(server.database.db, statement({}, 'select away()'), [])).to.reject();
        expect(Object(error).code).to.equal('08006');
    });

    it('a node that is away when a transaction ends is one, too', async () => {
        const project = await ada.project();
        for (const words of ['could not commit transaction for shard 102210 on at least one active node', 'postmaster was shut down, exiting', 'server closed the connection unexpectedly']) {
            await server.database.db.raw(`
                create function ends() returns trigger language plpgsql as $f$ begin raise exception '${words}'; end $f$;
                create constraint trigger ends after update on projects deferrable initially deferred for each row execute function ends()`);
            const answer = await ada.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'Not kept' } }]);
            expect([answer.status, answer.body.code]).to.equal([503, 'service_unavailable']);
            await server.database.db.raw('drop function ends cascade');
        }

        expect((await ada.call('GET', project.url)).body.project.title).to.equal('A project');
    });

    it('the views of a shard that comes to a node are made once, also if several need them at once', async () => {
        const one = await ada.project();
        const { rows: [{ schema }] } = await server.database.db.raw(`select shard_schema(get_shard_id_for_distribution_column('at_project', ?::bigint)) as schema`, [one.id]);
        for (let round = 0; round < 5; ++round) {
            await server.database.db.raw(`drop schema ${schema} cascade`);
            const answers = await Promise.all(Array.from({ length: 8 }, () => ada.call('POST', `${one.page.url}/elements`, { type: 'text' })));
            expect(answers.map(({ status }) => status)).to.equal(Array(8).fill(201));
        }
    });

    it('a shard that moves while it is written to is a conflict, which is tried again', async () => {
        await server.database.db.raw(`create function moved() returns void language plpgsql as $f$ begin raise exception 'Query could not find the intermediate result file' using errcode = 'CIINF'; end $f$`);
        const error = await expect(query(server.database.db, statement({}, 'select moved()'), [])).to.reject();
        expect(Object(error).code).to.equal('40001');
    });

    it('a connection that does not reach the shards any more is not used again', async () => {
        await server.database.db.raw(`create function lost() returns void language plpgsql as $f$ begin raise exception 'This node does not have the shard 1' using errcode = 'connection_exception'; end $f$`);
        const one = openDatabase({ url: server.database.url, pool: 1 });
        const pid = async (): Promise<unknown> => (await one.raw('select pg_backend_pid() as pid')).rows;
        const first = await pid();
        expect(await pid()).to.equal(first);
        await expect(query(one, statement({}, 'select lost()'), [])).to.reject(/does not have the shard/);
        expect(await pid()).to.not.equal(first);
        await one.destroy();
    });

    it('ids of what is made in shards are in the order of creation', async () => {
        const [one, two] = [await ada.project(), await ada.project()];
        const ids: number[] = [];
        for (let n = 1; n < 10; ++n) {
            ids.push(Number((await ada.page(n % 2 === 0 ? one : two, { x: n, y: 1 })).id));
        }

        expect([...ids].sort((a, b) => a - b)).to.equal(ids);
    });

    it('an edit that does not fit fails no other edit of its batch', async () => {
        const [large, small] = [await ada.project(), await ada.project()];
        const [full, free] = [await ada.element(large.page), await ada.element(small.page)];
        await server.database.db.raw('update pages set page_bytes = 32 * 1024 * 1024 - 1000 where id = ?', [large.page.id]);
        const answers = await Promise.all(Array.from({ length: 8 }, (_x, n) => ada.call('PATCH', n % 2 === 0 ? full.url : free.url, { attributes: ofBytes(3000 + n) })));
        expect(answers.map(({ status }) => status)).to.equal([409, 200, 409, 200, 409, 200, 409, 200]);

        // What fails for another reason is not tried again.
        await server.database.db.raw(`
            create function canceled() returns trigger language plpgsql as $f$ begin raise exception 'Canceled' using errcode = 'query_canceled'; end $f$;
            create trigger canceled before update on elements for each row execute function canceled()`);
        const canceled = await Promise.all([ada.call('PATCH', full.url, { styles: {} }), ada.call('PATCH', free.url, { styles: {} })]);
        expect(canceled.map(({ status }) => status)).to.equal([503, 503]);
        await server.database.db.raw('drop trigger canceled on elements');
    });

    it('an asset is kept for 7 days after its last use, and not removed while it comes to be used', async () => {
        const bytes = drawing('<path d="M0 0"/>');
        const hash = hashOf(bytes);
        await ada.call('PUT', `/users/${ada.id}/assets/${hash}`, bytes, { headers: { 'content-type': 'image/svg+xml' } });
        const project = await ada.project();
        const { url } = await ada.element(project.page, { type: 'image', attributes: { src: `asset:${hash}` } });
        const tidy = (): Promise<boolean> => maintain(server.database.db, { historyDays: 0, historyMaxBytes: 0, trashDays: 0, assets: server.assets }, new AbortController().signal, true);
        const age = (days: number): Promise<unknown> => server.database.db.raw(`update assets set unused_since = unused_since - make_interval(days => ${days})`);
        const isThere = async (): Promise<boolean> => await count(server, 'from assets where hash = ?', [hash]) === 1;

        await age(30);
        expect((await ada.call('DELETE', url)).status).to.equal(200);
        expect((await ada.call('DELETE', project.url)).status).to.equal(200);
        await tidy();
        expect(await count(server, 'from projects where id = ?', [project.id])).to.equal(0);
        expect(await count(server, 'from asset_uses where hash = ?', [hash])).to.equal(0);
        expect(await isThere()).to.be.true();
        await server.database.db.raw(`update ended_asset_uses set ended_at = ended_at - interval '6 days'`);
        await tidy();
        expect(await isThere()).to.be.true();

        // What deletes it finds out about a use that its statement did not see.
        await server.database.db.raw('insert into asset_uses (project_id, hash) values (1, ?)', [hash]);
        const late = await expect(runOne(server.database.db, statement({ parameters: ['text'] }, 'delete from assets where hash = $1'), [hash])).to.reject(/came to be used/);
        expect(Object(late).code).to.equal('40001');
        await server.database.db.raw('delete from asset_uses where hash = ?', [hash]);
        await server.database.db.raw(`update ended_asset_uses set ended_at = ended_at - interval '9 days'`);
        await tidy();
        expect(await isThere()).to.be.false();
    });

    it('a pooler is no hindrance', async () => {
        const client = new Client({ connectionString: server.database.url });
        await client.connect();
        // The process id in a pooler's greeting is not that of the server behind it.
        Object.assign(client, { processID: -1 });
        await new Promise<void>((resolve, reject) => {
            server.database.db.client.config.pool.afterCreate(client, (error: Error | null) => (error === null ? resolve() : reject(error)));
        });
        const project = await ada.project();
        const { rows } = await client.query({ name: 'kept', text: 'select p.id, p.revision from projects p where p.id = $1', values: [project.id] });
        expect(rows).to.equal([{ id: project.id, revision: 1 }]);
        // What is sent meanwhile waits.
        const both = await Promise.all([client.query({ name: 'one', text: 'select 1 as n' }), client.query('select 2 as n')]);
        expect(both.map((result) => result.rows)).to.equal([[{ n: 1 }], [{ n: 2 }]]);
        await expect(client.query({ name: 'wrong', text: 'select wrong from projects p where p.id = $1', values: ['1'] })).to.reject(/column "wrong" does not exist/);
        expect((await client.query(`select name from pg_prepared_statements where not from_sql`)).rows).to.equal([]);
        await client.end();
    });
});
