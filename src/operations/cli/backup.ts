import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { openStorage, placeOfAssets } from '../../files/assets/open-storage';
import { openOwnStorage } from '../../files/assets/own-storage';
import type { AssetStorage } from '../../files/assets/storage';
import { clusterOf, NotOnCluster } from '../../database/citus/cluster';
import { writeBaseBackup } from '../../database/embedded/backup';
import { sync } from '../../database/embedded/folder';
import { restoreEmbedded } from '../../database/embedded';
import { isTooOld, pendingMigrations, wayFromOlder } from '../../database/statements/migrate';
import { errorMessage } from '../../database/statements/error-message';
import { placeOfDatabase } from '../../database/statements/open';
import { run, statement } from '../../database/statements/statement';
import { onDatabase } from './context';
import type { Context, DatabaseContext } from './context';
import { directUrl } from './direct-url';
import { dump, restoreDump } from './dump';
import { restoreAssets, saveAssets } from './saved-assets';

/*
 * A backup is a folder:
 *   database   a base backup of the embedded database, or a dump of any other
 *   assets/    the bytes of pictures and sounds by their hash, as a folder of assets has them, with its mark
 * Before 0.3 it was only the file of the database.
 */

/** The first bytes of each engine's backups: of gzip, and of pg_dump's custom format. */
const marks = { embedded: Buffer.from([0x1f, 0x8b]), server: Buffer.from('PGDMP') };

/** Read by the metrics (operations/maintenance/metrics.ts). */
const noteBackup = statement({}, `insert into maintenance (name, claimed_until, done_until) values ('backup', '-infinity', now()) on conflict (name) do update set done_until = excluded.done_until`);

/** Names of backups in a folder that keeps several. By name they are in the order of their times. */
const named = /^pagewright-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

/**
 * Writes the database and all assets to a folder.
 * @param keep if given, the folder gets a backup with the time as its name, and keeps so many of them
 */
export async function backup(context: DatabaseContext, folder: string, keep: number | undefined): Promise<void> {
    const { config, db, interrupted, print, remark, url } = context;
    // If the database cannot be asked, what saves it says why.
    if (await clusterOf(db).catch(() => undefined) !== undefined) {
        throw new NotOnCluster('A dump of the coordinator would be no backup of a cluster. docs/citus.md says how to save one.');
    }

    const direct = config.databaseUrl === null ? null : await directUrl(config.databaseUrl, config);
    if (keep !== undefined) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
    }

    const path = keep === undefined ? folder : join(folder, `pagewright-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
    const earlier = keep === undefined ? path : join(folder, backupsIn(folder).at(-1) ?? '');
    // An older database does not know yet which place is its own.
    const isCurrent = await pendingMigrations(db).then((pending) => pending.length === 0, () => false);
    const assets = await withStorage(isCurrent ? openOwnStorage(db, config) : openStorage(config), (storage) => writeWhole(path, interrupted, async (partial) => {
        await writeFile(join(partial, 'database'), (file) => (direct === null ? writeBaseBackup(url, file) : dump(context, direct, file)));
        return await saveAssets(storage, join(partial, 'assets'), join(earlier, 'assets'), interrupted);
    }));
    print(`Saved ${placeOfDatabase(config)}, with ${assets} picture(s) and sound(s), to ${path}.`);
    if (isCurrent) {
        await run(db, noteBackup, []).catch((error: unknown) =>
            remark(`When it was made could not be noted for the metrics: ${errorMessage(error)}`));
    }

    for (const old of keep === undefined ? [] : backupsIn(folder).slice(0, -keep)) {
        rmSync(join(folder, old), { recursive: true });
        print(`Removed ${join(folder, old)}.`);
    }
}

const backupsIn = (folder: string): string[] => readdirSync(folder).filter((name) => named.test(name)).sort();

async function withStorage<Result>(opening: Promise<AssetStorage>, work: (storage: AssetStorage) => Promise<Result>): Promise<Result> {
    const storage = await opening;
    try {
        return await work(storage);
    }
    finally {
        storage.close();
    }
}

/** Fills the database and the place for assets from a backup. Nothing is replaced: the database must be empty. */
export async function restore(context: Context, path: string): Promise<void> {
    const { config, interrupted } = context;
    const { databaseUrl, dataDir } = config;
    const isFolder = statSync(path).isDirectory();
    const file = openSync(isFolder ? join(path, 'database') : path, 'r');
    let assets = 0;
    // They come first, so that a restore that was interrupted can be repeated.
    const first = async (): Promise<void> => {
        assets = isFolder ? await withStorage(openStorage(config), (storage) => restoreAssets(storage, join(path, 'assets'), interrupted)) : 0;
    };

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

        await (databaseUrl === null ? restoreEmbedded(dataDir, file, first) : restoreDump(context, await directUrl(databaseUrl, config), file, first));
    }
    finally {
        closeSync(file);
    }

    await onDatabase(async ({ db, print, remark }) => {
        const pending = await pendingMigrations(db);
        print(`Restored ${path} to ${placeOfDatabase(config)}${isFolder ? `, with ${assets} picture(s) and sound(s)` : ''}.`);
        if (!isFolder) {
            remark(`The backup is of an older release, and has no pictures and sounds. They belong in ${placeOfAssets(config)}: restore them too.`);
        }

        if (pending.length > 0) {
            print(`The backup is of an older release. ${isTooOld(pending) ? wayFromOlder : 'The next start of the service brings its schema up to date.'}`);
        }
    }, { anySchema: true })(context);
}

/** Which engine an open backup is of, by its first bytes. The file is read from the start afterwards. */
function engineOf(file: number): keyof typeof marks | undefined {
    const start = Buffer.alloc(5);
    readSync(file, start, 0, start.length, 0);
    return (['embedded', 'server'] as const).find((engine) => start.subarray(0, marks[engine].length).equals(marks[engine]));
}

/** Writes a file that only its owner can read, to the disk. */
async function writeFile(path: string, write: (file: number) => Promise<void>): Promise<void> {
    const file = openSync(path, 'wx', 0o600);
    try {
        await write(file);
        fsyncSync(file);
    }
    finally {
        closeSync(file);
    }
}

/** Makes a folder that only its owner can read. A backup that has the name already is replaced when the new one is complete. */
async function writeWhole<Result>(path: string, interrupted: AbortSignal, write: (folder: string) => Promise<Result>): Promise<Result> {
    if (existsSync(path) && !existsSync(join(path, 'database'))) {
        throw new Error(`${path} is there already and is not a backup, so it is not replaced. Choose another name, or add --keep 7 to keep several backups in it.`);
    }

    const unique = randomBytes(4).toString('hex');
    const [partial, replaced] = [`${path}.${unique}.partial`, `${path}.${unique}.replaced`];
    const remove = (): void => rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o700 });
    interrupted.addEventListener('abort', remove);
    try {
        const result = await write(partial);
        sync(partial);
        if (existsSync(path)) {
            renameSync(path, replaced);
        }

        renameSync(partial, path);
        sync(dirname(resolve(path)));
        rmSync(replaced, { recursive: true, force: true });
        return result;
    }
    finally {
        remove();
        interrupted.removeEventListener('abort', remove);
    }
}
