import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { migrationSource, migrations } from '../migrations';
import { openDatabase } from '../src/database/statements/connection';
import { migrate, pendingMigrations, rollback } from '../src/database/statements/migrate';
import { emptyDatabase } from './support/database';
import type { TestDatabase } from './support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Everything that migrations create, as sorted lines. */
async function schemaOf(db: Knex): Promise<string[]> {
    const { rows } = await db.raw(`
        select line from (
            select 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || coalesce(' ' || column_default, '') as line
                from information_schema.columns where table_schema = 'public'
            union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
            union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
            union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
            union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prolang <> (select oid from pg_language where lanname = 'c')
            union all select 'sequence ' || sequencename from pg_sequences where schemaname = 'public'
        ) all_of_it where line !~ 'migrations' order by line`);
    return rows.map(({ line }: { line: string }) => line);
}

/** Migrations that change rows, and nothing of the schema. */
const onlyRows: readonly string[] = ['0026_author_words', '0033_username_keys', '0036_filled', '0036_filled_search'];

describe('migrations', () => {
    let database: TestDatabase;

    before(async () => {
        database = await emptyDatabase();
    });

    after(() => database.drop());

    it('run on an empty database, can each be taken back, and run again', async () => {
        const { db } = database;
        const settings = { migrationSource, tableName: 'migrations' };
        const names = migrations.map(({ name }) => name);
        const steps: string[][] = [await schemaOf(db)];
        for (const name of names) {
            const [, [applied]] = await db.migrate.up(settings);
            expect(applied).to.equal(name);
            const now = await schemaOf(db);
            expect(now.join() === steps.at(-1)?.join(), name).to.equal(onlyRows.includes(name));
            steps.push(now);
        }

        expect(await pendingMigrations(db)).to.equal([]);
        const whole = steps.at(-1) ?? [];
        expect(whole.length).to.be.above(100);
        for (const name of [...names].reverse()) {
            steps.pop();
            const [, [taken]] = await db.migrate.down(settings);
            expect(taken).to.equal(name);
            expect(await schemaOf(db), name).to.equal(steps.at(-1) ?? []);
        }

        expect(await pendingMigrations(db)).to.equal(names);
        expect(await migrate(db)).to.equal(names);
        expect(await migrate(db)).to.equal([]);
        expect(await schemaOf(db)).to.equal(whole);
        expect(await rollback(db)).to.equal(names.at(-1));
        expect(await pendingMigrations(db)).to.equal(names.slice(-1));
        expect(await migrate(db)).to.equal(names.slice(-1));
    });

    it('run on a database that has later ones', async () => {
        const { db, drop } = await emptyDatabase();
        const missing = migrations.map(({ name }) => name).filter((name) => name.includes('_filled'));
        const others = { ...migrationSource, getMigrations: () => Promise.resolve(migrations.filter(({ name }) => !missing.includes(name))) };
        await db.migrate.latest({ migrationSource: others, tableName: 'migrations' });
        await db.raw(`
            insert into users (username) values ('ada');
            insert into projects (user_id, version, title, counted_revision) values (1, '1', 'x', 0)`);
        expect(await pendingMigrations(db)).to.equal(missing);
        expect(await migrate(db)).to.equal(missing);
        const whole = await emptyDatabase();
        await migrate(whole.db);
        expect(await schemaOf(db)).to.equal(await schemaOf(whole.db));
        expect((await db.raw('select counted_revision, change_revision from projects')).rows).to.equal([{ counted_revision: 1, change_revision: 1 }]);
        expect(await rollback(db)).to.equal(migrations.at(-1)?.name);
        await whole.drop();
        await drop();
    });

    it('give names in ASCII to users with others, when they are taken back', async () => {
        const { db, drop } = await emptyDatabase();
        await migrate(db);
        await db.raw(`insert into users (username, username_key) values ('Арина', 'арина'), ('김민준', '김민준'), ('Ada', 'ada')`);
        while (await rollback(db) !== '0033_usernames') {

        }

        const { rows } = await db.raw('select username from users order by id');
        const names: string[] = rows.map(({ username }: { username: string }) => username);
        expect([names[2], new Set(names).size]).to.equal(['Ada', 3]);
        expect(names.slice(0, 2).join(' ')).to.match(/^user-[0-9a-f]{15} user-[0-9a-f]{15}$/);
        await migrate(db);
        await drop();
    });

    it('run once if several instances start at once, also with a stricter default isolation level', async () => {
        const { db, url, drop } = await emptyDatabase();
        const others = ['repeatable%20read', 'serializable', 'read%20committed'].map((isolation) => {
            return openDatabase({ url: `${url}?options=-c%20default_transaction_isolation%3D${isolation.replace('%20', '%5C%20')}`, pool: 1 });
        });
        const applied = await Promise.all(others.map((other) => migrate(other)));
        expect(applied.flat()).to.equal(migrations.map(({ name }) => name));
        expect(await pendingMigrations(db)).to.equal([]);
        await Promise.all(others.map((other) => other.destroy()));
        await drop();
    });

    it('delay writers by less than a second, also if a long transaction blocks them', async () => {
        const { db, url, drop } = await emptyDatabase();
        await db.migrate.up({ migrationSource, tableName: 'migrations' });
        await db.migrate.up({ migrationSource, tableName: 'migrations' });
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

        expect(await migrating).to.equal(migrations.slice(2).map(({ name }) => name));
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

        expect(await migrate(db, fill)).to.have.length(migrations.length);
        await db.raw('delete from users');
        expect(await migrate(db, fill)).to.equal([]);
        while (await rollback(db) !== undefined) {
            // Until all are taken back.
        }

        expect(await migrate(db, fill)).to.have.length(migrations.length);
        expect(filled).to.equal(1);
        await drop();
    });

    it('can be taken back with data in the tables', async () => {
        const { db } = database;
        await db.raw(`insert into users (username) values ('ada')`);
        await db.raw(`insert into projects (user_id, version, title, tags, featured) select id, '1', 'x', '{a,b}', true from users`);
        await db.raw('insert into pages (project_id, x, y) select id, 0, 0 from projects');
        await db.raw(`insert into elements (page_id, type) select id, 'x' from pages`);
        await db.raw(`
            insert into projects (user_id, version, title, visibility) select id, '1', visibility, visibility::visibility from users, unnest(array['private', 'unlisted']) as visibility;
            insert into projects (user_id, version, title, held_at) select id, '1', 'held', now() from users`);
        const shown = async (): Promise<string[]> => (await db.raw('select title from projects where deleted_at is null order by title')).rows.map(({ title }: { title: string }) => title);
        await db.raw(`
            insert into asset_sets (id) values ('x');
            insert into asset_set_members (set_id, hash) values ('x', 'a'), ('x', 'b');
            insert into asset_set_uses (project_id, set_id) values (1, 'x'), (2, 'x');
            insert into asset_uses (project_id, hash) values (1, 'b'), (3, 'c')`);
        for (let name = await rollback(db); name !== undefined; name = await rollback(db)) {
            if (name === '0020_asset_sets') {
                expect((await db.raw('select project_id, hash from asset_uses order by 1, 2')).rows.map(({ project_id: id, hash }: { project_id: string; hash: string }) => `${id} ${hash}`)).to.equal(['1 a', '1 b', '2 a', '2 b', '3 c']);
            }

            if (name === '0010_visibility') {
                // A release that knows nothing of visibility must not show what was not for everybody.
                expect(await shown()).to.equal(['unlisted', 'x']);
                const { rows } = await db.raw('select p.title, t.moderated from trash t join projects p on p.id = t.thing_id order by 1');
                expect(rows).to.equal([{ title: 'held', moderated: true }, { title: 'private', moderated: false }]);
            }
        }

        expect(await schemaOf(db)).to.equal([]);
        await migrate(db);
    });
});
