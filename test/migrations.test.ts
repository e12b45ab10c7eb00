import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { migrationSource, migrations, releasedNames } from '../migrations';
import { WrongSettings } from '../src/config/wrong-settings';
import { openDatabase } from '../src/database/statements/connection';
import { alone, migrate, pendingMigrations, rollback } from '../src/database/statements/migrate';
import { emptyDatabase } from './support/database';
import type { TestDatabase } from './support/database';
import { until } from './support/host';
import { makeRelease030 } from './support/release-0.3.0';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The order of the columns of a table, whatever was dropped before. */
const position = 'row_number() over (partition by a.attrelid order by a.attnum)';

/** Everything that migrations create, as sorted lines. Of functions, comments and spaces are left out. */
async function schemaOf(db: Knex): Promise<string[]> {
    const { rows } = await db.raw(`
        select line from (
            select concat_ws(' ', 'column', c.relname, ${position}, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, pg_get_expr(adbin, adrelid)) as line
                from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                where c.relkind in ('r', 'v') and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
            union all select concat_ws(' ', 'relation', relname, relkind, relpersistence, reloptions, relacl, obj_description(oid), case when relkind = 'v' then pg_get_viewdef(oid) end)
                from pg_class where relnamespace = 'public'::regnamespace and relkind <> 'i'
            union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
            union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
            union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
            union all select concat_ws(' ', 'function', regexp_replace(regexp_replace(pg_get_functiondef(oid), '--[^\\n]*', '', 'g'), '\\s+', '', 'g'), proacl)
                from pg_proc where pronamespace = 'public'::regnamespace and prolang <> (select oid from pg_language where lanname = 'c')
            union all select concat_ws(' ', 'sequence', s.*) from (
                select sequencename, data_type, start_value, increment_by, max_value, cycle from pg_sequences where schemaname = 'public') s
            union all select concat_ws(' ', 'value', enumtypid::regtype, enumsortorder, enumlabel) from pg_enum
        ) all_of_it where line !~ 'migrations' order by line`.replaceAll('?', '\\?'));
    return rows.map(({ line }: { line: string }) => line);
}

/** What one schema has and the other has not. */
const difference = (one: readonly string[], other: readonly string[]): object => ({ missing: other.filter((line) => !one.includes(line)), more: one.filter((line) => !other.includes(line)) });
const none = { missing: [], more: [] };

/** Migrations that change rows, and nothing of the schema. */
const onlyRows: readonly string[] = ['0036_filled', '0036_filled_search'];

const laterNames = migrations.map(({ name }) => name);

/** A database of 0.3.0. */
const releasedDatabase = async (): Promise<TestDatabase> => {
    const made = await emptyDatabase();
    await makeRelease030(made.db);
    return made;
};

/** The rows that a new database has; their ids and times differ. */
const rowsOf = async (db: Knex): Promise<unknown> => (await db.raw(`
    select (select json_agg(unfilled) from search_progress) as search, (select count(*)::int from asset_owner where place is null) as owners, (select count(*)::int from device_key) as keys,
        (select json_agg(json_build_array(origin, filled_to)) from thumbnail_progress) as thumbnails, (select json_agg(k) from kept_statistics k) as statistics`)).rows;

