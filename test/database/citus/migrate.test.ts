import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { inProject, known, writing } from '../../../src/database/declaration';
import { migrations } from '../../../migrations';
import { run } from '../../../src/operations/cli/main';
import { ADMIN, INSTANCE, openDatabase } from '../../../src/database/statements/connection';
import { run as query, statement } from '../../../src/database/statements/statement';
import { run as start } from '../../../src/operations/main';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { distributedDatabase } from '../../support/cluster';
import { cloneDatabase } from '../../support/database';
import { fakeHost } from '../../support/host';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { changeShardsWithTables } from '../../support/shards';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const historyOf = (more: string): string => `
    create or replace function projects_changed() returns trigger language plpgsql as $$
    begin
        insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged)
            select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false from old_rows o join new_rows n on n.id = o.id where n.revision <> o.revision;
        insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
            select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field when 'title' then to_json(o.title)${more} end
            from old_rows o join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field) where n.revision <> o.revision and w.field <> 'self';
        return null;
    end $$;`;

/** What migrations do: columns with a constraint, an index, functions, a column of a table of which shards have a copy, and new tables of each kind. */
const license = {
    name: '9999_license',
    up: async (db: Knex): Promise<void> => {
        await db.raw(`
            -- That of a project; '' is none.
            alter table projects add column license text not null default '' constraint projects_license_length check (char_length(license) <= 100);
            create index projects_license_idx on projects (license, id);
            drop table asset_doubts;
            create table asset_doubts (project_id bigint primary key, why text not null);
            insert into asset_doubts (project_id, why) values (7, 'new');
            create function thing_kept() returns trigger language plpgsql as $$ begin return null; end $$;
            create trigger asset_doubts_kept before update on asset_doubts for each row execute function thing_kept();
            drop table asset_set_members`);
        await db.raw(`
            create table asset_set_members (set_id bytea not null, hash text not null, note text, primary key (set_id, hash));
            insert into asset_set_members values ('x', 'a', 'old');
            alter table users add column pronouns text not null default 'they';
            alter table collections alter column description type varchar(1000);
            update users set pronouns = 'she' where username = 'ada';
            alter table thumbnail_progress add column note text;
            create function asset_uses_ended_before() returns integer language sql as 'select 1';
            create or replace function asset_uses_ended() returns trigger language plpgsql as $$ begin return null; end $$`);
        await db.raw(historyOf(` when 'license' then to_json(o.license)`));
        // For a limit that changes.
        await db.raw('alter table projects drop constraint projects_license_length');
        await db.raw('alter table projects add constraint projects_license_length check (char_length(license) <= 10) -- fewer');
    },
    down: async (db: Knex): Promise<void> => {
        await db.raw(historyOf(''));
        await db.raw(`
            alter table projects drop column license;
            alter table users drop column pronouns;
            alter table thumbnail_progress drop column note;
            drop function asset_uses_ended_before()`);
    }
};

const refused = {
    name: '9999_refused',
    up: async (db: Knex): Promise<void> => {
        await db.raw('alter table users add column nick text');
        await db.raw(`do $$ begin raise exception 'cannot do this' using hint = 'Do that.'; end $$`);
    },
    down: (): Promise<void> => Promise.resolve()
};

const failed = { ...refused, name: '9999_failed', up: (db: Knex): Promise<void> => Promise.reject(new Error(`not with ${db.client.config.client}`)) };

