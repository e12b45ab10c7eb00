import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { placeOfAssets } from '../assets/open-storage';
import { clusterOf, NotOnCluster } from '../citus/cluster';
import { writeBaseBackup } from '../embedded-postgres/backup';
import { sync } from '../embedded-postgres/folder';
import { restoreEmbedded } from '../embedded-postgres';
import { pendingMigrations } from '../db/migrate';
import { placeOfDatabase } from '../db/open';
import { onDatabase } from './context';
import type { Context, DatabaseContext } from './context';
import { dump, restoreDump } from './dump';

/** The first bytes of each engine's backups: of gzip, and of pg_dump's custom format. */
const marks = { embedded: Buffer.from([0x1f, 0x8b]), server: Buffer.from('PGDMP') };

/** Writes the whole database to a file: a base backup of the embedded database, or a dump of any other. */
export async function backup(context: DatabaseContext, path: string): Promise<void> {
    const { config, db, interrupted, print, remark, url } = context;
    // If the database cannot be asked, what saves it says why.
    if (await clusterOf(db).catch(() => undefined) !== undefined) {
        throw new NotOnCluster('A dump of the coordinator would be no backup of a cluster. docs/citus.md says how to save one.');
    }

    await writeWhole(path, interrupted, (file) => (config.databaseUrl === null ? writeBaseBackup(url, file) : dump(context, url, file)));
    print(`Saved ${placeOfDatabase(config)} to ${path}.`);
    remark(`The bytes of pictures and sounds are in ${placeOfAssets(config)}, and not in this file: save them too, after this.`);
}

/** Fills the database from a backup. Nothing is replaced: the database must be empty. */
export async function restore(context: Context, path: string): Promise<void> {
    const { databaseUrl, dataDir } = context.config;
    const file = openSync(path, 'r');
    try {
        const engine = engineOf(file);
        if (engine === undefined) {
            throw new Error(`${path} is not a backup of Pagewright.`);
        }

        if ((engine === 'embedded') !== (databaseUrl === null)) {
            throw new Error(engine === 'embedded'
                ? `${path} is a backup of an embedded database, and can only be restored to one: leave DATABASE_URL empty, and set DATA_DIR to the folder.`
                : `${path} is a backup of a database server, and can only be restored to one: set DATABASE_URL to an empty database.`);
        }

        await (databaseUrl === null ? restoreEmbedded(dataDir, file) : restoreDump(context, databaseUrl, file));
    }
    finally {
        closeSync(file);
    }

    await onDatabase(async ({ config, db, print, remark }) => {
        const pending = await pendingMigrations(db);
        print(`Restored ${path} to ${placeOfDatabase(config)}.`);
        remark(`The bytes of pictures and sounds belong in ${placeOfAssets(config)}: restore them too.`);
        if (pending.length > 0) {
            print('The backup is of an older release. The next start of the service brings its schema up to date.');
        }
    }, { anySchema: true })(context);
}

/** Which engine an open backup is of, by its first bytes. The file is read from the start afterwards. */
function engineOf(file: number): keyof typeof marks | undefined {
    const start = Buffer.alloc(5);
    readSync(file, start, 0, start.length, 0);
    return (['embedded', 'server'] as const).find((engine) => start.subarray(0, marks[engine].length).equals(marks[engine]));
}

/** Writes a file that only its owner can read. A file that has the name already is replaced when the new one is complete. */
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
