import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';
import { DatabaseError } from 'pg';

import { clusterOf, NotOnCluster } from '../citus/cluster';
import { changeSchema, isOfThisRelease, statementByStatement } from '../citus/schema-change';
import { WrongSettings } from '../../config/wrong-settings';
import { migrationSource, migrations, releasedNames } from '../../../migrations';
import { createSchema } from '../schema';
import { retried } from './retry';

const settings = { migrationSource, tableName: 'migrations' } satisfies Knex.MigratorConfig;

/** For a distributed database. */
const inSteps: Knex.MigratorConfig = {
    ...settings,
    migrationSource: {
        ...migrationSource,
        getMigration: (migration: typeof migrations[number]) => Promise.resolve({ up: (db: Knex) => migration.up(statementByStatement(db)), down: (db: Knex) => migration.down(statementByStatement(db)) })
    }
};

/** Any number, as long as nothing else in the database takes the same advisory lock. */
const LOCK = 7_243_392_018;

/** Milliseconds that a migration waits for a lock on a table, and between two tries. All writers of the table wait behind it. */
const LOCK_TIMEOUT = 500;
/** Number of tries, which take four minutes in all. */
const TRIES = 240;

/**
 * Applies the pending migrations, each in a transaction of its own, so that no lock is held for longer than one takes, and a process that
 * is killed meanwhile leaves nothing half done. A new database gets the present schema in one transaction. Of several processes that start at
 * once, one applies a migration and the others wait for it.
 * @param fill is called in the same transaction if the database is new
 * @param tries how often a table's lock is waited for, half a second each time
 * @returns the names of the migrations that were applied
 * @throws WrongSettings if the database cannot hold every text, or is of a release before 0.3; NotOnCluster if it is distributed and not up to date (`migrateCluster`); a DatabaseError 55P03 if another transaction holds a table's lock for minutes
 */
export async function migrate(db: Knex, fill?: (trx: Knex.Transaction) => Promise<void>, tries = TRIES): Promise<string[]> {
    await checkEncoding(db);
    if (await clusterOf(db) !== undefined && ((await pendingMigrations(db)).length > 0 || !await isOfThisRelease(db))) {
        throw new NotOnCluster('the database is distributed, so its schema is not brought up to date by itself. Stop all instances, make a backup, and run "npm run admin -- migrate" (docs/citus.md).');
    }

    const applied: string[] = [];
    for (;;) {
        await fillStepwise(db);
        const names = await step(db, fill, tries);
        if (names.length === 0) {
            return applied;
        }

        applied.push(...names);
    }
}

/** @throws WrongSettings if the database is not encoded in UTF-8 */
async function checkEncoding(db: Knex): Promise<void> {
    const { rows } = await db.raw<{ rows: { name: string; encoding: string }[] }>('select current_database() as name, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()');
    const other = rows.find(({ encoding }) => encoding !== 'UTF8');
    if (other !== undefined) {
        throw new WrongSettings(`it is encoded in ${other.encoding}, which lacks most scripts of the world. Make one in UTF-8, with "createdb --encoding=UTF8 --template=template0 NAME", `
            + `copy what is in this one, if anything is, with "pg_dump ${other.name} | psql NAME", and set DATABASE_URL to the new one.`);
    }
}

/**
 * Applies the pending migrations to a distributed database, and makes what this release has in shards, all of it or nothing. Nobody else may use it meanwhile.
 * @returns the names of the migrations
 * @throws NotOnCluster if that cannot be done; nothing was changed then
 */
export async function migrateCluster(trx: Knex.Transaction): Promise<string[]> {
    checkRelease(await appliedMigrations(trx));
    const [, names] = await changeSchema(trx, () => trx.migrate.latest(inSteps));
    return names;
}

/** Milliseconds that a step of filling should take, about, and how many projects the first one looks at, and the largest. */
const STEP = 200;
const FIRST = 10;
const LARGEST = 1000;

