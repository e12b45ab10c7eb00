import type { Knex } from 'knex';

import { clusterOf } from '../../database/citus/cluster';
import { alone, migrate, migrateCluster, pendingMigrations } from '../../database/statements/migrate';
import { flag, noneLeft } from './arguments';
import { NotConfirmed, yes, yesHelp } from './command';
import type { Commands } from './command';
import { onDatabase } from './context';
import { refuseWhileInUse } from './in-use';
import { rollBackOne } from './rollback';
import type { Rollback } from './rollback';

// It needs the whole service, which takes longer to load than most commands to run.
// eslint-disable-next-line no-restricted-syntax
const demo = (): typeof import('../process/demo') => require('../process/demo');

/** Migrates a distributed database. @param dry whether all of it is taken back */
async function migrateAlone(db: Knex, dry: boolean): Promise<string[]> {
    return await alone(db, async (trx) => {
        await refuseWhileInUse(trx);
        const trial = await trx.transaction();
        const names = await migrateCluster(trial);
        await (dry ? trial.rollback() : trial.commit());
        return names;
    });
}

/** Commands for the schema of the database. */
export const schemaCommands: Commands = {
    migrate: {
        usage: 'migrate [--dry-run]',
        summary: 'bring the schema of the database up to date',
        help: `--dry-run   only print the migrations that would be applied

Each start of the service does this as well. Prints the migrations that were applied.
On a cluster (docs/citus.md) only this command does it: stop the service first, as it refuses while an instance is connected, and make
a backup. It is one transaction: if it ends early, nothing has happened, and it can be started again. There, --dry-run does all of it
and takes it back, so it takes as long.`,
        options: { 'dry-run': { type: 'boolean' } },
        prepare: (given) => {
            const dry = flag(given, 'dry-run');
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const names = await clusterOf(db) === undefined ? await (dry ? pendingMigrations(db) : migrate(db)) : await migrateAlone(db, dry);
                print(names.length > 0 ? `${dry ? 'Would apply' : 'Applied'}: ${names.join(', ')}` : 'The schema is up to date.');
            }, { anySchema: true });
        }
    },
    rollback: {
        usage: 'rollback [--yes]',
        summary: 'roll back the newest migration, with the data that only it can store',
        help: `${yesHelp}\n\nPrints the tables and columns that go, with the number of rows and values in them. Stop the service first: the command
refuses while an instance is connected. Make a backup first. The next start of this release applies the migration again.`,
        options: yes,
        prepare: (given) => {
            const keep = flag(given, 'yes');
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const rollback = await rollBackOne(db, { keep });
                if (rollback === undefined) {
                    print('Nothing can be taken back: the database has no schema, or that of 0.3.');
                    return;
                }

                print(described(rollback, keep));
                if (!keep) {
                    throw new NotConfirmed('Nothing was changed. Make a backup, then add --yes to do it.');
                }
            }, { anySchema: true });
        }
    },
    seed: {
        usage: 'seed',
        summary: 'create the demo community',
        help: 'Creates all of it or nothing. Prints the usernames with their passwords. The passwords are random, and are not shown again.\nFails if one of the usernames is taken.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ config, db, filePool, logger, print, remark }) => {
                const { seedDemo } = demo();
                const files = filePool();
                const { users, projects, pages, elements } = await seedDemo({ config, db, logger, files }).catch((error: Error & { code?: string }) => {
                    throw error.code === 'username_taken' ? new Error('The demo community exists already, or somebody else has one of its usernames.') : error;
                }).finally(() => files.close());
                users.forEach((user) => print(`${user.username}\t${user.password}`));
                remark(`Made ${projects} projects with ${pages} pages and ${elements} elements.`);
            });
        }
    }
};

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

function described({ name, lost }: Rollback, done: boolean): string {
    const places = lost.map(({ table, column, count }) => {
        return column === null ? `  lost: table ${table} with ${counted(count, 'row')}` : `  lost: column ${table}.${column} with ${counted(count, 'value')}`;
    });
    return [`${name} ${done ? 'was' : 'would be'} taken back.`, ...places].join('\n');
}