describe('the schema of a distributed database', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer({ database: isCluster ? await cloneDatabase() : await distributedDatabase() });
        await (isCluster || changeShardsWithTables(server.database.db));
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
    });

    afterEach(() => {
        release();
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** As if the release had this migration too, or only those that it has. */
    function release(...more: object[]): void {
        const own = migrations.filter(({ name }) => !name.startsWith('9999'));
        Reflect.apply(Array.prototype.splice, migrations, [0, migrations.length, ...own, ...more]);
    }

    const admin = async (...argv: string[]): Promise<[code: number, out: string, err: string]> => {
        const others = `from pg_stat_activity where datname = current_database() and application_name in ('${INSTANCE}', '${ADMIN}')`;
        while ((await server.database.db.raw(`select 1 ${others}`)).rows.length > 0) {
            await sleep(5);
        }

        const host = fakeHost({ DATABASE_URL: server.database.url });
        const code = await run(argv, host);
        return [code, host.out, host.err];
    };

    const columns = async (name: string): Promise<string[]> => {
        const { rows } = await server.database.db.raw('select table_name as "table" from information_schema.columns where column_name = ? and table_schema in (\'public\', \'mirror\') order by table_schema, 1', [name]);
        return rows.map(({ table }: { table: string }) => table).filter((table: string) => !/_[0-9]{6,}$/.test(table));
    };

    it('is not changed when the service starts, nor while an instance is connected', async () => {
        const started = async (): Promise<string> => {
            const host = fakeHost({ DATABASE_URL: server.database.url, PORT: '0', THUMBNAILS: 'off' });
            await start(host, { echo: 100, end: 20_000 });
            return host.err;
        };

        const refusal = 'Stop all instances, make a backup, and run "npm run admin -- migrate"';
        // Of another release that has other functions, but no new migration.
        await server.database.db.raw(`comment on table at_project is 'other'`);
        expect(await started()).to.contain(refusal);
        release(license);
        expect(await started()).to.contain(refusal);

        const instance = openDatabase({ url: server.database.url, pool: 1, name: INSTANCE });
        await instance.raw('select 1');
        const busy = fakeHost({ DATABASE_URL: server.database.url });
        expect(await run(['migrate'], busy)).to.equal(1);
        expect(busy.err).to.startWith('The database is in use. Stop the service first.');
        await instance.destroy();
        expect(await columns('license')).to.equal([]);
    });

    it('is not changed by a trial, nor by a migration that the cluster refuses', async () => {
        release(license);
        expect(await admin('migrate', '--dry-run')).to.equal([0, 'Would apply: 9999_license\n', '']);
        expect(await columns('license')).to.equal([]);
        release(refused);
        expect(await admin('migrate')).to.equal([1, '', 'Nothing was changed. The cluster refused it: cannot do this Do that.\n']);
        expect(await columns('nick')).to.equal([]);
        release(failed);
        expect(await admin('migrate')).to.equal([1, '', 'not with pg\n']);
        release();
        expect(await admin('migrate')).to.equal([0, 'The schema is up to date.\n', '']);
        expect((await ada.call('GET', project.url)).status).to.equal(200);
    });

    it('gets what a migration adds, in all shards', async () => {
        const { db } = server.database;
        release(license);
        expect(await admin('migrate')).to.equal([0, 'Applied: 9999_license\n', '']);
        expect(await columns('license')).to.equal(['projects']);

        const put = statement({ parameters: ['bigint', 'text'], place: writing(inProject(1)) }, `update projects p set license = $2, revision = revision + 1, counted_revision = revision + 1, written = 'license', change_revision = revision + 1, changed_by = user_id, change_kind = 'edit', change_counts = '{1,0,0,0,0,0,0}' where p.id = $1`);
        await query(db, put, [project.id, 'MIT']);
        await query(db, put, [project.id, 'BSD']);
        const error = await expect(query(db, put, [project.id, 'A long licence'])).to.reject();
        expect(Object(error).constraint).to.equal('projects_license_length');
        const versions = await query(db, statement({ parameters: ['bigint'], row: { value: known<string>('json', '') }, place: inProject(1) }, `select value from versions where project_id = $1 and field = 'license' order by to_revision`), [project.id]);
        expect(versions.map(({ value }) => value)).to.equal(['', 'MIT']);

        // Tables that are new.
        const doubts = statement({ parameters: ['bigint'], row: { why: 'text' }, place: inProject(1) }, `select why from asset_doubts where project_id = $1`);
        expect(await query(db, doubts, ['7'])).to.equal([{ why: 'new' }]);
        await query(db, statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `update asset_doubts set why = 'newer' where project_id = $1`), ['7']);
        expect(await query(db, doubts, ['7'])).to.equal([{ why: 'new' }]);
        expect((await db.raw('select note from mirror.asset_set_members')).rows).to.equal([{ note: 'old' }]);
        await db.raw(`update asset_set_members set note = 'newer'`);
        expect((await db.raw('select note from mirror.asset_set_members')).rows).to.equal([{ note: 'newer' }]);

        // Copies of what accounts got.
        const ofShard = statement({ parameters: ['bigint'], row: { pronouns: 'text' }, place: inProject(1) }, `select pronouns from users where username = 'ada' and $1::bigint > 0`);
        expect(await query(db, ofShard, [project.id])).to.equal([{ pronouns: 'she' }]);
        await db.raw(`update users set pronouns = 'ze' where username = 'ada'`);
        expect(await query(db, ofShard, [project.id])).to.equal([{ pronouns: 'ze' }]);
        // What a cluster has in its own way stays so.
        expect((await db.raw(`select prosrc from pg_proc where proname = 'asset_uses_ended'`)).rows[0].prosrc).to.contain('ended_asset_uses');
    });

    it('serves the service as before', async () => {
        const other = await openAuthor(server);
        const one = await other.project({ title: 'After' });
        await other.element(one.page);
        await other.call('PATCH', one.url, { title: 'Changed' });
        const copy = await ada.remix(one);
        expect((await ada.call('GET', copy.url)).body.project.title).to.equal('Changed');
        const changes = await other.call('GET', `${one.url}/changes?since=1`);
        expect(changes.status, changes.text).to.equal(200);
        expect((await other.call('DELETE', one.url)).status).to.equal(200);
    });

    it('loses it again by a rollback', async () => {
        release(license);
        const [code, out, err] = await admin('rollback');
        expect([code, err]).to.equal([4, 'Nothing was changed. Make a backup, then add --yes to do it.\n']);
        expect(out).to.startWith('9999_license would be taken back.\n').and.to.contain('lost: column projects.license with ').and.to.contain('lost: column users.pronouns with 2 values');
        expect((await admin('rollback', '--yes'))[0]).to.equal(0);
        expect([await columns('license'), await columns('pronouns')]).to.equal([[], []]);
        release();
        expect((await ada.call('PATCH', project.url, { title: 'As before' })).status).to.equal(200);
        expect((await ada.project()).thing.title).to.equal('A project');
        // Those of this release, until the schema is that of 0.3.
        for (let last = ''; !last.startsWith('Nothing can be taken back');) {
            const [done, said, why] = await admin('rollback', '--yes');
            expect(done, why).to.equal(0);
            last = said;
        }
    });
});