describe('migrations', () => {
    let database: TestDatabase;

    before(async () => {
        database = await releasedDatabase();
    });

    after(() => database.drop());

    it('make of a database of 0.3 what the files of the schema make, and can each be taken back', async () => {
        const { db } = database;
        const settings = { migrationSource, tableName: 'migrations' };
        const steps: string[][] = [await schemaOf(db)];
        expect(await pendingMigrations(db)).to.equal(laterNames);
        for (const name of laterNames) {
            const [, [applied]] = await db.migrate.up(settings);
            expect(applied).to.equal(name);
            const now = await schemaOf(db);
            expect(now.join() === steps.at(-1)?.join(), name).to.equal(onlyRows.includes(name));
            steps.push(now);
        }

        expect(await pendingMigrations(db)).to.equal([]);
        const fresh = await emptyDatabase();
        expect(await migrate(fresh.db)).to.equal([...releasedNames, ...laterNames]);
        const whole = await schemaOf(fresh.db);
        expect(whole.length).to.be.above(100);
        const migrated = steps.at(-1) ?? [];
        // Where the two differ, change both: a schema.sql and a migration.
        expect(difference(migrated, whole)).to.equal(none);
        expect(await rowsOf(db)).to.equal(await rowsOf(fresh.db));
        await fresh.drop();

        for (const name of [...laterNames].reverse()) {
            steps.pop();
            expect(await rollback(db)).to.equal(name);
            expect(difference(await schemaOf(db), steps.at(-1) ?? []), name).to.equal(none);
        }

        expect(await rollback(db)).to.be.undefined();
        expect(await pendingMigrations(db)).to.equal(laterNames);
        expect(await migrate(db)).to.equal(laterNames);
        expect(await migrate(db)).to.equal([]);
        expect(difference(await schemaOf(db), migrated)).to.equal(none);
        expect(await rollback(db)).to.equal(laterNames.at(-1));
        expect(await pendingMigrations(db)).to.equal(laterNames.slice(-1));
        expect(await migrate(db)).to.equal(laterNames.slice(-1));
    });

    it('refuse a database of a release before 0.3, and change nothing of it', async () => {
        const { db, drop } = await releasedDatabase();
        await db.raw(`delete from migrations where name > '0010_visibility'`);
        const then = await schemaOf(db);
        const error = await expect(migrate(db)).to.reject(WrongSettings, /a release before 0\.3\. Start 0\.3 once with it, then this release/);
        expect(error.name).to.equal('WrongSettings');
        expect(await rollback(db)).to.be.undefined();
        expect(await schemaOf(db)).to.equal(then);
        await drop();
    });

    it('run on a database that has later ones', async () => {
        const { db, drop } = await releasedDatabase();
        // The last one goes by what the others fill in.
        const missing = laterNames.filter((name) => /_filled|^0071/.test(name));
        const others = { ...migrationSource, getMigrations: async () => (await migrationSource.getMigrations([])).filter(({ name }) => !missing.includes(name)) };
        await db.migrate.latest({ migrationSource: others, tableName: 'migrations' });
        await db.raw(`
            insert into users (username) values ('ada');
            insert into projects (user_id, version, title, counted_revision) values (1, '1', 'x', 0)`);
        expect(await pendingMigrations(db)).to.equal(missing);
        expect(await migrate(db)).to.equal(missing);
        const whole = await emptyDatabase();
        await migrate(whole.db);
        expect(difference(await schemaOf(db), await schemaOf(whole.db))).to.equal(none);
        expect((await db.raw('select counted_revision, change_revision from projects')).rows).to.equal([{ counted_revision: 1, change_revision: 1 }]);
        expect(await rollback(db)).to.equal(migrations.at(-1)?.name);
        await whole.drop();
        await drop();
    });

    for (const [what, make, names] of [['a new database', emptyDatabase, [...releasedNames, ...laterNames]], ['one of 0.3', releasedDatabase, laterNames]] as const) {
        it(`run once on ${what} if several instances start at once, also with a stricter default isolation level`, async () => {
            const { db, url, drop } = await make();
            const others = ['repeatable%20read', 'serializable', 'read%20committed'].map((isolation) => {
                return openDatabase({ url: `${url}?options=-c%20default_transaction_isolation%3D${isolation.replace('%20', '%5C%20')}`, pool: 1 });
            });
            const applied = await Promise.all(others.map((other) => migrate(other)));
            expect(applied.flat().sort()).to.equal([...names].sort());
            expect(await pendingMigrations(db)).to.equal([]);
            await Promise.all(others.map((other) => other.destroy()));
            await drop();
        });
    }

    it('are known to a session that waited for another one to apply them, whatever it knew before', async () => {
        const { db, url, drop } = await emptyDatabase();
        const [one, other] = [openDatabase({ url, pool: 1 }), openDatabase({ url, pool: 1 })];
        const all = [...releasedNames, ...laterNames];
        for (let n = 0; n < 3; ++n) {
            expect(await pendingMigrations(other)).to.equal(all);
        }

        let waiting: Promise<string[]> | undefined;
        await alone(one, async (trx) => {
            await trx.raw('create table migrations as select unnest(?::text[]) as name', [all]);
            waiting = alone(other, pendingMigrations);
            await until(async () => (await db.raw(`select from pg_locks where locktype = 'advisory' and not granted`)).rows.length > 0);
        });
        expect(await waiting).to.equal([]);
        await Promise.all([one.destroy(), other.destroy()]);
        await drop();
    });

    it('delay writers by less than a second, also if a long transaction blocks them', async () => {
        const { db, url, drop } = await releasedDatabase();
        await db.raw(`insert into users (username) values ('ada')`);
        await db.raw(`insert into projects (user_id, version, title) values (1, '1', 'x')`);
        const other = openDatabase({ url, pool: 2 });
        const long = await other.transaction();
        await long.raw('lock table projects in row exclusive mode');
        let done = false;
        const migrating = migrate(db).then((names) => {
            done = true;
            return names;
        });

        const waits: number[] = [];
        const write = async (): Promise<void> => {
            const began = performance.now();
            await other.raw('update projects set title = title');
            waits.push(performance.now() - began);
            await sleep(10);
        };

        for (const end = Date.now() + 2500; Date.now() < end;) {
            await write();
        }

        expect(done).to.be.false();
        // At the end it fails, and nothing has been done.
        const error = await expect(migrate(db, undefined, 1)).to.reject();
        expect(error).to.include({ code: '55P03' });
        await long.commit();
        while (!done) {
            await write();
        }

        expect(await migrating).to.equal(laterNames);
        expect(Math.max(...waits)).to.be.between(100, 1000);
        await other.destroy();
        await drop();
    });

    it('fill only a new database, in the same transaction', async () => {
        const { db, drop } = await emptyDatabase();
        await expect(migrate(db, () => Promise.reject(new Error('killed')))).to.reject('killed');
        expect(await schemaOf(db)).to.equal([]);

        let filled = 0;
        const fill = async (trx: Knex): Promise<void> => {
            await trx.raw(`insert into users (username) values ('ada')`);
            ++filled;
        };

        expect(await migrate(db, fill)).to.equal([...releasedNames, ...laterNames]);
        await db.raw('delete from users');
        expect(await migrate(db, fill)).to.equal([]);
        while (await rollback(db) !== undefined) {
            // Until the schema is that of 0.3.
        }

        expect(await migrate(db, fill)).to.equal(laterNames);
        expect(filled).to.equal(1);
        await drop();
    });

    it('can be taken back with data in the tables', async () => {
        const { db, drop } = await emptyDatabase();
        await migrate(db);
        await db.raw(`
            insert into users (username, username_key) values ('ada', 'ada');
            insert into projects (user_id, version, title, tags, featured, change_revision) values (1, '1', 'x', '{a,b}', true, 1);
            insert into pages (project_id, x, y, created_revision, project_revision) values (1, 0, 0, 1, 1);
            insert into elements (project_id, page_id, type, created_revision, project_revision) values (1, 1, 'x', 1, 1);
            insert into classes (title, publish, comments, code) values ('Year 5', 'class', true, 'k7pm3xwrd9tz');
            insert into class_people (class_id, user_id, role, paused_until) values (1, 1, 'pupil', now());
            insert into class_projects (class_id, project_id, audience, state, reason) values (1, 1, 'class', 'hidden', 'No faces');
            insert into webhooks (user_id, url, events, secret) values (1, 'https://hooks.example/in', array['project.changed', 'work.handed_in'], sha256('x')),
                (null, 'https://hooks.example/all', array['work.handed_in'], sha256('x'));
            insert into tokens (user_id, hash, scope, origin, expires_at) values (1, sha256('a'), '{user}', 'sign_in', now()), (1, sha256('b'), '{projects}', 'personal', now())`);
        const found = async (sql: string): Promise<object[]> => (await db.raw(sql)).rows;
        for (let name = await rollback(db); name !== undefined; name = await rollback(db)) {
            if (name === '0056_class_order') {
                expect(await found('select audience from class_projects')).to.equal([{ audience: 'teachers' }]);
            }

            if (name === '0050_place_webhooks') {
                expect(await found('select url, events from webhooks')).to.equal([{ url: 'https://hooks.example/in', events: ['project.changed'] }]);
            }

            if (name === '0040_tokens') {
                // A release that knows no personal tokens would take them for those of a sign-in.
                expect(await found(`select encode(hash, 'hex') = encode(sha256('a'), 'hex') as first from tokens`)).to.equal([{ first: true }]);
            }
        }

        expect(await found('select p.title, e.type from projects p join pages g on g.project_id = p.id join elements e on e.page_id = g.id')).to.equal([{ title: 'x', type: 'x' }]);
        expect(await migrate(db)).to.equal(laterNames);
        await drop();
    });
});