/** Does what the next migration can do in steps. */
async function fillStepwise(db: Knex): Promise<void> {
    const [next] = await pendingMigrations(db);
    const fill = migrations.find(({ name }) => name === next)?.fill;
    let most = FIRST;
    for (let after: string | null | undefined = '0'; typeof after === 'string';) {
        const began = performance.now();
        after = await fill?.(db, after, most);
        most = Math.ceil(Math.min(LARGEST, most * Math.min(2, STEP / (performance.now() - began))));
    }
}

/** The next migration, or all of them at once in a new database; none if the schema is up to date. */
async function step(db: Knex, fill: ((trx: Knex.Transaction) => Promise<void>) | undefined, tries: number): Promise<string[]> {
    for (let left = tries - 1; ; --left) {
        try {
            return await alone(db, async (trx) => {
                await trx.raw(`set local lock_timeout = ${LOCK_TIMEOUT}`);
                const applied = await appliedMigrations(trx);
                if (applied.length > 0) {
                    checkRelease(applied);
                    const [, names] = await trx.migrate.up(settings);
                    return names;
                }

                await createSchema(trx);
                await note(trx, allNames());
                await fill?.(trx);
                return allNames();
            });
        }
        catch (error) {
            if (left === 0 || !(error instanceof DatabaseError && error.code === '55P03')) {
                throw error;
            }

            await sleep(LOCK_TIMEOUT);
        }
    }
}

/**
 * Takes back the newest migration, and what its tables hold with it. To be called in a transaction (`alone`).
 * @returns its name; undefined if there is none that can be taken back: the schema is that of 0.3, or there is no schema
 */
export async function rollback(db: Knex): Promise<string | undefined> {
    const applied = await appliedMigrations(db);
    if (!migrations.some(({ name }) => applied.includes(name))) {
        return undefined;
    }

    const [, names] = await clusterOf(db) === undefined ? await db.migrate.down(settings) : await changeSchema(db, () => db.migrate.down(inSteps));
    return names[0];
}

/** Runs work in a transaction during which no other process migrates. */
export async function alone<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    // After waiting for the lock it must see what was committed before, whatever the database's default isolation level is.
    return await db.transaction(async (trx) => {
        await trx.raw('select pg_advisory_xact_lock(?)', [LOCK]);
        return await work(trx);
    }, { isolationLevel: 'read committed' });
}

const allNames = (): string[] => [...releasedNames, ...migrations.map(({ name }) => name)];

/** Says that a database whose tables were made at once has these migrations. */
export async function note(trx: Knex.Transaction, names: readonly string[]): Promise<void> {
    // Makes the tables that knex keeps them in.
    await trx.migrate.list(settings);
    await trx('migrations').insert(names.map((name) => ({ name, batch: 1, migration_time: trx.fn.now() })));
}

export const wayFromOlder = 'Start 0.3 once with it, then this release (docs/upgrading.md).';

/** Whether a database that lacks these migrations is of a release before 0.3, which this one does not bring up to date. A new database lacks them all. */
export const isTooOld = (pending: readonly string[]): boolean => releasedNames.some((name) => pending.includes(name)) && pending.length < allNames().length;

/** @throws WrongSettings */
function checkRelease(applied: readonly string[]): void {
    if (isTooOld(allNames().filter((name) => !applied.includes(name)))) {
        throw new WrongSettings(`its schema is that of a release before 0.3. ${wayFromOlder}`);
    }
}

/** The names of the migrations that a database has. */
async function appliedMigrations(db: Knex): Promise<string[]> {
    // Without a schema in search_path no table is found, and that is an error (3F000), not a new database. It reads pg_class: `to_regclass` may go by what the
    // session knew before it waited for a lock.
    const { rows } = await db.raw<{ rows: { found: boolean }[] }>(`
        select exists (select from pg_class where relname = 'migrations' and pg_table_is_visible(oid)) as found, coalesce(quote_ident(current_schema()), 'no_schema')::regnamespace::text as schema`);
    if (rows[0]?.found !== true) {
        return [];
    }

    const { rows: applied } = await db.raw<{ rows: { name: string }[] }>('select name from migrations');
    return applied.map(({ name }) => name);
}

/** The names of the migrations that are pending. */
export const pendingMigrations = (db: Knex): Promise<string[]> => retried(async () => {
    const applied = await appliedMigrations(db);
    return allNames().filter((name) => !applied.includes(name));
});
