import type { ParseArgsConfig } from 'node:util';

import { insertToken } from '../tokens/queries';
import { hashSecret, newSecret } from '../auth/secrets';
import { migrate, rollback } from '../db/migrate';
import { seedDemo } from '../process/demo';
import { days, file, noneLeft, permission, scopeOf, seconds, username } from './arguments';
import type { Given } from './arguments';
import { backup, restore } from './backup';
import { onDatabase } from './database';
import type { Context } from './database';
import { allUsers, findUserId, purge, setPermission } from './queries';

export interface Command {
    usage: string;
    summary: string;
    help: string;
    options?: ParseArgsConfig['options'];
    /** Reads the arguments before anything is opened, and answers the work. @throws UsageError */
    prepare(given: Given): (context: Context) => Promise<void>;
}

/** There is no live user of that name. */
export class NoSuchUser extends Error {
    constructor(name: string) {
        super(`There is no user "${name}", or the account has been deleted.`);
        this.name = 'NoSuchUser';
    }
}

const setter = (verb: 'grant' | 'revoke', granted: boolean): Command => ({
    usage: `${verb} <username> moderator|staff`,
    summary: granted ? 'gives a user a permission' : 'takes a permission from a user',
    help: 'Moderators feature projects, and may delete what is others\'. Staff is shown on the account, and opens nothing by itself.\nThe name may be written in any case. It holds from the next request on.',
    prepare: (given) => {
        const name = username(given);
        const which = permission(given);
        noneLeft(given);
        return onDatabase(async ({ db, print }) => {
            const outcome = await setPermission(db, name, which, granted);
            if (outcome === undefined) {
                throw new NoSuchUser(name);
            }

            const kept = granted ? `was ${which} already` : `was not ${which}`;
            const changed = granted ? `is ${which} now` : `is ${which} no longer`;
            print(`${outcome.username} ${outcome.changed ? changed : kept}.`);
        });
    }
});

export const commands: Readonly<Record<string, Command>> = {
    migrate: {
        usage: 'migrate',
        summary: 'brings the schema of the database up to date',
        help: '"npm start" does the same. Says which migrations were applied; none is fine, too.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const names = await migrate(db);
                print(names.length > 0 ? `Applied: ${names.join(', ')}` : 'The schema is up to date.');
            }, { anySchema: true });
        }
    },
    rollback: {
        usage: 'rollback',
        summary: 'takes back the migrations that were applied last, together',
        help: 'What their tables hold goes with them: after one start of an empty database, that is everything. Make a backup first.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const names = await rollback(db);
                print(names.length > 0 ? `Taken back: ${names.join(', ')}` : 'There is no migration to take back.');
            }, { anySchema: true });
        }
    },
    seed: {
        usage: 'seed',
        summary: 'makes the demo community',
        help: 'All of it or nothing. Prints the usernames with their passwords, which are random and shown this once.\nFails where one of the names is taken, so a second time, too.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ config, db, logger, print, remark }) => {
                const { users, projects, pages, elements } = await seedDemo({ config, db, logger }).catch((error: Error & { code?: string }) => {
                    throw error.code === 'username_taken' ? new Error('The demo community is there already, or somebody has one of its names.') : error;
                });
                users.forEach((user) => print(`${user.username}\t${user.password}`));
                remark(`Made ${projects} projects with ${pages} pages and ${elements} elements.`);
            });
        }
    },
    grant: setter('grant', true),
    revoke: setter('revoke', false),
    token: {
        usage: 'token <username> [--scope user,projects] [--days n]',
        summary: 'makes a token for a user, and prints it alone',
        help: '--scope user,projects   what it opens; both unless asked for less\n--days n                how long it lives, 1 to 365; TOKEN_TTL unless given',
        options: { scope: { type: 'string' }, days: { type: 'string' } },
        prepare: (given) => {
            const name = username(given);
            const scope = scopeOf(given);
            const life = days(given);
            noneLeft(given);
            return onDatabase(async ({ config, db, print }) => {
                const secret = newSecret();
                const userId = await findUserId(db, name);
                if (config.auth.provider !== 'local') {
                    throw new Error(`A token made here would open nothing: ${config.auth.issuer} makes them (AUTH_PROVIDER=${config.auth.provider}).`);
                }

                const token = userId === undefined ? undefined : await insertToken(db, {
                    userId, passwordHash: null, hash: hashSecret(secret), scope, label: 'npm run admin', expiresIn: life ?? config.tokenTtl
                });
                if (token === undefined) {
                    throw new NoSuchUser(name);
                }

                print(secret);
            });
        }
    },
    users: {
        usage: 'users',
        summary: 'lists all accounts',
        help: 'One a line with tabs between the columns, names of the columns first; deleted ones, not yet purged, have a date there.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                print('id\tusername\tlanguage\tpermissions\tprojects\tcreated\tdeleted');
                for await (const user of allUsers(db)) {
                    const permissions = [...user.moderator ? ['moderator'] : [], ...user.staff ? ['staff'] : []];
                    print([user.id, user.username, user.language, permissions.join(',') || '-', user.projects, user.created, user.deleted ?? '-'].join('\t'));
                }
            });
        }
    },
    purge: {
        usage: 'purge [--older-than 30d]',
        summary: 'removes for good what was deleted long enough ago',
        help: '--older-than 30d   how long ago: a number with s, m, h, d or w; 30d unless given\nRemoves users, projects, pages and elements with all in them, and tokens that have expired. Usernames become free again.',
        options: { 'older-than': { type: 'string' } },
        prepare: (given) => {
            const age = seconds(given);
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const removed = await purge(db, age);
                print(Object.entries(removed).map(([what, count]) => `${what}\t${count}`).join('\n'));
            });
        }
    },
    backup: {
        usage: 'backup <file>',
        summary: 'writes the whole database into a file',
        help: 'Also while the service runs. Until all is written, a file that has the name already stays as it is.\nOf the embedded database it is a base backup, which the same major version of PostgreSQL restores; of DATABASE_URL a dump, by the pg_dump in PATH.\nThe file has all that people have written, hashes of passwords and tokens included: only its owner may read it.',
        prepare: (given) => {
            const path = file(given);
            noneLeft(given);
            return onDatabase((context) => backup(context, path), { anySchema: true });
        }
    },
    restore: {
        usage: 'restore <file>',
        summary: 'makes an empty database what it was at a backup',
        help: 'All of it or nothing, and nothing is replaced: the folder in DATA_DIR must have no database yet, or the database of DATABASE_URL no tables.\nThe backup may be of an older release: "npm start" brings its schema up to date.',
        prepare: (given) => {
            const path = file(given);
            noneLeft(given);
            return (context) => restore(context, path);
        }
    }
};
