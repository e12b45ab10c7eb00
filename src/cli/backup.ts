import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { writeBaseBackup } from '../embedded-postgres/backup';
import { sync } from '../embedded-postgres/folder';
import { restoreEmbedded } from '../embedded-postgres';
import { pendingMigrations } from '../db/migrate';
import { placeOfDatabase } from '../db/open';
import { onDatabase } from './database';
import type { Context, DatabaseContext } from './database';
import { dump, restoreDump } from './dump';

/** What each engine's backups begin with: gzip's mark, and that of pg_dump's custom format. */
const marks = { embedded: Buffer.from([0x1f, 0x8b]), server: Buffer.from('PGDMP') };

/** Writes the whole database into a file: of the embedded engine a base backup, of any other server a dump. */
export async function backup(context: DatabaseContext, path: string): Promise<void> {
    const { config, interrupted, print, url } = context;
    await writeWhole(path, interrupted, (file) => (config.databaseUrl === null ? writeBaseBackup(url, file) : dump(context, url, file)));
    print(`${path} has all of ${placeOfDatabase(config)}.`);
}

/** Makes the database what it was when the file was written. Nothing is replaced: it has to be empty. */
export async function restore(context: Context, path: string): Promise<void> {
    const { databaseUrl, dataDir } = context.config;
    const file = openSync(path, 'r');
    try {
        const engine = engineOf(file);
        if (engine === undefined) {
            throw new Error(`${path} is no backup that "npm run admin -- backup" has written.`);
        }

        if ((engine === 'embedded') !== (databaseUrl === null)) {
            throw new Error(engine === 'embedded'
                ? `${path} was written of an embedded database, and is restored to one: leave DATABASE_URL empty, and name the folder in DATA_DIR.`
                : `${path} was written of a database server, and is restored to one: set DATABASE_URL to an empty database.`);
        }

        await (databaseUrl === null ? restoreEmbedded(dataDir, file) : restoreDump(context, databaseUrl, file));
    }
    finally {
        closeSync(file);
    }

    await onDatabase(async ({ config, db, print }) => {
        const pending = await pendingMigrations(db);
        print(`All of ${path} is in ${placeOfDatabase(config)}.`);
        if (pending > 0) {
            print('It is of an older release: "npm start" brings its schema up to date.');
        }
    }, { anySchema: true })(context);
}

/** Whose backup an open file is, by its first bytes; it is read from the start afterwards. */
function engineOf(file: number): keyof typeof marks | undefined {
    const start = Buffer.alloc(5);
    readSync(file, start, 0, start.length, 0);
    return (['embedded', 'server'] as const).find((engine) => start.subarray(0, marks[engine].length).equals(marks[engine]));
}

/** Writes a file that its owner alone may read, whole or not at all: until then, what has that name stays as it is. */
async function writeWhole(path: string, interrupted: AbortSignal, write: (file: number) => Promise<void>): Promise<void> {
    const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
    const remove = (): void => rmSync(partial, { force: true });
    const file = openSync(partial, 'wx', 0o600);
    interrupted.addEventListener('abort', remove);
    try {
        await write(file);
        fsyncSync(file);
        renameSync(partial, path);
        sync(dirname(resolve(path)));
    }
    finally {
        closeSync(file);
        remove();
        interrupted.removeEventListener('abort', remove);
    }
}
